import { inject } from 'vitest'
import { createPostgresStore } from '../store/postgres/postgresStore.ts'
import { describeOutgoing } from '../testing/outgoingSuite.ts'
import { createStoreDatabase } from '../testing/postgresServer.ts'

describeOutgoing('what the platform calls, on PostgreSQL', async () =>
  createPostgresStore({ url: await createStoreDatabase(inject('postgres')) }),
)
