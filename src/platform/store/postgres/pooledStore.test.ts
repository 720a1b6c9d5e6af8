import { inject } from 'vitest'
import { createDatabase } from '../../testing/postgresServer.ts'
import { describeStore } from '../../testing/store/storeSuite.ts'
import { createPostgresStore } from './postgresStore.ts'

describeStore('createPostgresStore as it is behind a proxy that pools transactions', async () =>
  createPostgresStore({ url: `${await createDatabase(inject('postgres'))}?pooler=transaction` }),
)
