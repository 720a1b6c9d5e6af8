import { createSqliteStore } from '../store/sqlite/sqliteStore.ts'
import { describeResponsiveness } from '../testing/responsivenessSuite.ts'

describeResponsiveness('a platform on SQLite', () => createSqliteStore({ file: ':memory:' }))
