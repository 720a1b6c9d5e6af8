import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { createCast, outcomeOf } from './fixtures.ts'
import type { Connection } from './middleware/exchange.ts'
import { createPlatform, type Platform } from './platform.ts'
import { createPostgresStore } from './store/postgres/postgresStore.ts'
import { createDatabase, execute } from './store/postgres/testingPostgres.ts'
import type { Store } from './store/store.ts'

const server = inject('postgres')
const minute = 60_000

/** Three nodes on one PostgreSQL. */
async function startNodes(rateLimit: number) {
  const database = await createDatabase(server)
  const stores = await Promise.all([1, 2, 3].map(() => createPostgresStore({ url: database })))
  const [store, ...otherStores] = stores as [Store, ...Store[]]
  const cast = await createCast({ store, rateLimit })
  const others = otherStores.map(other => createPlatform({ store: other, clock: cast.clock, rateLimit }))
  const nodes: Platform[] = [cast.platform, ...others]
  onTestFinished(async () => {
    for (const node of nodes) await node.close()
    for (const each of stores) await each.close()
  })

  /** Asks so often at the same moment, one node after the other; how often each came of it. */
  async function ask(count: number, method: string, path: string, token: string): Promise<Record<string, number>> {
    const url = `http://natter.test/v1/bots/${cast.ours.bot.id}${path}`
    const headers = token ? { authorization: `Bearer ${token}` } : {}
    const answers = await Promise.all(
      Array.from({ length: count }, (_, n) =>
        (nodes[n % nodes.length] ?? cast.platform).fetch(new Request(url, { method, headers }), visitor),
      ),
    )
    const outcomes: Record<string, number> = {}
    for (const answer of answers) {
      const outcome = await outcomeOf(answer)
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
    }
    return outcomes
  }

  async function passWindow(): Promise<void> {
    await execute(database, `UPDATE permits SET ends_at = clock_timestamp() - interval '1 ms'`)
    cast.clock.advance(minute)
  }
  return { cast, store, nodes, ask, passWindow }
}
const visitor: Connection = {
  incoming: { headers: {}, socket: { remoteAddress: '203.0.113.9' }, on: () => {}, pause: () => {} },
}
const unknown = `c:${'0'.repeat(64)}`

describe('rate limits of three nodes on one PostgreSQL', { timeout: 60_000 }, () => {
  it('let through exactly what one node would, in each window anew', async () => {
    const { cast, ask, passWindow } = await startNodes(100)
    const { organizationToken } = cast.ours
    const session = await cast.ours.visitorToken()
    for (let window = 1; window <= 2; window++) {
      expect(await ask(160, 'POST', '/contacts', organizationToken)).toEqual({ 200: 100, '429 rate_limited': 60 })
      expect(await ask(180, 'GET', '/widget/session', session)).toEqual({ 200: 120, '429 rate_limited': 60 })
      expect(await ask(60, 'POST', '/widget/sessions', '')).toEqual({ 201: 30, '429 rate_limited': 30 })
      expect(await ask(30, 'GET', '/widget/session', unknown)).toEqual({ '401 unauthorized': 30 })
      expect(await ask(30, 'POST', '/contacts', 'no token at all')).toEqual({ '429 rate_limited': 30 })
      await passWindow()
    }
  })

  it('say the same on every node, and mostly without asking the store', async () => {
    const { cast, store, nodes, ask } = await startNodes(3600)
    const { takePermits } = store
    let taken = 0
    store.takePermits = (...wanted) => {
      taken++
      return takePermits?.(...wanted) ?? Promise.reject()
    }
    const request = () =>
      new Request(`http://natter.test/v1/bots/${cast.ours.bot.id}/contacts`, {
        method: 'POST',
        headers: { authorization: `Bearer ${cast.ours.organizationToken}` },
      })
    const limitOf = async (node = cast.platform) => (await node.fetch(request())).headers.get('ratelimit')
    expect(await limitOf()).toMatch(/^"token";r=3599;t=(60|59)$/)
    for (let left = 3598; left > 3400; left--) expect(await limitOf()).toMatch(`"token";r=${left};t=`)
    expect(taken).toBe(1)
    // 225 are held by the first node, which this one can't know to be unused.
    expect(await limitOf(nodes[1])).toMatch('"token";r=3374;t=')
    await ask(3, 'POST', '/contacts', cast.ours.organizationToken)
    expect(taken).toBe(1)
  })
})
