import { createSqliteStore } from '../store/sqlite/sqliteStore.ts'
import { describeOutgoing } from '../testing/outgoingSuite.ts'

describeOutgoing('what the platform calls', () => createSqliteStore({ file: ':memory:' }))
