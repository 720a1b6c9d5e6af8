import { describe, expect, it } from 'vitest'
import { createTestTenants, outcomeOf, type TestTenants } from '../testing/testTenants.ts'
import { defaultSessionLimits } from './sessionLimits.ts'

const limitsOf = ({ headers }: Response) => ({
  policy: headers.get('ratelimit-policy'),
  limit: headers.get('ratelimit'),
  retryAfter: headers.get('retry-after'),
})
const address = '203.0.113.9'
/** So few that a test can exceed them. */
const limits = { addressLookUpsPerMinute: 30 }
const unknown = `c:${'0'.repeat(64)}`
const attempt = ({ ours }: TestTenants, method: string, path: string, token: string, from = address) =>
  ours.call(method, path, { token, address: from })

/** Counts the calls of a method of the store from now on. */
function countCalls({ store }: TestTenants, name: 'findBot' | 'findSession'): () => number {
  let calls = 0
  const method = store[name] as (key: string) => Promise<never>
  store[name] = key => {
    calls++
    return method(key)
  }
  return () => calls
}

describe('the limit of look-ups without a token', () => {
  it('keeps requests from the store after so many of an address in a minute, 3000 by default', async () => {
    expect(defaultSessionLimits.addressLookUpsPerMinute).toBe(3000)
    const tenants = await createTestTenants({ rateLimit: 3600, limits })
    const lookUps = countCalls(tenants, 'findBot')
    const face = (from?: string) => attempt(tenants, 'GET', '/widget', '', from)
    for (let count = 0; count < 29; count++) await face()
    const cached = await face()
    expect([cached.status, limitsOf(cached).limit]).toEqual([200, null])
    const limited = await tenants.ours.call('GET', '/widget', {
      ...{ token: '', address },
      headers: { origin: 'https://shop.example' },
    })
    expect(limitsOf(limited)).toEqual({
      policy: '"look-ups";q=30;w=60',
      limit: '"look-ups";r=0;t=60',
      retryAfter: '60',
    })
    // A page can read why.
    expect(limited.headers.get('access-control-allow-origin')).toBe('*')
    expect(await outcomeOf(limited)).toBe('429 rate_limited')
    expect((await attempt(tenants, 'OPTIONS', '/widget/session', '')).status).toBe(429)
    expect(lookUps()).toBe(30)
    expect((await face('203.0.113.10')).status).toBe(200)
    const token = await tenants.ours.visitorToken()
    expect((await attempt(tenants, 'GET', '/widget/session', token)).status).toBe(200)
    tenants.clock.advance(60_000)
    expect((await face()).status).toBe(200)
    await tenants.close()
  })

  it.each([
    ['GET', '/widget'],
    ['OPTIONS', '/widget/session'],
    ['GET', '/widget/unknown'],
    ['PATCH', '/widget/session'],
  ])('counts %s %s, which checks no token, also with a token', async (method, path) => {
    const tenants = await createTestTenants({ rateLimit: 3600, limits })
    const ask = () => attempt(tenants, method, path, unknown)
    for (let count = 0; count < 30; count++) expect((await ask()).status).not.toBe(429)
    const response = await ask()
    expect([response.status, limitsOf(response).policy]).toEqual([429, '"look-ups";q=30;w=60'])
    await tenants.close()
  })

  it.each([
    ['of an origin that may not embed the bot', { origin: 'https://evil.example', authorization: 'Bearer x' }],
    ['with two tokens', { authorization: 'Bearer a, Bearer b' }],
  ])('also counts requests %s, and then keeps them from the store', async (_, headers) => {
    const tenants = await createTestTenants({ rateLimit: 3600, limits })
    const lookUps = countCalls(tenants, 'findBot')
    const ask = () => tenants.ours.call('GET', '/widget/session', { token: '', address, headers })
    for (let count = 0; count < 30; count++) expect([400, 403]).toContain((await ask()).status)
    const response = await ask()
    expect([response.status, limitsOf(response).policy]).toEqual([429, '"refusals";q=30;w=60'])
    expect(lookUps()).toBe(30)
    await tenants.close()
  })

  it('keeps a token that has ended from the store after 120 requests in a minute', async () => {
    const tenants = await createTestTenants({ rateLimit: 3600 })
    const token = await tenants.ours.visitorToken()
    await tenants.ours.call('DELETE', '/widget/session', { token })
    const lookUps = countCalls(tenants, 'findSession')
    for (let count = 0; count < 120; count++)
      expect((await attempt(tenants, 'GET', '/widget/session', token)).status).toBe(401)
    expect((await attempt(tenants, 'GET', '/widget/session', token)).status).toBe(429)
    expect(lookUps()).toBe(120)
    await tenants.close()
  })
})
