import { inject } from 'vitest'
import { createPostgresStore } from '../store/postgres/postgresStore.ts'
import { describeConcurrency } from '../testing/concurrencySuite.ts'
import { createDatabase } from '../testing/postgresServer.ts'

describeConcurrency('many at once, on PostgreSQL', async () =>
  createPostgresStore({ url: await createDatabase(inject('postgres')) }),
)
