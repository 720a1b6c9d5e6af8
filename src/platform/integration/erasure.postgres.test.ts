import { inject } from 'vitest'
import { createPostgresStore } from '../store/postgres/postgresStore.ts'
import { describeErasure } from '../testing/erasureSuite.ts'
import { createStoreDatabase, execute } from '../testing/postgresServer.ts'

describeErasure('erasure, on PostgreSQL', async () => {
  const url = await createStoreDatabase(inject('postgres'))
  const store = await createPostgresStore({ url })
  return { store, readKeys: () => execute(url, 'SELECT * FROM idempotency') }
})
