import { inject } from 'vitest'
import { describeStore } from '../storeSuite.ts'
import { createPostgresStore } from './postgresStore.ts'
import { createDatabase } from './testingPostgres.ts'

describeStore('createPostgresStore as it is behind a proxy that pools transactions', async () =>
  createPostgresStore({ url: `${await createDatabase(inject('postgres'))}?pooler=transaction` }),
)
