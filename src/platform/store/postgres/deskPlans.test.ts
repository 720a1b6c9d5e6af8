import { inject } from 'vitest'
import { createStoreDatabase } from '../../testing/postgresServer.ts'
import { describeDeskPlans } from '../../testing/store/deskPlansSuite.ts'
import { openPostgres } from './postgresStore.ts'

describeDeskPlans({
  open: async () => openPostgres(await createStoreDatabase(inject('postgres'))),
  numbers: count => `generate_series(1, ${count}) AS n`,
  collectStatistics: true,
  explain: 'EXPLAIN',
  scans: /Seq Scan on conversations/,
})
