import { createSqliteStore } from '../store/sqlite/sqliteStore.ts'
import { describeConcurrency } from '../testing/concurrencySuite.ts'

describeConcurrency('many at once', () => createSqliteStore({ file: ':memory:' }))
