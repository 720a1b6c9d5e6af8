import { createSqliteStore } from '../store/sqlite/sqliteStore.ts'
import { describePersonalReads } from '../testing/personalReadsSuite.ts'

describePersonalReads("a visitor's reads", () => createSqliteStore({ file: ':memory:' }))
