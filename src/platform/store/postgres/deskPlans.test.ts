import { inject } from 'vitest'
import { createStoreDatabase } from '../../testing/postgresServer.ts'
import { describeDeskPlans } from '../../testing/store/deskPlansSuite.ts'
import { postgresDialect } from './dialect.ts'
import { openPostgres } from './postgresStore.ts'

describeDeskPlans({
  dialect: postgresDialect(),
  open: async () => openPostgres(await createStoreDatabase(inject('postgres'))),
  numbers: count => `generate_series(1, ${count}) AS n`,
  collectStatistics: true,
  explain: 'EXPLAIN',
  scans: /Seq Scan on (?:conversations|message_texts)/,
})
