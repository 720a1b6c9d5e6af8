import { afterAll, describe, expect, it, vi } from 'vitest'
import { createBotRow } from '../domain/bots.ts'
import { createTestTenants, outcomeOf, shopOrigin } from '../testing/testTenants.ts'
import { isAllowedOrigin } from './cors.ts'

const tenants = await createTestTenants()
afterAll(() => tenants.close())
const { ours } = tenants

const profile = (origin?: string) =>
  ours.call('GET', '/widget', { token: '', headers: origin === undefined ? {} : { origin } })
const corsOf = ({ headers }: Response): [string, string][] =>
  [...headers].filter(([name]) => name.startsWith('access-control'))

const known = 'authorization, content-type, last-event-id'
/** Sends a preflight request, as a browser does, for the request headers `requested`. */
const preflight = (requested?: string, origin = shopOrigin) =>
  ours.call('OPTIONS', '/widget/messages', {
    token: '',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      ...(requested !== undefined && { 'access-control-request-headers': requested }),
    },
  })

describe('cors', () => {
  it('allows a listed origin to read successful and error responses, also those that need no bot', async () => {
    const headers = { origin: shopOrigin }
    const findBot = vi.spyOn(tenants.store, 'findBot')
    const responses = [
      await ours.call('GET', '/widget/nowhere', { token: '', headers }),
      await ours.call('PUT', '/widget/session', { token: '', headers }),
      await ours.call('POST', '/widget/messages', { headers: { ...headers, 'content-length': '40000' } }),
    ]
    expect(findBot).not.toHaveBeenCalled()
    responses.push(await profile(shopOrigin), await ours.call('GET', '/widget/session', { token: '', headers }))
    expect(responses.map(({ status }) => status)).toEqual([404, 405, 413, 200, 401])
    for (const [index, response] of responses.entries()) {
      expect(corsOf(response)).toEqual([
        ...(index < 3 ? [] : [['access-control-allow-credentials', 'true']]),
        ['access-control-allow-origin', index < 3 ? '*' : shopOrigin],
        ['access-control-expose-headers', 'retry-after, ratelimit, ratelimit-policy, x-request-id'],
      ])
      expect(response.headers.get('vary')).toBe('Origin, Authorization')
    }
  })

  it('accepts requests without an origin, and refuses every other one without CORS headers', async () => {
    const without = await profile()
    expect([without.status, without.headers.get('vary')]).toEqual([200, 'Origin, Authorization'])
    for (const origin of ['https://evil-shop.example', 'http://shop.example', 'null', ''])
      for (const response of [await profile(origin), await preflight('x-trace', origin)]) {
        expect(corsOf(response)).toEqual([])
        expect(response.headers.get('vary')).toBe('Origin, Authorization')
        expect(await outcomeOf(response)).toBe('403 origin_not_allowed')
      }
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
  })

  it.each([
    ['those that a page adds', 'x-trace', ', x-trace'],
    ['those that are not known yet', 'authorization,content-type,x-trace', ', x-trace'],
    ['each of them once', 'X-Trace , x-app\t,x-trace', ', x-trace, x-app'],
    ['every name of RFC 9110', "!#$%&'*+-.^_`|~09az", ", !#$%&'*+-.^_`|~09az"],
    ['as many as fit in 1 KiB', 'x'.repeat(1024), `, ${'x'.repeat(1024)}`],
    ['only the known ones for nothing', '', ''],
    ['only the known ones for more than 1 KiB', 'x'.repeat(1025), ''],
    ['only the known ones for an empty name', 'x-a,,x-b', ''],
    ['only the known ones for a trailing comma', 'x-a,', ''],
    ['only the known ones for the wildcard', '*', ''],
    ['only the known ones for the wildcard among names', 'x-a, *', ''],
    ['only the known ones for a space inside', 'x-a x-b', ''],
    ['only the known ones for a header with its value', 'x-a: 1', ''],
    ['only the known ones for a quoted text', '"x-a"', ''],
    ['only the known ones for letters beyond ASCII', 'x-\u00e9', ''],
    ['only the known ones for a control character', 'x-\u0001', ''],
  ])('allows the request headers of a preflight: %s', async (_, requested, added) => {
    const { status, headers } = await preflight(requested)
    expect([status, headers.get('access-control-allow-headers')]).toEqual([204, known + added])
    expect(headers.get('vary')).toBe('Origin, Authorization, Access-Control-Request-Headers')
  })

  it('tells any page that a bot is unknown', async () => {
    const url = 'http://natter.test/v1/bots/nobody/widget'
    const response = await tenants.platform.fetch(new Request(url, { headers: { origin: 'https://evil.example' } }))
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.has('access-control-allow-credentials')).toBe(false)
    expect(await outcomeOf(response)).toBe('404 not_found')
  })

  it('never reads credentials from cookies, and sets none', async () => {
    const token = await ours.visitorToken()
    const cookie = `authorization=Bearer ${token}; token=${token}; natter:${ours.bot.id}:token=${token}`
    for (const [method, path] of [
      ['GET', '/widget/session'],
      ['GET', '/widget/messages'],
      ['POST', '/widget/messages'],
      ['DELETE', '/widget/session'],
    ] as const) {
      const response = await ours.call(method, path, { token: '', headers: { origin: shopOrigin, cookie } })
      expect(response.headers.has('set-cookie')).toBe(false)
      expect(await outcomeOf(response)).toBe('401 unauthorized')
    }
    const other = await ours.visitorToken()
    await ours.send(token, 'not for the other')
    const headers = { origin: shopOrigin, cookie }
    const history = await ours.call('GET', '/widget/messages', { token: other, headers })
    expect(await history.json()).toMatchObject({ data: [] })
  })
})

/** Starts a bot with these origins. `ask` resolves to what a page gets: the status, and whether it may send credentials. */
async function listed(origins: string[], { isDev = false } = {}) {
  const bot = createBotRow({ organizationId: ours.bot.organizationId, name: 'Listed', origins }, tenants.clock)
  const own = await createTestTenants(isDev ? { devBotId: bot.id } : {})
  await own.store.createBot({ ...bot, organizationId: own.ours.bot.organizationId })
  const ask = async (origin: string, method = 'GET', botId = bot.id) => {
    const url = `http://natter.test/v1/bots/${botId}/widget`
    const { status, headers } = await own.platform.fetch(new Request(url, { method, headers: { origin } }))
    if (status < 300) expect(headers.get('access-control-allow-origin')).toBe(origin)
    return { status, credentials: headers.get('access-control-allow-credentials') }
  }
  return { ask, other: own.ours.bot.id }
}

describe('credentials (threats: browser)', () => {
  const [local, localPort] = ['http://local.example', 'http://local.example:8080']
  it.each([
    { title: 'a listed page', origins: [shopOrigin], allowed: [shopOrigin], others: [] },
    { title: 'no page of a bot for all', origins: ['*'], allowed: [], others: [shopOrigin, 'https://evil.example'] },
    {
      title: 'only the one that is listed beside a pattern',
      origins: ['*', shopOrigin],
      allowed: [shopOrigin],
      others: ['https://evil.example'],
    },
    { title: 'none that matches a pattern of ports', origins: [`${local}:*`], allowed: [], others: [local, localPort] },
    { title: 'no sandboxed frame: all have the origin null', origins: ['null'], allowed: [], others: ['null'] },
  ])('may be sent by $title', async ({ origins, allowed, others }) => {
    const { ask } = await listed(origins)
    for (const origin of [...allowed, ...others]) {
      const credentials = allowed.includes(origin) ? 'true' : null
      expect(await ask(origin)).toEqual({ status: 200, credentials })
      expect(await ask(origin, 'OPTIONS')).toEqual({ status: 204, credentials })
    }
  })

  it('may not be sent by the pages of this machine that --dev allows, except for a listed one', async () => {
    const { ask, other } = await listed(['http://localhost:5173'], { isDev: true })
    expect(await ask('http://localhost:5173')).toEqual({ status: 200, credentials: 'true' })
    for (const origin of ['http://127.0.0.1:1', 'http://localhost', 'https://localhost:8443'])
      expect(await ask(origin)).toEqual({ status: 200, credentials: null })
    expect((await ask('http://localhost.evil.example:80')).status).toBe(403)
    expect((await ask('http://localhost:5173', 'GET', other)).status).toBe(403)
  })
})

it.each<{ allowed: string; origins: string[]; others: string[] }>([
  { allowed: '*', origins: ['https://anything.example'], others: ['null'] },
  { allowed: 'null', origins: ['null'], others: [] },
  {
    allowed: shopOrigin,
    origins: [shopOrigin],
    others: [
      ...['https://evil-shop.example', 'https://shop.example.evil.com', 'https://sub.shop.example'],
      ...['http://shop.example', 'https://shop.example:8443', 'https://shop.example.'],
    ],
  },
  {
    allowed: 'http://a.example:*',
    origins: ['http://a.example:81'],
    others: ['http://a.example:81.evil.example', 'http://a.example:81@evil.example'],
  },
  {
    allowed: 'https://*.shop.example',
    origins: ['https://a.shop.example', 'https://a.b-c.shop.example'],
    others: [
      ...['https://shop.example', 'https://.shop.example', 'https://evilshop.example', 'http://a.shop.example'],
      ...['https://a.shop.example.evil.example', 'https://evil.example@a.shop.example'],
      ...['https://evil.example/.shop.example', 'https://a.shop.example:8443', 'https://*.shop.example@evil.example'],
    ],
  },
  {
    allowed: 'https://*.shop.example:*',
    origins: ['https://a.shop.example:8443'],
    others: ['https://shop.example:8443'],
  },
])(
  'the origin $allowed of a bot admits $origins, and nothing that only looks like it',
  ({ allowed, origins, others }) => {
    for (const origin of [...origins, ...others])
      expect([origin, isAllowedOrigin(origin, [allowed])]).toEqual([origin, origins.includes(origin)])
    expect(isAllowedOrigin(origins[0] ?? '', [])).toBe(false)
  },
)
