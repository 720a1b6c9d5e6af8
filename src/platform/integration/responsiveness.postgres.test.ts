import { inject } from 'vitest'
import { createPostgresStore } from '../store/postgres/postgresStore.ts'
import { createStoreDatabase } from '../testing/postgresServer.ts'
import { describeResponsiveness } from '../testing/responsivenessSuite.ts'

describeResponsiveness('a platform on PostgreSQL', async () =>
  createPostgresStore({ url: await createStoreDatabase(inject('postgres')) }),
)
