import { inject } from 'vitest'
import { describeManyAtOnce } from './concurrencySuite.ts'
import { createPostgresStore } from './store/postgres/postgresStore.ts'
import { createDatabase } from './store/postgres/testingPostgres.ts'

describeManyAtOnce('many at once, on PostgreSQL', async () =>
  createPostgresStore({ url: await createDatabase(inject('postgres')) }),
)
