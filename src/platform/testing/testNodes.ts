import { onTestFinished } from 'vitest'
import type { Platform, PlatformOptions } from '../platform.ts'
import { createPostgresStore } from '../store/postgres/postgresStore.ts'
import { createStoreDatabase } from './postgresServer.ts'
import { createTestBot, createTestTenants, type TestBot, type TestTenants } from './testTenants.ts'

/** Three nodes of one deployment in one process, without a bus. */
export interface TestNodes {
  /** URL of the database. */
  database: string
  /** The test tenants on the first node. */
  tenants: TestTenants
  nodes: Platform[]
  /** Calls a node, by its number, for the first organization's bot. */
  call(node: number, ...request: Parameters<TestBot['call']>): Promise<Response>
}

/** Starts three nodes on a new database. They are closed when the test has finished. */
export async function startNodes(
  server: string,
  options: Pick<PlatformOptions, 'rateLimit' | 'responder'> = {},
): Promise<TestNodes> {
  const database = await createStoreDatabase(server)
  const open = async () => {
    const store = await createPostgresStore({ url: database })
    onTestFinished(store.close)
    return store
  }
  const tenants = await createTestTenants({ ...options, store: await open() })
  const more = [await open(), await open()].map(store => tenants.addNode({ ...options, store }))
  const nodes = [tenants.platform, ...more]
  const { bot, organizationToken } = tenants.ours
  const bots = nodes.map(node => createTestBot(node, bot, organizationToken))
  return {
    ...{ database, tenants, nodes },
    call(node, method, path, options = {}) {
      // Whoever sends a message has no address, so that the limits of addresses don't count it.
      const address = options.json === undefined ? { address: '203.0.113.9' } : {}
      return (bots[node % bots.length] ?? tenants.ours).call(method, path, { ...address, ...options })
    },
  }
}
