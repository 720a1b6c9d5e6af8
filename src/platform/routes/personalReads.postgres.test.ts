import { inject } from 'vitest'
import { createPostgresStore } from '../store/postgres/postgresStore.ts'
import { describePersonalReads } from '../testing/personalReadsSuite.ts'
import { createDatabase } from '../testing/postgresServer.ts'

describePersonalReads("a visitor's reads, on PostgreSQL", async () =>
  createPostgresStore({ url: await createDatabase(inject('postgres')) }),
)
