import { describe, expect, it } from 'vitest'
import { createClient, tokenHandler } from './index.ts'
import { askTokenHandler as ask, nobody } from './testing/askTokenHandler.ts'
import { options } from './testing/testClients.ts'

const client = createClient({ ...options, maxRetries: 0, fetch: async () => new Response('', { status: 503 }) })

describe('the pages that may call a token handler', () => {
  it.each<Record<string, string>>([
    { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
    { 'sec-fetch-site': 'same-site', origin: 'https://blog.shop.example' },
    { 'sec-fetch-site': 'none' },
    { 'sec-fetch-site': 'cross-site', origin: 'https://shop.example' },
    { origin: 'https://evil.example' },
    { origin: 'https://evil-shop.example' },
    { origin: 'https://shop.example.evil.example' },
    { origin: 'https://shop.example:8443' },
    { origin: 'null' },
    {},
  ])('answers 403 to %j and does not call identify', async headers => {
    let asked = false
    const { response } = await ask({ client, headers, identify: () => (asked = true) })
    expect(response.status).toBe(403)
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
    expect(asked).toBe(false)
  })

  it.each<Record<string, string>>([
    { 'sec-fetch-site': 'same-origin' },
    { origin: 'https://shop.example' },
    { origin: 'https://www.shop.example', host: 'www.shop.example' },
  ])('takes %j as the same origin', async headers => {
    expect((await ask({ client, headers, identify: () => null })).response.status).toBe(401)
  })

  it.each<Record<string, string>>([
    { 'sec-fetch-site': 'cross-site', origin: 'https://www.shop.example' },
    { 'sec-fetch-site': 'same-site', origin: 'https://www.shop.example' },
    { origin: 'https://www.shop.example' },
  ])('accepts %j of an allowed origin, whose pages may read every response', async headers => {
    const allowedOrigins = ['https://m.shop.example', 'https://www.shop.example']
    for (const [identify, body, status] of [
      [() => ({ id: '1' }), nobody, 503],
      [() => null, nobody, 401],
      [() => null, '', 400],
    ] as const) {
      const { response } = await ask({ client, headers, allowedOrigins, identify, body })
      expect(response.status).toBe(status)
      expect(response.headers.get('access-control-allow-origin')).toBe('https://www.shop.example')
      expect(response.headers.get('access-control-allow-credentials')).toBe('true')
      expect(response.headers.get('access-control-expose-headers')).toBe('retry-after')
    }
  })

  it.each([
    'https://evil-www.shop.example',
    'https://www.shop.example.evil.example',
    'https://www.shop.example:8443',
    'http://www.shop.example',
    'https://WWW.shop.example',
    'null',
  ])('refuses %s if another origin is allowed, without CORS headers', async origin => {
    const allowedOrigins = ['https://www.shop.example']
    const headers = { 'sec-fetch-site': 'cross-site', origin, 'access-control-request-method': 'POST' }
    for (const method of ['POST', 'OPTIONS']) {
      const { response } = await ask({ client, method, headers, allowedOrigins, identify: () => null })
      expect(response.status).toBe(method === 'POST' ? 403 : 405)
      expect(response.headers.get('access-control-allow-origin')).toBeNull()
    }
  })

  it('answers the preflight of an allowed origin, and does not call identify', async () => {
    let asked = false
    const { response } = await ask({
      client,
      method: 'OPTIONS',
      headers: {
        origin: 'https://www.shop.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type, x-trace',
      },
      allowedOrigins: ['https://www.shop.example'],
      identify: () => (asked = true),
    })
    expect(response.status).toBe(204)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'access-control-allow-origin': 'https://www.shop.example',
      'access-control-allow-credentials': 'true',
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'content-type, x-trace',
    })
    expect(asked).toBe(false)
  })

  it.each(['*', 'null', 'shop.example', 'https://shop.example/chat', 'https://*.shop.example', ''])(
    'does not take %j as an allowed origin',
    origin => {
      expect(() => tokenHandler({ client, identify: () => null, allowedOrigins: [origin] })).toThrow(
        `such as https://www.shop.example, without a path or *; got ${JSON.stringify(origin)}`,
      )
    },
  )

  it.each(['https://WWW.shop.example/', 'https://www.shop.example:443'])(
    'takes %s as browsers send it',
    async written => {
      const headers = { 'sec-fetch-site': 'cross-site', origin: 'https://www.shop.example' }
      const { response } = await ask({ client, headers, allowedOrigins: [written], identify: () => null })
      expect(response.headers.get('access-control-allow-origin')).toBe('https://www.shop.example')
    },
  )
})
