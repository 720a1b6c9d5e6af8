import { inject } from 'vitest'
import { describeStore } from '../storeSuite.ts'
import { createPostgresStore } from './postgresStore.ts'
import { createDatabase } from './testingPostgres.ts'

const server = inject('postgres')

describeStore('createPostgresStore', async () => createPostgresStore({ url: await createDatabase(server) }))
describeStore('createPostgresStore behind a proxy', async () => {
  return createPostgresStore({ url: `${await createDatabase(server)}?pooler=transaction` })
})
