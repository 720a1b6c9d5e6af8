import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient, type Identity, type NatterClient, tokenHandler } from './index.ts'
import { options, startInMemory } from './testing/testClients.ts'

let client: NatterClient
let clientWith: Awaited<ReturnType<typeof startInMemory>>['clientWith']
let close: () => Promise<void>
beforeAll(async () => {
  ;({ client, clientWith, close } = await startInMemory())
})
afterAll(() => close())

const url = 'https://shop.example/chat-token'
const sameOrigin = { 'sec-fetch-site': 'same-origin', origin: 'https://shop.example' }

interface Asked {
  identify: () => unknown
  headers?: Record<string, string>
  method?: string
  using?: NatterClient
}
/** What the handler answers, and what it told `onError`. */
async function ask({ identify, headers = sameOrigin, method = 'POST', using = client }: Asked) {
  const errors: unknown[] = []
  const handler = tokenHandler({
    client: using,
    identify: () => identify() as Identity | null,
    onError: error => errors.push(error),
  })
  const response = await handler(new Request(url, { method, headers }))
  const text = await response.text()
  return { response, text, body: JSON.parse(text) as { data: Record<string, string> }, errors }
}

describe('tokenHandler', () => {
  it('gives the contact of an id its token, not to be stored', async () => {
    const { id } = await client.contacts.create({ name: 'Mary Jackson', email: 'mary@example.com' })
    const { response, body } = await ask({ identify: () => ({ id }) })
    expect(response.status).toBe(200)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(Object.keys(body)).toEqual(['data'])
    expect(Object.keys(body.data).toSorted()).toEqual(['createdAt', 'expiresAt', 'token'])
    expect(body.data['token']).toMatch(/^c:[0-9a-f]{64}$/)
  })

  it('gives the contact of an email its token and leaves the contact as it is', async () => {
    const { id } = await client.contacts.create({ name: 'Dorothy Vaughan', email: 'dorothy@example.com' })
    const before = await client.contacts.retrieve(id)
    const { response } = await ask({ identify: async () => ({ email: 'Dorothy@Example.com' }) })
    expect(response.status).toBe(200)
    expect(await client.contacts.retrieve(id)).toEqual(before)
  })

  it('creates or updates the contact first where more than the email is given, and sends nothing else along', async () => {
    const row = { email: 'katherine@example.com', name: 'Katherine Johnson', passwordHash: 'x', phone: undefined }
    expect((await ask({ identify: () => row })).response.status).toBe(200)
    expect((await ask({ identify: () => ({ ...row, phone: '+1 757 555' }) })).response.status).toBe(200)
    const { data } = await client.contacts.search({ query: 'katherine@example.com' })
    expect(data).toMatchObject([{ name: 'Katherine Johnson', phone: '+1 757 555' }])
  })

  it.each([null, undefined])('answers 401 when identify gives %s', async nobody => {
    const { response, errors } = await ask({ identify: () => nobody })
    expect(response.status).toBe(401)
    expect(errors).toEqual([])
  })

  it.each(['GET', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])('answers 405 to %s', async method => {
    let asked = false
    const { response } = await ask({ method, identify: () => (asked = true) })
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('POST')
    expect(asked).toBe(false)
  })

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
  ])('answers 403 to %j and does not ask who is signed in', async headers => {
    let asked = false
    const { response } = await ask({ headers, identify: () => (asked = true) })
    expect(response.status).toBe(403)
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
    expect(asked).toBe(false)
  })

  it.each<Record<string, string>>([
    { 'sec-fetch-site': 'same-origin' },
    { origin: 'https://shop.example' },
    { origin: 'https://www.shop.example', host: 'www.shop.example' },
  ])('takes %j as the same origin', async headers => {
    expect((await ask({ headers, identify: () => null })).response.status).toBe(401)
  })

  it('answers 500 without details when identify throws', async () => {
    const reason = new Error('password of db is hunter2')
    const { response, text, errors } = await ask({ identify: () => Promise.reject(reason) })
    expect(response.status).toBe(500)
    expect(text).not.toContain('hunter2')
    expect(errors).toEqual([reason])
  })

  it.each([{}, { id: '1', email: 'ada@example.com' }, { email: 'nonsense' }])(
    'answers 500 when identify gives %j, and tells the site why',
    async identity => {
      const { response, errors } = await ask({ identify: () => identity })
      expect(response.status).toBe(500)
      expect(errors.length).toBe(1)
    },
  )

  it.each<[string, () => NatterClient, Identity]>([
    ['the contact is unknown', () => client, { id: '0190b6a4-1c2d-7e3f-8a4b-5c6d7e8f9a0b' }],
    [
      'the organization token is not valid',
      () => clientWith({ organizationToken: options.organizationToken }),
      { id: '1' },
    ],
  ])('answers 502 without details when %s', async (_, using, identity) => {
    const { response, text, errors } = await ask({ using: using(), identify: () => identity })
    expect(response.status).toBe(502)
    expect(text).toBe('{"title":"Chat is not available","status":502,"code":"platform_refused"}')
    expect(errors.length).toBe(1)
  })

  it('answers 503 without details when the platform is out of reach', async () => {
    const fetch = () => Promise.reject(new TypeError('fetch failed', { cause: new Error('10.0.0.7') }))
    const { response, text } = await ask({
      using: createClient({ ...options, fetch }),
      identify: () => ({ id: '1' }),
    })
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe('5')
    expect(text).not.toContain('10.0.0.7')
  })

  it.each([
    [429, { 'retry-after': '42' }, '42'],
    [503, { 'retry-after': '0' }, '5'],
    [503, {}, '5'],
  ])('answers 503 and says when to come back when the platform answers %i', async (status, headers, retryAfter) => {
    const fetch = async () => new Response('', { status, headers })
    const { response } = await ask({
      using: createClient({ ...options, maxRetries: 0, fetch }),
      identify: () => ({ id: '1' }),
    })
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe(retryAfter)
  })
})
