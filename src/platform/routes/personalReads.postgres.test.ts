import { inject } from 'vitest'
import { createPostgresStore } from '../store/postgres/postgresStore.ts'
import { createDatabase } from '../store/postgres/testingPostgres.ts'
import { describePersonalReads } from '../testing/personalReadsSuite.ts'

describePersonalReads("a visitor's reads, on PostgreSQL", async () =>
  createPostgresStore({ url: await createDatabase(inject('postgres')) }),
)
