import { inject } from 'vitest'
import { createPostgresStore } from '../store/postgres/postgresStore.ts'
import { describeKilledUploads } from '../testing/killedUploadsSuite.ts'
import { createStoreDatabase, execute } from '../testing/postgresServer.ts'

describeKilledUploads('a server that is killed, on PostgreSQL', async () => {
  const address = await createStoreDatabase(inject('postgres'))
  return {
    address,
    query: sql => execute(address, sql),
    openStore: () => createPostgresStore({ url: address }),
  }
})
