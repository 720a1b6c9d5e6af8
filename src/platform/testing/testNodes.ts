import { onTestFinished } from 'vitest'
import type { Platform, PlatformOptions } from '../platform.ts'
import { createPostgresStore } from '../store/postgres/postgresStore.ts'
import type { Store } from '../store/store.ts'
import { createStoreDatabase } from './postgresServer.ts'
import { createTestBot, createTestTenants, type TestBot, type TestTenants } from './testTenants.ts'

/** Three nodes of one deployment in one process, without a bus unless there is one in the options. */
export interface TestNodes {
  /** URL of the database. */
  database: string
  /** The test tenants on the first node. */
  tenants: TestTenants
  nodes: Platform[]
  /** The store of each node. */
  stores: [Store, Store, Store]
  /** Calls a node, by its number, for the first organization's bot. */
  call(node: number, ...request: Parameters<TestBot['call']>): Promise<Response>
}

/** Starts three nodes on a new database. They are closed when the test has finished. */
export async function startNodes(
  server: string,
  options: Pick<PlatformOptions, 'bus' | 'limits' | 'rateLimit' | 'responder'> = {},
): Promise<TestNodes> {
  const database = await createStoreDatabase(server)
  const open = async () => {
    const store = await createPostgresStore({ url: database })
    onTestFinished(store.close)
    return store
  }
  const stores: TestNodes['stores'] = [await open(), await open(), await open()]
  const [store, ...others] = stores
  const tenants = await createTestTenants({ ...options, store })
  const more = others.map(other => tenants.addNode({ ...options, store: other }))
  const nodes = [tenants.platform, ...more]
  const { bot, organizationToken } = tenants.ours
  const bots = nodes.map(node => createTestBot(node, bot, organizationToken))
  return {
    ...{ database, tenants, nodes, stores },
    call(node, method, path, options = {}) {
      // Whoever sends a message has no address, so that the limits of addresses don't count it.
      const address = options.json === undefined && options.body === undefined ? { address: '203.0.113.9' } : {}
      return (bots[node % bots.length] ?? tenants.ours).call(method, path, { ...address, ...options })
    },
  }
}
