import { inject } from 'vitest'
import { createPostgresStore } from '../store/postgres/postgresStore.ts'
import { describeManyAtOnce } from '../testing/concurrencySuite.ts'
import { createDatabase } from '../testing/postgresServer.ts'

describeManyAtOnce('many at once, on PostgreSQL', async () =>
  createPostgresStore({ url: await createDatabase(inject('postgres')) }),
)
