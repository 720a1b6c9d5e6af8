import { describe, expect, it } from 'vitest'
import { issueOrganizationToken } from '../domain/organizations.ts'
import { createSqliteStore } from '../store/sqlite/sqliteStore.ts'
import { StoreUnavailableError } from '../store/store.ts'
import { createTestTenants, outcomeOf, readEvents, type TestTenants } from '../testing/testTenants.ts'
import type { Connection } from './connection.ts'

const limitsOf = ({ headers }: Response) => ({
  policy: headers.get('ratelimit-policy'),
  limit: headers.get('ratelimit'),
  retryAfter: headers.get('retry-after'),
})
const from = (remoteAddress: string): Connection => ({
  incoming: { headers: {}, socket: { remoteAddress }, on: () => {}, pause: () => {} },
})
const attempt = (tenants: TestTenants, method: string, path: string, token: string, address: string) =>
  tenants.platform.fetch(
    new Request(`http://natter.test/v1/bots/${tenants.ours.bot.id}${path}`, {
      method,
      headers: token ? { authorization: `Bearer ${token}` } : {},
    }),
    from(address),
  )
const unknown = `c:${'0'.repeat(64)}`

describe('rate limits (decisions 1)', () => {
  it('let an organization token ask so often a minute, say how often still, and when again', async () => {
    const tenants = await createTestTenants({ rateLimit: 3 })
    const search = () => tenants.ours.call('POST', '/contacts')
    const policy = '"token";q=3;w=60'
    expect(limitsOf(await search())).toEqual({ policy, limit: '"token";r=2;t=60', retryAfter: null })
    tenants.clock.advance(15_500)
    expect(limitsOf(await search())).toEqual({ policy, limit: '"token";r=1;t=45', retryAfter: null })
    // A refused request counts too, and says so.
    const refused = await tenants.ours.call('PUT', '/contacts', { json: {} })
    expect([refused.status, limitsOf(refused).limit]).toEqual([400, '"token";r=0;t=45'])
    const limited = await search()
    expect(limitsOf(limited)).toEqual({ policy, limit: '"token";r=0;t=45', retryAfter: '45' })
    expect(await outcomeOf(limited)).toBe('429 rate_limited')

    // The organization's other bot has the same token; another token has a count of its own.
    expect((await tenants.sibling.call('POST', '/contacts')).status).toBe(429)
    const token = await issueOrganizationToken(tenants.store, tenants.ours.bot.organizationId, { clock: tenants.clock })
    expect((await tenants.ours.call('POST', '/contacts', { token })).status).toBe(200)
    expect((await tenants.otherOrganization.call('POST', '/contacts')).status).toBe(200)
    tenants.clock.advance(44_500)
    expect((await search()).status).toBe(200)
    await tenants.close()
  })

  it.each([
    ['GET', '/widget/events'],
    ['POST', '/widget/events/stream'],
  ])(
    'let a contact or visitor token ask 120 times a minute, the opening of a stream by %s being once',
    async (...open) => {
      const json = open[0] === 'POST' ? { nonce: 'mZk3xT0qVb8Lr2Nw6YcPdA' } : undefined
      const tenants = await createTestTenants({ rateLimit: 3600 })
      const { id } = await tenants.ours.createContact()
      for (const token of [await tenants.ours.contactToken(id), await tenants.ours.visitorToken()]) {
        const events = readEvents(await tenants.ours.call(...open, { token, json }))
        for (let times = 2; times <= 119; times += 1) await tenants.ours.call('GET', '/widget/session', { token })
        await tenants.ours.send(token, 'a message is no request of its own in the stream')
        await events.nextOf('message')
        const limited = await tenants.ours.call(...open, { token, json })
        expect(limitsOf(limited)).toEqual({
          policy: '"session";q=120;w=60',
          limit: '"session";r=0;t=60',
          retryAfter: '60',
        })
        expect(await outcomeOf(limited)).toBe('429 rate_limited')
        await events.cancel()
      }
      const other = await tenants.ours.visitorToken()
      expect((await tenants.ours.call('GET', '/widget/session', { token: other })).status).toBe(200)
      await tenants.close()
    },
  )

  it('let an address begin 30 anonymous sessions a minute', async () => {
    const tenants = await createTestTenants({ rateLimit: 3600 })
    const begin = (address: string) => attempt(tenants, 'POST', '/widget/sessions', '', address)
    for (let times = 1; times <= 30; times += 1) expect((await begin('2001:db8::1')).status).toBe(201)
    // The same network, whatever the rest of the address.
    const limited = await begin('2001:db8::ffff')
    expect(limitsOf(limited).policy).toBe('"sessions";q=30;w=60')
    expect(await outcomeOf(limited)).toBe('429 rate_limited')
    expect((await begin('2001:db8:0:1::1')).status).toBe(201)
    tenants.clock.advance(60_000)
    expect((await begin('2001:db8::1')).status).toBe(201)
    await tenants.close()
  })

  it('slow whoever fails to authenticate 30 times a minute, and never a valid token', async () => {
    const tenants = await createTestTenants({ rateLimit: 3600 })
    const address = '203.0.113.9'
    const visitor = await tenants.ours.visitorToken()
    const ended = await tenants.ours.visitorToken()
    await tenants.ours.call('DELETE', '/widget/session', { token: ended })
    const outcome = async (method: string, path: string, token: string, at = address) =>
      outcomeOf(await attempt(tenants, method, path, token, at))
    for (let times = 1; times <= 15; times += 1) {
      expect(await outcome('POST', '/contacts', unknown)).toBe('401 unauthorized')
      expect(await outcome('GET', '/widget/session', unknown)).toBe('401 unauthorized')
    }
    expect(await outcome('POST', '/contacts', unknown)).toBe('429 rate_limited')
    expect(await outcome('GET', '/widget/session', '')).toBe('429 rate_limited')
    expect(limitsOf(await attempt(tenants, 'GET', '/widget/events', unknown, address)).retryAfter).toBe('60')
    expect(await outcome('POST', '/contacts', tenants.ours.organizationToken)).toBe('200')
    expect(await outcome('GET', '/widget/session', visitor)).toBe('200')
    // Neither is a guess.
    expect(await outcome('POST', '/contacts', visitor)).toBe('403 insufficient_scope')
    expect(await outcome('GET', '/widget/session', ended)).toBe('401 token_revoked')
    expect(await outcome('POST', '/contacts', unknown, '203.0.113.10')).toBe('401 unauthorized')
    tenants.clock.advance(60_000)
    expect(await outcome('POST', '/contacts', unknown)).toBe('401 unauthorized')
    await tenants.close()
  })

  it('are all off with 0', async () => {
    const tenants = await createTestTenants({ rateLimit: 0 })
    const token = await tenants.ours.visitorToken()
    for (let times = 1; times <= 130; times += 1)
      expect((await tenants.ours.call('GET', '/widget/session', { token })).status).toBe(200)
    for (let times = 1; times <= 40; times += 1) {
      expect((await attempt(tenants, 'POST', '/contacts', unknown, '::1')).status).toBe(401)
      expect((await attempt(tenants, 'POST', '/widget/sessions', '', '::1')).status).toBe(201)
    }
    const response = await tenants.ours.call('POST', '/contacts')
    expect(limitsOf(response)).toEqual({ policy: null, limit: null, retryAfter: null })
    await tenants.close()
  })

  it('let nobody by, and nobody guess, while the store that nodes count by does not answer', async () => {
    const store = await createSqliteStore({ file: ':memory:' })
    const granting = async () => ({ granted: 1, left: 9, resetMs: 60_000 })
    const failing = async () => Promise.reject(new StoreUnavailableError('as asked'))
    store.consumeQuota = granting
    const tenants = await createTestTenants({ store, rateLimit: 3600 })
    const visitor = await tenants.ours.visitorToken()
    store.consumeQuota = failing
    const outcome = async (method: string, path: string, token: string) =>
      outcomeOf(await attempt(tenants, method, path, token, '203.0.113.9'))
    const ask = async () => [
      await outcome('POST', '/contacts', unknown),
      await outcome('GET', '/widget/session', 'no token at all'),
      await outcome('POST', '/contacts', tenants.ours.organizationToken),
      await outcome('GET', '/widget/session', visitor),
      await outcome('POST', '/widget/sessions', ''),
    ]
    expect(await ask()).toEqual(Array(5).fill('503 unavailable'))
    store.consumeQuota = granting
    expect(await ask()).toEqual(['401 unauthorized', '401 unauthorized', '200', '200', '201'])
    await tenants.close()
  })

  it('answer 429 where too many long searches of an organization wait', async () => {
    const tenants = await createTestTenants()
    tenants.store.searchContacts = () => Promise.reject(Object.assign(new Error('busy'), { name: 'StoreBusyError' }))
    const response = await tenants.ours.call('POST', '/contacts')
    expect(response.headers.get('retry-after')).toBe('1')
    expect(await outcomeOf(response)).toBe('429 rate_limited')
    await tenants.close()
  })
})
