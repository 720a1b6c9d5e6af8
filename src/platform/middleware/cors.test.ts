import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createBotRow } from '../development.ts'
import { type Cast, createCast, outcomeOf, shop } from '../fixtures.ts'
import { isAllowedOrigin } from './cors.ts'

let cast: Cast
beforeAll(async () => {
  cast = await createCast()
})
afterAll(() => cast.close())

const face = (origin?: string) =>
  cast.ours.call('GET', '/widget', { token: '', headers: origin === undefined ? {} : { origin } })
const corsOf = ({ headers }: Response): [string, string][] =>
  [...headers].filter(([name]) => name.startsWith('access-control'))

describe('cors (decisions 5)', () => {
  it('lets a listed origin read answers and errors alike', async () => {
    const responses = [
      await face(shop),
      await cast.ours.call('GET', '/widget/session', { token: '', headers: { origin: shop } }),
      await cast.ours.call('GET', '/widget/nowhere', { token: '', headers: { origin: shop } }),
      await cast.ours.call('PUT', '/widget/session', { token: '', headers: { origin: shop } }),
      await cast.ours.call('POST', '/widget/messages', { headers: { origin: shop, 'content-length': '40000' } }),
    ]
    expect(responses.map(({ status }) => status)).toEqual([200, 401, 404, 405, 413])
    for (const response of responses) {
      expect(corsOf(response)).toEqual([
        ['access-control-allow-origin', shop],
        ['access-control-expose-headers', 'retry-after, ratelimit, ratelimit-policy, x-request-id'],
      ])
      expect(response.headers.get('vary')).toBe('Origin')
    }
  })

  it('passes requests without an origin', async () => {
    const response = await face()
    expect(response.status).toBe(200)
    expect(response.headers.get('vary')).toBe('Origin')
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
      const response = await face(origin)
      expect(corsOf(response)).toEqual([])
      expect(response.headers.get('vary')).toBe('Origin')
      expect(await outcomeOf(response)).toBe('403 origin_not_allowed')
      const preflight = await cast.ours.call('OPTIONS', '/widget/messages', { token: '', headers: { origin } })
      expect(corsOf(preflight)).toEqual([])
      expect(await outcomeOf(preflight)).toBe('403 origin_not_allowed')
    }
  })

  it('changes nothing for a refused page, not even by a simple request', async () => {
    const token = await cast.ours.visitorToken()
    const json = { id: '11111111-1111-4111-8111-111111111111', text: 'x' }
    const refused = await cast.ours.call('POST', '/widget/messages', { token, json, headers: { origin: 'null' } })
    expect(refused.status).toBe(403)
    const history = await cast.ours.call('GET', '/widget/messages', { token })
    expect(await history.json()).toEqual({ data: [] })
  })

  it('answers a preflight before authentication', async () => {
    const headers = { origin: shop, 'access-control-request-method': 'POST' }
    const response = await cast.ours.call('OPTIONS', '/widget/messages', { token: '', headers })
    expect(response.status).toBe(204)
    expect(Object.fromEntries(corsOf(response))).toMatchObject({
      'access-control-allow-origin': shop,
      'access-control-allow-headers': 'authorization, content-type, last-event-id',
      'access-control-max-age': '7200',
    })
    expect(response.headers.has('access-control-allow-credentials')).toBe(false)
  })

  it('tells any page that a bot is unknown', async () => {
    const url = 'http://natter.test/v1/bots/nobody/widget'
    const response = await cast.platform.fetch(new Request(url, { headers: { origin: 'https://evil.example' } }))
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(await outcomeOf(response)).toBe('404 not_found')
  })

  it('opens the bot of --dev to this machine on any port, and no other bot', async () => {
    const bot = createBotRow({ organizationId: cast.ours.bot.organizationId, name: 'Dev' })
    const own = await createCast({ devBotId: bot.id })
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

describe('isAllowedOrigin', () => {
  it('compares whole origins, with * for any site and :* for any port', () => {
    expect(isAllowedOrigin('https://anything.example', ['*'])).toBe(true)
    expect(isAllowedOrigin('null', ['null'])).toBe(true)
    expect(isAllowedOrigin('http://a.example:81', ['http://a.example:*'])).toBe(true)
    expect(isAllowedOrigin('http://a.example:81.evil.example', ['http://a.example:*'])).toBe(false)
    expect(isAllowedOrigin('http://a.example:81@evil.example', ['http://a.example:*'])).toBe(false)
    expect(isAllowedOrigin('https://a.example', [])).toBe(false)
  })
})
