import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createBotRow } from '../domain/bots.ts'
import { createTestTenants, outcomeOf, shopOrigin, type TestTenants } from '../testing/testTenants.ts'
import { isAllowedOrigin } from './cors.ts'

let tenants: TestTenants
beforeAll(async () => {
  tenants = await createTestTenants()
})
afterAll(() => tenants.close())

const profile = (origin?: string) =>
  tenants.ours.call('GET', '/widget', { token: '', headers: origin === undefined ? {} : { origin } })
const corsOf = ({ headers }: Response): [string, string][] =>
  [...headers].filter(([name]) => name.startsWith('access-control'))

const known = 'authorization, content-type, last-event-id'
/** Sends a preflight request, as a browser does, for the request headers `requested`. */
const preflight = (requested?: string, { origin = shopOrigin } = {}) =>
  tenants.ours.call('OPTIONS', '/widget/messages', {
    token: '',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      ...(requested !== undefined && { 'access-control-request-headers': requested }),
    },
  })

describe('cors', () => {
  it('allows a listed origin to read successful and error responses', async () => {
    const responses = [
      await profile(shopOrigin),
      await tenants.ours.call('GET', '/widget/session', { token: '', headers: { origin: shopOrigin } }),
      await tenants.ours.call('GET', '/widget/nowhere', { token: '', headers: { origin: shopOrigin } }),
      await tenants.ours.call('PUT', '/widget/session', { token: '', headers: { origin: shopOrigin } }),
      await tenants.ours.call('POST', '/widget/messages', {
        headers: { origin: shopOrigin, 'content-length': '40000' },
      }),
    ]
    expect(responses.map(({ status }) => status)).toEqual([200, 401, 404, 405, 413])
    for (const response of responses) {
      expect(corsOf(response)).toEqual([
        ['access-control-allow-credentials', 'true'],
        ['access-control-allow-origin', shopOrigin],
        ['access-control-expose-headers', 'retry-after, ratelimit, ratelimit-policy, x-request-id'],
      ])
      expect(response.headers.get('vary')).toBe('Origin, Authorization')
    }
  })

  it('accepts requests without an origin', async () => {
    const response = await profile()
    expect(response.status).toBe(200)
    expect(response.headers.get('vary')).toBe('Origin, Authorization')
  })

  it('refuses every other origin, without CORS headers', async () => {
    const others = [
      'https://evil-shop.example',
      'https://shop.example.evil.com',
      'https://sub.shop.example',
      'http://shop.example',
      'https://shop.example:8443',
      'https://shop.example.',
      'null',
      '',
    ]
    for (const origin of others) {
      const response = await profile(origin)
      expect(corsOf(response)).toEqual([])
      expect(response.headers.get('vary')).toBe('Origin, Authorization')
      expect(await outcomeOf(response)).toBe('403 origin_not_allowed')
      const preflight = await tenants.ours.call('OPTIONS', '/widget/messages', { token: '', headers: { origin } })
      expect(corsOf(preflight)).toEqual([])
      expect(await outcomeOf(preflight)).toBe('403 origin_not_allowed')
    }
  })

  it('changes nothing for a refused page, even with a simple request', async () => {
    const token = await tenants.ours.visitorToken()
    const json = { id: '11111111-1111-4111-8111-111111111111', text: 'x' }
    const refused = await tenants.ours.call('POST', '/widget/messages', { token, json, headers: { origin: 'null' } })
    expect(refused.status).toBe(403)
    const history = await tenants.ours.call('GET', '/widget/messages', { token })
    expect(await history.json()).toMatchObject({ data: [] })
  })

  it('answers a preflight before authentication', async () => {
    const response = await preflight()
    expect(response.status).toBe(204)
    expect(Object.fromEntries(corsOf(response))).toMatchObject({
      'access-control-allow-origin': shopOrigin,
      'access-control-allow-methods': 'GET, POST, PUT, DELETE',
      'access-control-allow-headers': known,
      'access-control-max-age': '7200',
    })
    expect(response.headers.get('vary')).toBe('Origin, Authorization, Access-Control-Request-Headers')
  })

  it.each([
    ['x-trace', `${known}, x-trace`],
    ['authorization,content-type,x-trace', `${known}, x-trace`],
    ['X-Trace , x-app\t,x-trace', `${known}, x-trace, x-app`],
    ["!#$%&'*+-.^_`|~09az", `${known}, !#$%&'*+-.^_\`|~09az`],
    ['x'.repeat(1024), `${known}, ${'x'.repeat(1024)}`],
  ])('allows the request headers that a page adds: %s', async (requested, granted) => {
    expect((await preflight(requested)).headers.get('access-control-allow-headers')).toBe(granted)
  })

  it.each([
    ['nothing', ''],
    ['more than 1 KiB', 'x'.repeat(1025)],
    ['an empty name', 'x-a,,x-b'],
    ['a trailing comma', 'x-a,'],
    ['the wildcard', '*'],
    ['the wildcard among names', 'x-a, *'],
    ['a space inside', 'x-a x-b'],
    ['a header with its value', 'x-a: 1'],
    ['a quoted text', '"x-a"'],
    ['letters beyond ASCII', 'x-\u00e9'],
    ['a control character', 'x-\u0001'],
  ])('allows only the known request headers if a page requests %s', async (_, requested) => {
    const response = await preflight(requested)
    expect([response.status, response.headers.get('access-control-allow-headers')]).toEqual([204, known])
    expect(response.headers.get('vary')).toContain('Access-Control-Request-Headers')
  })

  it('allows nothing for a page that may not embed the bot, whatever it requests', async () => {
    const response = await preflight('x-trace', { origin: 'https://evil.example' })
    expect(corsOf(response)).toEqual([])
    expect(await outcomeOf(response)).toBe('403 origin_not_allowed')
  })

  it('tells any page that a bot is unknown', async () => {
    const url = 'http://natter.test/v1/bots/nobody/widget'
    const response = await tenants.platform.fetch(new Request(url, { headers: { origin: 'https://evil.example' } }))
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.has('access-control-allow-credentials')).toBe(false)
    expect(await outcomeOf(response)).toBe('404 not_found')
  })

  it('opens the bot of --dev, and no other, to this machine on any port', async () => {
    const bot = createBotRow({ organizationId: tenants.ours.bot.organizationId, name: 'Dev' }, tenants.clock)
    const own = await createTestTenants({ devBotId: bot.id })
    await own.store.createBot({ ...bot, organizationId: own.ours.bot.organizationId })
    const status = async (botId: string, origin: string) => {
      const request = new Request(`http://natter.test/v1/bots/${botId}/widget`, { headers: { origin } })
      return (await own.platform.fetch(request)).status
    }
    for (const origin of ['http://localhost:5173', 'http://127.0.0.1:1', 'http://localhost', 'https://localhost:8443'])
      expect(await status(bot.id, origin)).toBe(200)
    expect(await status(bot.id, 'http://localhost.evil.example:80')).toBe(403)
    expect(await status(own.ours.bot.id, 'http://localhost:5173')).toBe(403)
    await own.close()
  })
})

describe('credentials (threats: browser)', () => {
  /** Whether pages of these origins may send credentials to a bot with this list, in a preflight and in a request. */
  async function credentials(origins: string[], asking: string[], options: { dev?: boolean } = {}) {
    const bot = createBotRow(
      { organizationId: tenants.ours.bot.organizationId, name: 'Listed', origins },
      tenants.clock,
    )
    const own = await createTestTenants(options.dev ? { devBotId: bot.id } : {})
    await own.store.createBot({ ...bot, organizationId: own.ours.bot.organizationId })
    const allowed: Record<string, boolean> = {}
    for (const origin of asking) {
      const answers = ['OPTIONS', 'GET'].map(async method => {
        const url = `http://natter.test/v1/bots/${bot.id}/widget`
        const { status, headers } = await own.platform.fetch(new Request(url, { method, headers: { origin } }))
        expect([status, headers.get('access-control-allow-origin')]).toEqual([method === 'GET' ? 200 : 204, origin])
        return headers.get('access-control-allow-credentials')
      })
      const [preflight, answer] = await Promise.all(answers)
      expect(preflight).toBe(answer)
      allowed[origin] = answer === 'true'
    }
    await own.close()
    return allowed
  }

  it('are allowed for origins that the bot lists by name, and not for those that match a pattern', async () => {
    expect(await credentials([shopOrigin], [shopOrigin])).toEqual({ [shopOrigin]: true })
    expect(await credentials(['*'], [shopOrigin, 'https://evil.example'])).toEqual({
      [shopOrigin]: false,
      'https://evil.example': false,
    })
    expect(await credentials(['*', shopOrigin], [shopOrigin, 'https://evil.example'])).toEqual({
      [shopOrigin]: true,
      'https://evil.example': false,
    })
    const local = ['http://local.example', 'http://local.example:8080']
    expect(await credentials(['http://local.example:*'], local)).toEqual({
      'http://local.example': false,
      'http://local.example:8080': false,
    })
  })

  it('are not allowed for sandboxed frames, which all have the origin null', async () => {
    expect(await credentials(['null'], ['null'])).toEqual({ null: false })
  })

  it('are not allowed for pages of this machine that --dev allows, except for a listed one', async () => {
    const [listed, other] = ['http://localhost:5173', 'http://localhost:3000']
    expect(await credentials([listed], [listed, other], { dev: true })).toEqual({ [listed]: true, [other]: false })
  })

  it('in the form of cookies are never read, and none is ever set', async () => {
    const token = await tenants.ours.visitorToken()
    const cookie = `authorization=Bearer ${token}; token=${token}; natter:${tenants.ours.bot.id}:token=${token}`
    for (const [method, path] of [
      ['GET', '/widget/session'],
      ['GET', '/widget/messages'],
      ['POST', '/widget/messages'],
      ['DELETE', '/widget/session'],
    ] as const) {
      const response = await tenants.ours.call(method, path, { token: '', headers: { origin: shopOrigin, cookie } })
      expect(response.headers.has('set-cookie')).toBe(false)
      expect(await outcomeOf(response)).toBe('401 unauthorized')
    }
    const other = await tenants.ours.visitorToken()
    await tenants.ours.send(token, 'not for the other')
    const headers = { origin: shopOrigin, cookie }
    const history = await tenants.ours.call('GET', '/widget/messages', { token: other, headers })
    expect(await history.json()).toMatchObject({ data: [] })
  })
})

describe('isAllowedOrigin', () => {
  it('compares whole origins, with * for any subdomain and :* for any port', () => {
    expect(isAllowedOrigin('https://anything.example', ['*'])).toBe(true)
    expect(isAllowedOrigin('null', ['null'])).toBe(true)
    expect(isAllowedOrigin('http://a.example:81', ['http://a.example:*'])).toBe(true)
    expect(isAllowedOrigin('http://a.example:81.evil.example', ['http://a.example:*'])).toBe(false)
    expect(isAllowedOrigin('http://a.example:81@evil.example', ['http://a.example:*'])).toBe(false)
    expect(isAllowedOrigin('https://a.example', [])).toBe(false)
  })

  it('takes every subdomain of a wildcard, and neither the domain itself nor what only looks like one', () => {
    const allows = (origin: string, allowed = 'https://*.shop.example') => isAllowedOrigin(origin, [allowed])
    for (const origin of ['https://a.shop.example', 'https://a.b-c.shop.example']) expect(allows(origin)).toBe(true)
    for (const origin of [
      'https://shop.example',
      'https://.shop.example',
      'https://evilshop.example',
      'https://a.shop.example.evil.example',
      'https://evil.example@a.shop.example',
      'https://evil.example/.shop.example',
      'http://a.shop.example',
      'https://a.shop.example:8443',
      'https://*.shop.example@evil.example',
    ])
      expect(allows(origin)).toBe(false)
    expect(allows('https://a.shop.example:8443', 'https://*.shop.example:*')).toBe(true)
    expect(allows('https://shop.example:8443', 'https://*.shop.example:*')).toBe(false)
  })

  it('does not take the origin null for a site', () => {
    expect(isAllowedOrigin('null', ['*'])).toBe(false)
  })
})
