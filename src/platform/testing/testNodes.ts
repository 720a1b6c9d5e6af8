import { onTestFinished } from 'vitest'
import type { Connection } from '../http/connection.ts'
import { createPlatform, type Platform, type PlatformOptions } from '../platform.ts'
import { createPostgresStore } from '../store/postgres/postgresStore.ts'
import type { Store } from '../store/store.ts'
import { createStoreDatabase } from './postgresServer.ts'
import { type CallOptions, createTestTenants, type TestTenants } from './testTenants.ts'
import { withOpenapiChecks } from './withOpenapiChecks.ts'

/** Three nodes of one deployment in one process, without a bus. */
export interface TestNodes {
  /** URL of the database. */
  database: string
  /** The test tenants on the first node. */
  tenants: TestTenants
  nodes: Platform[]
  /** Calls a node, by its number, for the first organization's bot. */
  call(node: number, method: string, path: string, options?: CallOptions): Promise<Response>
}

/** Client address of the requests. */
const visitor: Connection = {
  incoming: { headers: {}, socket: { remoteAddress: '203.0.113.9' } },
}

/** Starts three nodes on a new database. */
export async function startNodes(
  server: string,
  options: Pick<PlatformOptions, 'rateLimit' | 'responder'> = {},
): Promise<TestNodes> {
  const database = await createStoreDatabase(server)
  const stores = await Promise.all([1, 2, 3].map(() => createPostgresStore({ url: database })))
  const [store, ...others] = stores as [Store, ...Store[]]
  const tenants = await createTestTenants({ ...options, store })
  const { clock, ours, platform } = tenants
  const more = others.map(other => withOpenapiChecks(createPlatform({ rateLimit: 0, ...options, store: other, clock })))
  const nodes = [platform, ...more]
  onTestFinished(async () => {
    for (const node of nodes) await node.close()
    for (const each of stores) await each.close()
  })
  return {
    ...{ database, tenants, nodes },
    call(node, method, path, { token = ours.organizationToken, json, headers = {} } = {}) {
      const request = new Request(`http://natter.test/v1/bots/${ours.bot.id}${path}`, {
        method,
        headers: {
          ...(token && { authorization: `Bearer ${token}` }),
          ...(json !== undefined && { 'content-type': 'application/json' }),
          ...headers,
        },
        body: json === undefined ? null : JSON.stringify(json),
      })
      return (nodes[node % nodes.length] ?? platform).fetch(request, json === undefined ? visitor : {})
    },
  }
}
