import { inject } from 'vitest'
import { createPostgresStore } from '../store/postgres/postgresStore.ts'
import { createDatabase } from '../testing/postgresServer.ts'
import { describeResponsiveness } from '../testing/responsivenessSuite.ts'

describeResponsiveness('a platform on PostgreSQL', async () =>
  createPostgresStore({ url: await createDatabase(inject('postgres')) }),
)
