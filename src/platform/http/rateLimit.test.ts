import { describe, expect, it } from 'vitest'
import { issueOrganizationToken } from '../domain/organizations.ts'
import { createTestTenants, outcomeOf, readEvents, type TestBot, type TestTenants } from '../testing/testTenants.ts'

const limitsOf = ({ headers }: Response) => ({
  policy: headers.get('ratelimit-policy'),
  limit: headers.get('ratelimit'),
  retryAfter: headers.get('retry-after'),
})
const attempt = ({ ours }: TestTenants, method: string, path: string, token: string, address: string) =>
  ours.call(method, path, { token, address })
const unknown = `c:${'0'.repeat(64)}`

describe('rate limits', () => {
  it('allow a limited number of requests per minute and organization token, and report what remains and when to retry', async () => {
    const tenants = await createTestTenants({ rateLimit: 3 })
    const search = () => tenants.ours.call('POST', '/contacts')
    const policy = '"token";q=3;w=60'
    expect(limitsOf(await search())).toEqual({ policy, limit: '"token";r=2;t=60', retryAfter: null })
    tenants.clock.advance(15_500)
    expect(limitsOf(await search())).toEqual({ policy, limit: '"token";r=1;t=45', retryAfter: null })
    // A refused request counts too and is reported.
    const refused = await tenants.ours.call('PUT', '/contacts', { json: {} })
    expect([refused.status, limitsOf(refused).limit]).toEqual([400, '"token";r=0;t=45'])
    const limited = await search()
    expect(limitsOf(limited)).toEqual({ policy, limit: '"token";r=0;t=45', retryAfter: '45' })
    expect(await outcomeOf(limited)).toBe('429 rate_limited')

    // The organization's other bot has the same token. Another token is counted separately.
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
    'allow 120 requests per minute and contact or visitor token; opening a stream by %s counts as one',
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

  it('count each earlier message of a request as a request', async () => {
    const tenants = await createTestTenants({ rateLimit: 3600 })
    const token = await tenants.ours.visitorToken()
    const message = () => ({ id: crypto.randomUUID(), text: 'Hello' })
    const send = () =>
      tenants.ours.call('POST', '/widget/messages', {
        token,
        json: { ...message(), earlier: Array.from({ length: 9 }, message) },
      })
    expect(limitsOf(await send()).limit).toBe('"session";r=110;t=60')
    for (let times = 1; times < 12; times++) expect((await send()).status).toBe(201)
    expect(await outcomeOf(await send())).toBe('429 rate_limited')
    await tenants.close()
  })

  it('let 300 people behind one address begin an anonymous session in a minute, or as many as is set', async () => {
    for (const most of [300, 30]) {
      const limits = most === 300 ? {} : { addressSessionsPerMinute: most }
      const tenants = await createTestTenants({ rateLimit: 3600, limits })
      const statuses: number[] = []
      for (let times = 0; times <= most; times++)
        statuses.push((await attempt(tenants, 'POST', '/widget/sessions', '', '203.0.113.9')).status)
      expect(statuses).toEqual([...Array(most).fill(201), 429])
      await tenants.close()
    }
  })

  it('allow a limited number of new anonymous sessions per minute and bot, whatever their addresses', async () => {
    const tenants = await createTestTenants({ rateLimit: 3600, limits: { sessionsPerMinute: 3 } })
    await tenants.store.updateBot(tenants.sibling.bot.id, { limits: { sessionsPerMinute: 1 } })
    let host = 0
    const begin = ({ call }: TestBot) =>
      call('POST', '/widget/sessions', { token: '', address: `203.0.113.${host++}` }).then(outcomeOf)
    const times = async (count: number, bot: TestBot) => {
      const outcomes: string[] = []
      for (let time = 0; time < count; time++) outcomes.push(await begin(bot))
      return outcomes
    }
    expect(await times(4, tenants.ours)).toEqual(['201', '201', '201', '429 rate_limited'])
    expect(await times(2, tenants.sibling)).toEqual(['201', '429 rate_limited'])
    expect(await times(1, tenants.otherOrganization)).toEqual(['201'])
    tenants.clock.advance(60_000)
    expect(await times(1, tenants.ours)).toEqual(['201'])
    await tenants.close()
  })

  it('count new anonymous sessions by the network of an IPv6 address', async () => {
    const tenants = await createTestTenants({ rateLimit: 3600, limits: { addressSessionsPerMinute: 3 } })
    const begin = (address: string) => attempt(tenants, 'POST', '/widget/sessions', '', address)
    for (let times = 1; times <= 3; times += 1) expect((await begin('2001:db8::1')).status).toBe(201)
    // The same network with another host part of the address.
    const limited = await begin('2001:db8::ffff')
    expect(limitsOf(limited).policy).toBe('"sessions";q=3;w=60')
    expect(await outcomeOf(limited)).toBe('429 rate_limited')
    expect((await begin('2001:db8:0:1::1')).status).toBe(201)
    tenants.clock.advance(60_000)
    expect((await begin('2001:db8::1')).status).toBe(201)
    await tenants.close()
  })

  it('look few tokens up at a time for an address that has failed 300 times in a minute, and drop what waits too long', async () => {
    const tenants = await createTestTenants({ rateLimit: 3600 })
    const address = '203.0.113.9'
    const guess = (count: number) =>
      attempt(tenants, 'POST', '/contacts', `c:${String(count).padStart(64, '0')}`, address).then(outcomeOf)
    for (let count = 0; count < 300; count++) expect(await guess(count)).toBe('401 unauthorized')
    const known = await tenants.ours.visitorToken()
    await tenants.ours.call('GET', '/widget/session', { token: known })
    const unseen = await tenants.ours.visitorToken()
    const { findSession } = tenants.store
    let running = 0
    let most = 0
    let lookedUp = 0
    tenants.store.findSession = async hash => {
      lookedUp++
      most = Math.max(most, ++running)
      for (let round = 0; round < 10; round++) await new Promise(setImmediate)
      running--
      return findSession(hash)
    }
    const guesses = Array.from({ length: 500 }, (_, count) => guess(300 + count))
    const session = async (token: string) => outcomeOf(await attempt(tenants, 'GET', '/widget/session', token, address))
    expect(await session(known)).toBe('200')
    expect(await Promise.all(guesses)).toEqual(Array(500).fill('429 rate_limited'))
    expect(most).toBeLessThanOrEqual(5)
    expect(lookedUp).toBeLessThan(200)
    expect(await session(unseen)).toBe('200')
    expect(await outcomeOf(await attempt(tenants, 'GET', '/widget/session', 'no token', address))).toBe(
      '429 rate_limited',
    )
    await tenants.close()
  })

  it('let every valid token pass, though others of its address fail to authenticate', async () => {
    const tenants = await createTestTenants({ rateLimit: 3600 })
    const address = '203.0.113.9'
    const visitor = await tenants.ours.visitorToken()
    const ended = await tenants.ours.visitorToken()
    await tenants.ours.call('DELETE', '/widget/session', { token: ended })
    const outcome = async (method: string, path: string, token: string, at = address) =>
      outcomeOf(await attempt(tenants, method, path, token, at))
    for (const token of [visitor, tenants.ours.organizationToken])
      await outcome(token === visitor ? 'GET' : 'POST', token === visitor ? '/widget/session' : '/contacts', token)
    // Neither counts as a guess.
    expect(await outcome('POST', '/contacts', visitor)).toBe('403 insufficient_scope')
    expect(await outcome('GET', '/widget/session', ended)).toBe('401 token_revoked')
    for (let times = 1; times <= 150; times += 1) {
      expect(await outcome('POST', '/contacts', unknown)).toBe('401 unauthorized')
      expect(await outcome('GET', '/widget/session', unknown)).toBe('401 unauthorized')
    }
    expect(await outcome('POST', '/contacts', unknown)).toBe('429 rate_limited')
    expect(await outcome('GET', '/widget/session', '')).toBe('429 rate_limited')
    expect(limitsOf(await attempt(tenants, 'GET', '/widget/events', unknown, address)).retryAfter).toBe('60')
    expect(await outcome('POST', '/contacts', tenants.ours.organizationToken)).toBe('200')
    expect(await outcome('GET', '/widget/session', visitor)).toBe('200')
    const fresh = await tenants.ours.visitorToken()
    expect(await outcome('GET', '/widget/session', fresh)).toBe('200')
    expect(await outcome('POST', '/contacts', unknown, '203.0.113.10')).toBe('401 unauthorized')
    tenants.clock.advance(60_000)
    expect(await outcome('GET', '/widget/session', fresh)).toBe('200')
    expect(await outcome('POST', '/contacts', unknown)).toBe('401 unauthorized')
    await tenants.close()
  })

  it.each([
    ['POST', '/contacts', '403 insufficient_scope', async () => {}],
    ['GET', '/widget/session', '401 token_revoked', (end: () => Promise<unknown>) => end()],
  ] as const)('refuse %s %s after 120 times %s with one token', async (method, path, refusal, prepare) => {
    const tenants = await createTestTenants({ rateLimit: 3600 })
    const token = await tenants.ours.visitorToken()
    await prepare(() => tenants.ours.call('DELETE', '/widget/session', { token }))
    const misuse = () => tenants.ours.call(method, path, { token })
    for (let times = 1; times <= 120; times += 1) {
      const refused = await misuse()
      expect(limitsOf(refused).limit).toBeNull()
      expect(await outcomeOf(refused)).toBe(refusal)
    }
    const limited = await misuse()
    expect(limitsOf(limited).retryAfter).toBe('60')
    expect(await outcomeOf(limited)).toBe('429 rate_limited')
    // Another token is counted by itself.
    expect((await tenants.ours.call('POST', '/contacts')).status).toBe(200)
    tenants.clock.advance(60_000)
    expect(await outcomeOf(await misuse())).toBe(refusal)
    await tenants.close()
  })

  it('are all disabled with 0', async () => {
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

  it('return 429 if too many searches and lists of an organization are waiting', async () => {
    const tenants = await createTestTenants()
    tenants.store.searchContacts = () => Promise.reject(Object.assign(new Error('busy'), { name: 'StoreBusyError' }))
    const response = await tenants.ours.call('POST', '/contacts')
    expect(response.headers.get('retry-after')).toBe('1')
    expect(await outcomeOf(response)).toBe('429 rate_limited')
    await tenants.close()
  })
})
