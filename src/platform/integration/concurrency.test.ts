import { createSqliteStore } from '../store/sqlite/sqliteStore.ts'
import { describeManyAtOnce } from '../testing/concurrencySuite.ts'

describeManyAtOnce('many at once', () => createSqliteStore({ file: ':memory:' }))
