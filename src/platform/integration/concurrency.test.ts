import { describeManyAtOnce } from './concurrencySuite.ts'
import { createSqliteStore } from './store/sqlite/sqliteStore.ts'

describeManyAtOnce('many at once', () => createSqliteStore({ file: ':memory:' }))
