import { inject } from 'vitest'
import { createPostgresStore } from '../store/postgres/postgresStore.ts'
import { describePersonalReads } from '../testing/personalReadsSuite.ts'
import { createStoreDatabase } from '../testing/postgresServer.ts'

describePersonalReads("a visitor's reads, on PostgreSQL", async () =>
  createPostgresStore({ url: await createStoreDatabase(inject('postgres')) }),
)
