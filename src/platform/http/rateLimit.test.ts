import { describe, expect, it, vi } from 'vitest'
import { issueOrganizationToken } from '../domain/organizations.ts'
import { createTestTenants, outcomeOf, readEvents, type TestBot, type TestTenants } from '../testing/testTenants.ts'
import { defaultSessionLimits } from './sessionLimits.ts'

const limitsOf = ({ headers }: Response) => ({
  policy: headers.get('ratelimit-policy'),
  limit: headers.get('ratelimit'),
  retryAfter: headers.get('retry-after'),
})
const address = '203.0.113.9'
const unknown = `c:${'0'.repeat(64)}`
const attempt = ({ ours }: Pick<TestTenants, 'ours'>, method: string, path: string, token: string, from = address) =>
  ours.call(method, path, { token, address: from })

describe('rate limits', () => {
  it('allow a limited number of requests per minute and organization token, and report what remains and when to retry', async () => {
    const { ours, sibling, otherOrganization, store, clock } = await createTestTenants({ rateLimit: 3 })
    const search = () => ours.call('POST', '/contacts')
    const policy = '"token";q=3;w=60'
    expect(limitsOf(await search())).toEqual({ policy, limit: '"token";r=2;t=60', retryAfter: null })
    clock.advance(15_500)
    expect(limitsOf(await search())).toEqual({ policy, limit: '"token";r=1;t=45', retryAfter: null })
    // A refused request counts too and is reported.
    const refused = await ours.call('PUT', '/contacts', { json: {} })
    expect([refused.status, limitsOf(refused).limit]).toEqual([400, '"token";r=0;t=45'])
    const limited = await search()
    expect(limitsOf(limited)).toEqual({ policy, limit: '"token";r=0;t=45', retryAfter: '45' })
    expect(await outcomeOf(limited)).toBe('429 rate_limited')

    // The organization's other bot has the same token. Another token is counted separately.
    expect((await sibling.call('POST', '/contacts')).status).toBe(429)
    const token = await issueOrganizationToken(store, ours.bot.organizationId, { clock })
    expect((await ours.call('POST', '/contacts', { token })).status).toBe(200)
    expect((await otherOrganization.call('POST', '/contacts')).status).toBe(200)
    clock.advance(44_500)
    expect((await search()).status).toBe(200)
  })

  it.each([
    ['GET', '/widget/events'],
    ['POST', '/widget/events/stream'],
  ])(
    'allow 120 requests per minute and contact or visitor token; opening a stream by %s counts as one',
    async (...open) => {
      const json = open[0] === 'POST' ? { nonce: 'mZk3xT0qVb8Lr2Nw6YcPdA' } : undefined
      const { ours } = await createTestTenants({ rateLimit: 3600 })
      const { id } = await ours.createContact()
      for (const token of [await ours.contactToken(id), await ours.visitorToken()]) {
        const events = readEvents(await ours.call(...open, { token, json }))
        for (let times = 2; times <= 119; times += 1) await ours.call('GET', '/widget/session', { token })
        await ours.send(token, 'a message is no request of its own in the stream')
        await events.nextOf('message')
        const limited = await ours.call(...open, { token, json })
        const [policy, limit] = ['"session";q=120;w=60', '"session";r=0;t=60']
        expect(limitsOf(limited)).toEqual({ policy, limit, retryAfter: '60' })
        expect(await outcomeOf(limited)).toBe('429 rate_limited')
        await events.cancel()
      }
      const other = await ours.visitorToken()
      expect((await ours.call('GET', '/widget/session', { token: other })).status).toBe(200)
    },
  )

  it.each([
    { most: 300, limits: {} },
    { most: 30, limits: { addressSessionsPerMinute: 30 } },
  ])(
    'let $most people of one network begin an anonymous session in a minute with $limits',
    async ({ most, limits }) => {
      const tenants = await createTestTenants({ rateLimit: 3600, limits })
      const begin = (from: string) => attempt(tenants, 'POST', '/widget/sessions', '', from)
      // An IPv6 address counts by its network.
      for (let times = 0; times < most; times++) expect((await begin(`2001:db8::${times}`)).status).toBe(201)
      const limited = await begin('2001:db8::ffff')
      expect([limited.status, limitsOf(limited).policy]).toEqual([429, `"sessions";q=${most};w=60`])
      expect((await begin('2001:db8:0:1::1')).status).toBe(201)
      tenants.clock.advance(60_000)
      expect((await begin('2001:db8::1')).status).toBe(201)
    },
  )

  it('allow a limited number of new anonymous sessions per minute and bot, whatever their addresses', async () => {
    const tenants = await createTestTenants({ rateLimit: 3600, limits: { sessionsPerMinute: 3 } })
    await tenants.store.updateBot(tenants.sibling.bot.id, { limits: { sessionsPerMinute: 1 } })
    let host = 0
    const begin = async (count: number, { call }: TestBot) => {
      const outcomes: string[] = []
      for (let time = 0; time < count; time++) {
        const options = { token: '', address: `203.0.113.${host++}` }
        outcomes.push(await outcomeOf(call('POST', '/widget/sessions', options)))
      }
      return outcomes
    }
    expect(await begin(4, tenants.ours)).toEqual(['201', '201', '201', '429 rate_limited'])
    expect(await begin(2, tenants.sibling)).toEqual(['201', '429 rate_limited'])
    expect(await begin(1, tenants.otherOrganization)).toEqual(['201'])
    tenants.clock.advance(60_000)
    expect(await begin(1, tenants.ours)).toEqual(['201'])
  })

  it('look few tokens up at a time for an address that has failed 300 times in a minute, and drop what waits too long', async () => {
    const tenants = await createTestTenants({ rateLimit: 3600 })
    const { ours, store } = tenants
    const guess = (count: number) =>
      attempt(tenants, 'POST', '/contacts', `c:${String(count).padStart(64, '0')}`).then(outcomeOf)
    for (let count = 0; count < 300; count++) expect(await guess(count)).toBe('401 unauthorized')
    const known = await ours.visitorToken()
    await ours.call('GET', '/widget/session', { token: known })
    const unseen = await ours.visitorToken()
    const { findSession } = store
    let running = 0
    let most = 0
    let lookedUp = 0
    store.findSession = async hash => {
      lookedUp++
      most = Math.max(most, ++running)
      for (let round = 0; round < 10; round++) await new Promise(setImmediate)
      running--
      return findSession(hash)
    }
    const guesses = Array.from({ length: 500 }, (_, count) => guess(300 + count))
    const session = async (token: string) => outcomeOf(attempt(tenants, 'GET', '/widget/session', token))
    expect(await session(known)).toBe('200')
    expect(await Promise.all(guesses)).toEqual(Array(500).fill('429 rate_limited'))
    expect(most).toBeLessThanOrEqual(5)
    expect(lookedUp).toBeLessThan(200)
    expect(await session(unseen)).toBe('200')
    expect(await session('no token')).toBe('429 rate_limited')
  })

  it('let every valid token pass, though others of its address fail to authenticate', async () => {
    const tenants = await createTestTenants({ rateLimit: 3600 })
    const { ours, clock } = tenants
    const visitor = await ours.visitorToken()
    const ended = await ours.visitorToken()
    await ours.call('DELETE', '/widget/session', { token: ended })
    const search = async (token: string, from?: string) => outcomeOf(attempt(tenants, 'POST', '/contacts', token, from))
    const session = async (token: string) => outcomeOf(attempt(tenants, 'GET', '/widget/session', token))
    await session(visitor)
    await search(ours.organizationToken)
    // Neither counts as a guess.
    expect(await search(visitor)).toBe('403 insufficient_scope')
    expect(await session(ended)).toBe('401 token_revoked')
    for (let times = 1; times <= 150; times += 1)
      expect([await search(unknown), await session(unknown)]).toEqual(['401 unauthorized', '401 unauthorized'])
    expect([await search(unknown), await session('')]).toEqual(['429 rate_limited', '429 rate_limited'])
    expect(limitsOf(await attempt(tenants, 'GET', '/widget/events', unknown)).retryAfter).toBe('60')
    expect([await search(ours.organizationToken), await session(visitor)]).toEqual(['200', '200'])
    const fresh = await ours.visitorToken()
    expect(await session(fresh)).toBe('200')
    expect(await search(unknown, '203.0.113.10')).toBe('401 unauthorized')
    clock.advance(60_000)
    expect([await session(fresh), await search(unknown)]).toEqual(['200', '401 unauthorized'])
  })

  it.each([
    { method: 'POST', path: '/contacts', refusal: '403 insufficient_scope', isOpen: true },
    { method: 'GET', path: '/widget/session', refusal: '401 token_revoked', isOpen: false },
  ])('refuse $method $path after 120 times $refusal with one token', async ({ method, path, refusal, isOpen }) => {
    const { ours, store, clock } = await createTestTenants({ rateLimit: 3600 })
    const token = await ours.visitorToken()
    if (!isOpen) await ours.call('DELETE', '/widget/session', { token })
    const lookUps = vi.spyOn(store, 'findSession')
    const misuse = () => ours.call(method, path, { token })
    for (let times = 1; times <= 120; times += 1) {
      const refused = await misuse()
      expect(limitsOf(refused).limit).toBeNull()
      expect(await outcomeOf(refused)).toBe(refusal)
    }
    const limited = await misuse()
    expect(limitsOf(limited).retryAfter).toBe('60')
    expect(await outcomeOf(limited)).toBe('429 rate_limited')
    expect(lookUps).toHaveBeenCalledTimes(120)
    // Another token is counted by itself.
    expect((await ours.call('POST', '/contacts')).status).toBe(200)
    clock.advance(60_000)
    expect(await outcomeOf(misuse())).toBe(refusal)
  })

  it('are all disabled with 0', async () => {
    const tenants = await createTestTenants({ rateLimit: 0 })
    const { ours } = tenants
    const token = await ours.visitorToken()
    for (let times = 1; times <= 130; times += 1)
      expect((await ours.call('GET', '/widget/session', { token })).status).toBe(200)
    for (let times = 1; times <= 40; times += 1) {
      expect((await attempt(tenants, 'POST', '/contacts', unknown, '::1')).status).toBe(401)
      expect((await attempt(tenants, 'POST', '/widget/sessions', '', '::1')).status).toBe(201)
    }
    const response = await ours.call('POST', '/contacts')
    expect(limitsOf(response)).toEqual({ policy: null, limit: null, retryAfter: null })
  })
})

describe('the limit of look-ups without a token', () => {
  /** So few that a test can exceed them. */
  async function start() {
    const tenants = await createTestTenants({ rateLimit: 3600, limits: { addressLookUpsPerMinute: 30 } })
    return { ...tenants, lookUps: vi.spyOn(tenants.store, 'findBot') }
  }

  it('keeps requests from the store after so many of an address in a minute, 3000 by default', async () => {
    expect(defaultSessionLimits.addressLookUpsPerMinute).toBe(3000)
    const { lookUps, ...tenants } = await start()
    const face = (from?: string) => attempt(tenants, 'GET', '/widget', '', from)
    for (let count = 0; count < 29; count++) await face()
    const cached = await face()
    expect([cached.status, limitsOf(cached).limit]).toEqual([200, null])
    const headers = { origin: 'https://shop.example' }
    const limited = await tenants.ours.call('GET', '/widget', { token: '', address, headers })
    const [policy, limit] = ['"look-ups";q=30;w=60', '"look-ups";r=0;t=60']
    expect(limitsOf(limited)).toEqual({ policy, limit, retryAfter: '60' })
    // A page can read why.
    expect(limited.headers.get('access-control-allow-origin')).toBe('*')
    expect(await outcomeOf(limited)).toBe('429 rate_limited')
    expect(lookUps).toHaveBeenCalledTimes(30)
    expect((await face('203.0.113.10')).status).toBe(200)
    const token = await tenants.ours.visitorToken()
    expect((await attempt(tenants, 'GET', '/widget/session', token)).status).toBe(200)
    tenants.clock.advance(60_000)
    expect((await face()).status).toBe(200)
  })

  it.each<[string, string, string, Record<string, string>]>([
    ['look-ups', 'GET', '/widget', {}],
    ['look-ups', 'OPTIONS', '/widget/session', {}],
    ['refusals', 'GET', '/widget/session', { origin: 'https://evil.example', authorization: 'Bearer x' }],
    ['refusals', 'GET', '/widget/session', { authorization: 'Bearer a, Bearer b' }],
  ])('counts as %s what checks no token, though there is one: %s %s with %j', async (name, method, path, headers) => {
    const { ours, lookUps } = await start()
    const ask = () => ours.call(method, path, { token: unknown, address, headers })
    for (let count = 0; count < 30; count++) expect((await ask()).status).not.toBe(429)
    const response = await ask()
    expect([response.status, limitsOf(response).policy]).toEqual([429, `"${name}";q=30;w=60`])
    expect(lookUps).toHaveBeenCalledTimes(30)
  })
})
