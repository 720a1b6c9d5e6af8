import { expect, it } from 'vitest'
import { describeConcurrency } from '../testing/concurrencySuite.ts'
import { countDeadlocks } from '../testing/postgresServer.ts'
import { createPostgresDatabase } from '../testing/testDatabases.ts'

const urls: string[] = []

describeConcurrency('many at once, on PostgreSQL', async () => {
  const { address, openStore } = await createPostgresDatabase()
  urls.push(address)
  return openStore()
})

it('many at once have caused no deadlock', async () => {
  for (const url of urls) expect(await countDeadlocks(url)).toBe(0)
})
