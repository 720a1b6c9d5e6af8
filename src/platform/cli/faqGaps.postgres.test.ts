import { inject } from 'vitest'
import { createPostgresStore } from '../store/postgres/postgresStore.ts'
import { describeFaqGaps } from '../testing/faqGapsSuite.ts'
import { createStoreDatabase } from '../testing/postgresServer.ts'

describeFaqGaps('questions without an answer, on PostgreSQL', async () =>
  createPostgresStore({ url: await createStoreDatabase(inject('postgres')) }),
)
