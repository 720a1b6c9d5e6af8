import { createSqliteStore } from '../store/sqlite/sqliteStore.ts'
import { describeFaqGaps } from '../testing/faqGapsSuite.ts'

describeFaqGaps('questions without an answer, on SQLite', () => createSqliteStore({ file: ':memory:' }))
