import { describeDeskPlans } from '../../testing/store/deskPlansSuite.ts'
import { createDatabase, openDatabase } from './connection.ts'
import { sqliteDialect } from './dialect.ts'
import { migrate } from './migrations.ts'

describeDeskPlans({
  dialect: sqliteDialect(),
  async open() {
    const file = openDatabase({ file: ':memory:', busyTimeoutMs: 1000, durable: false })
    migrate(file)
    // A condition of searches, which only readers have.
    file.function('in_time', () => 1)
    return { ...createDatabase(file), close: async () => file.close() }
  },
  numbers: count =>
    `(WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count}) SELECT n FROM numbers) AS numbers`,
  collectStatistics: false,
  explain: 'EXPLAIN QUERY PLAN',
  scans: /SCAN (?!json_each|value|message_search VIRTUAL)/,
})
