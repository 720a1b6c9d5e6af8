import { expect, inject, it } from 'vitest'
import { createPostgresStore } from '../store/postgres/postgresStore.ts'
import { describeConcurrency } from '../testing/concurrencySuite.ts'
import { countDeadlocks, createStoreDatabase } from '../testing/postgresServer.ts'

const urls: string[] = []

describeConcurrency('many at once, on PostgreSQL', async () => {
  const url = await createStoreDatabase(inject('postgres'))
  urls.push(url)
  return createPostgresStore({ url })
})

it('many at once have caused no deadlock', async () => {
  for (const url of urls) expect(await countDeadlocks(url)).toBe(0)
})
