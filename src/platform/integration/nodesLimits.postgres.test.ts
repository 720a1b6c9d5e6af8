import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { describe, expect, inject, it } from 'vitest'
import { defaultTurnLimits } from '../domain/turnLimits.ts'
import { countLockWaits, execute } from '../testing/postgresServer.ts'
import { startNodes } from '../testing/testNodes.ts'
import { outcomeOf } from '../testing/testTenants.ts'

const server = inject('postgres')
const minute = 60_000
const unknown = `c:${'0'.repeat(64)}`

describe('rate limits of three nodes on one PostgreSQL', { timeout: 60_000 }, () => {
  it('allow exactly as many requests as one node would, in each window', async () => {
    const { tenants, database, call } = await startNodes(server, { rateLimit: 100 })
    /** Sends that many requests at once, a third to each node. Counts the results. */
    async function ask(count: number, method: string, path: string, token: string): Promise<Record<string, number>> {
      const outcomes: Record<string, number> = {}
      const answers = Array.from({ length: count }, async (_, index) =>
        outcomeOf(await call(index, method, path, { token })),
      )
      for (const outcome of await Promise.all(answers)) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
      return outcomes
    }
    const { organizationToken } = tenants.ours
    const session = await tenants.ours.visitorToken()
    for (let window = 1; window <= 2; window++) {
      // Each node gets as many requests as there are permits, so that none has permits left that others need.
      expect(await ask(300, 'POST', '/contacts', organizationToken)).toEqual({ 200: 100, '429 rate_limited': 200 })
      expect(await ask(360, 'GET', '/widget/session', session)).toEqual({ 200: 120, '429 rate_limited': 240 })
      expect(await ask(900, 'POST', '/widget/sessions', '')).toEqual({ 201: 300, '429 rate_limited': 600 })
      expect(await ask(900, 'GET', '/widget/session', unknown)).toEqual({
        '401 unauthorized': 300,
        '429 rate_limited': 600,
      })
      expect(await ask(30, 'POST', '/contacts', 'no token at all')).toEqual({ '429 rate_limited': 30 })
      await execute(database, `UPDATE quotas SET ends_at = clock_timestamp() - interval '1 ms'`)
      tenants.clock.advance(minute)
    }
  })

  it("leave the platform's own work its connections while the rate limits of visitors cannot be counted", async () => {
    const { tenants, database, call, nodes } = await startNodes(server, { rateLimit: 3600 })
    const tokens = await Promise.all(Array.from({ length: 40 }, () => tenants.ours.visitorToken()))
    const locking = new Client({ connectionString: database })
    await locking.connect()
    await locking.query('BEGIN; LOCK TABLE quotas IN EXCLUSIVE MODE')
    const asked = tokens.map(token => call(0, 'GET', '/widget/session', { token }))
    await expect.poll(() => countLockWaits(database)).toBeGreaterThan(5)
    expect((await nodes[0]?.fetch(new Request('http://natter.test/readyz')))?.status).toBe(200)
    await locking.end()
    expect(await Promise.all((await Promise.all(asked)).map(outcomeOf))).toEqual(tokens.map(() => '200'))
  })

  it('return the same headers on every node, mostly without asking the store', async () => {
    const { tenants, call } = await startNodes(server, { rateLimit: 3600 })
    const { consumeQuota } = tenants.store
    let taken = 0
    tenants.store.consumeQuota = (...wanted) => {
      taken++
      return consumeQuota?.(...wanted) ?? Promise.reject(new Error('not shared'))
    }
    const limitOf = async (node: number) => (await call(node, 'POST', '/contacts')).headers.get('ratelimit')
    expect(await limitOf(0)).toMatch(/^"token";r=3599;t=(60|59)$/)
    for (let left = 3598; left > 3400; left--) expect(await limitOf(0)).toMatch(`"token";r=${left};t=`)
    expect(taken).toBe(1)
    // This node cannot know how many permits of the first node are unused.
    expect(await limitOf(1)).toMatch('"token";r=3374;t=')
    expect(await limitOf(0)).toMatch('"token";r=3400;t=')
    expect(taken).toBe(1)
  })

  it('allow a responder as many replies per minute as one node would', async () => {
    // No address is known here, so that none has more than its part.
    const ofAnonymous = (defaultTurnLimits.turnsPerMinute * 2) / 3
    const { tenants, database, call } = await startNodes(server, {
      rateLimit: 3600,
      responder: {
        async *answer() {
          yield { text: 'Yes?' }
        },
      },
    })
    const asking = Array.from({ length: ofAnonymous + 10 }, async (_, index) => {
      const token = await tenants.ours.visitorToken()
      await call(index, 'POST', '/widget/messages', { token, json: { id: randomUUID(), text: 'Hello?' } })
    })
    await Promise.all(asking)
    const answers = () =>
      execute(
        database,
        `SELECT author, count(*)::int AS count FROM messages WHERE author <> 'visitor' GROUP BY author ORDER BY author`,
      )
    const all = [
      { author: 'bot', count: ofAnonymous },
      { author: 'system', count: 10 },
    ]
    await expect.poll(answers, { timeout: 20_000 }).toEqual(all)
  })
})
