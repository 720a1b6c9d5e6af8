import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createClient, type Identity, type NatterClient, tokenHandler } from './index.ts'
import { askTokenHandler as ask, nobody, sameOrigin, shows, url } from './testing/askTokenHandler.ts'
import { options, startInMemory } from './testing/testClients.ts'

let platform: Awaited<ReturnType<typeof startInMemory>>
let client: NatterClient
let clientWith: typeof platform.clientWith
beforeAll(async () => {
  platform = await startInMemory()
  ;({ client, clientWith } = platform)
})
afterAll(() => platform.close())

/** A client whose requests are counted, by method and path. */
function countingClient() {
  const sent: string[] = []
  const { fetch } = platform
  const using = clientWith({
    fetch(request) {
      sent.push(`${request.method} ${new URL(request.url).pathname.replace(/^\/v1\/bots\/[^/]+/, '')}`)
      return fetch(request)
    },
  })
  return { using, sent }
}

const fail = () => {
  throw new Error('of the site')
}

describe('tokenHandler', () => {
  it('answers with a token for a day for the contact of an id', async () => {
    const { id } = await client.contacts.create({ name: 'Mary Jackson', email: 'mary@example.com' })
    const { response, body } = await ask({ client, identify: () => ({ id }) })
    expect(response.status).toBe(200)
    expect(Object.keys(body)).toEqual(['data'])
    const { token, createdAt = '', expiresAt = '' } = body.data
    expect(token).toMatch(/^c:[0-9a-f]{64}$/)
    expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(24 * 60 * 60 * 1000)
  })

  it('answers with a token for the contact of an email, and does not change the contact', async () => {
    const { id } = await client.contacts.create({ name: 'Dorothy Vaughan', email: 'dorothy@example.com' })
    const before = await client.contacts.retrieve(id)
    const { response } = await ask({ client, identify: async () => ({ email: 'Dorothy@Example.com' }) })
    expect(response.status).toBe(200)
    expect(await client.contacts.retrieve(id)).toEqual(before)
  })

  it('creates or updates the contact first if there is more than the email, and sends no other properties', async () => {
    const row = { email: 'katherine@example.com', name: 'Katherine Johnson', passwordHash: 'x', phone: undefined }
    expect((await ask({ client, identify: () => row })).response.status).toBe(200)
    expect((await ask({ client, identify: () => ({ ...row, phone: '+1 757 555' }) })).response.status).toBe(200)
    const { data } = await client.contacts.search({ query: 'katherine@example.com' })
    expect(data).toMatchObject([{ name: 'Katherine Johnson', phone: '+1 757 555' }])
  })

  it.each<[string, (id: string) => string, number]>([
    ['the same person with a valid token', id => shows(id, 'valid'), 204],
    ['the same person with an expired token', id => shows(id, 'expired'), 200],
    ['the same person without a token', id => shows(id, 'none'), 200],
    ['another person with a valid token', () => shows('0190b6a4-1c2d-7e3f-8a4b-5c6d7e8f9a0b', 'valid'), 200],
    ['nobody', () => nobody, 200],
    ['nobody, whose token is said to be valid', () => shows(null, 'valid'), 200],
  ])('asked with %s, answers by id and by email alike', async (_, body, status) => {
    const email = `${crypto.randomUUID()}@example.com`
    const { id } = await client.contacts.create({ name: 'Mary Jackson', email })
    for (const identity of [{ id }, { email: email.toUpperCase() }, { email, name: 'Mary Jackson' }]) {
      const { using, sent } = countingClient()
      const { response, text } = await ask({ client: using, identify: () => identity, body: body(id) })
      expect(response.status).toBe(status)
      expect(text.includes('c:')).toBe(status === 200)
      expect(sent.filter(line => line.includes('/auth/'))).toEqual(status === 200 ? ['PUT /auth/contacts'] : [])
    }
  })

  it('writes the attributes of identify if they differ, before 200 and 204', async () => {
    const email = `${crypto.randomUUID()}@example.com`
    const { id } = await client.contacts.create({ name: 'Evelyn Boyd', email })
    for (const [identity, body, status] of [
      [{ id, attributes: { plan: 'pro', cart: 3 } }, nobody, 200],
      [{ email, attributes: { plan: 'free' } }, shows(id, 'valid'), 204],
      [{ email, name: 'Evelyn Boyd', attributes: {} }, shows(id, 'expired'), 200],
      [{ id, attributes: { plan: 'pro' } }, shows(id, 'valid'), 204],
    ] as const) {
      const { using, sent } = countingClient()
      for (let time = 1; time <= 2; time++) {
        expect((await ask({ client: using, identify: () => identity, body })).response.status).toBe(status)
        expect(await client.contacts.retrieveAttributes(id)).toEqual(identity.attributes)
      }
      expect(sent.filter(line => line.startsWith('PUT /contacts'))).toHaveLength(1)
    }
    // Without attributes they stay as they are.
    await ask({ client, identify: () => ({ id }), body: nobody })
    expect(await client.contacts.retrieveAttributes(id)).toEqual({ plan: 'pro' })
  })

  it('answers 502 and reports to onError which attribute is wrong', async () => {
    const { id } = await client.contacts.create({ name: 'Evelyn Boyd', email: `${crypto.randomUUID()}@example.com` })
    const identity = { id, attributes: { plan: 'x'.repeat(501) } }
    const { response, errors } = await ask({ client, identify: () => identity, body: shows(id, 'valid') })
    expect(response.status).toBe(502)
    expect(errors).toMatchObject([{ errors: [{ pointer: '/attributes/plan' }] }])
  })

  it('writes nothing if the contact has the fields of identify already', async () => {
    const email = 'annie@example.com'
    const { id } = await client.contacts.create({ name: 'Annie Easley', email, phone: '22' })
    const before = await client.contacts.retrieve(id)
    const { using, sent } = countingClient()
    for (const identity of [
      { email, name: ' Annie Easley ' },
      { email: 'Annie@Example.com', phone: '22' },
    ])
      expect((await ask({ client: using, identify: () => identity, body: shows(id, 'valid') })).response.status).toBe(
        204,
      )
    expect(sent).toEqual(['POST /contacts', 'POST /contacts'])
    expect(await client.contacts.retrieve(id)).toEqual(before)
  })

  it.each([
    ['', ''],
    ['no JSON', ''],
    ['[]', ''],
    ['{}', '/contact'],
    ['{"contact":null}', '/token'],
    ['{"contact":7,"token":"none"}', '/contact'],
    ['{"contact":null,"token":"some"}', '/token'],
    [`{"contact":null,"token":"c:${'5'.repeat(64)}"}`, '/token'],
    ['{"ended":"c:1"}', '/contact'],
  ])('answers 400 to %j, says what is wrong, and does not call identify', async (body, pointer) => {
    let asked = false
    const { response, text } = await ask({ client, body, identify: () => (asked = true) })
    expect(response.status).toBe(400)
    const problem = JSON.parse(text)
    expect(problem.title).toContain('{"contact":null,"token":"none"}')
    expect(problem.errors[0]).toMatchObject({ pointer })
    expect(text).not.toContain('555')
    expect(asked).toBe(false)
  })

  it('answers 413 to a body that is longer than any that the widget sends', async () => {
    const { response } = await ask({ client, body: shows('x'.repeat(4096), 'none'), identify: () => null })
    expect(response.status).toBe(413)
  })

  it('reports to onError that the body has been read already', async () => {
    const errors: unknown[] = []
    const handler = tokenHandler({ client, identify: () => null, onError: error => errors.push(error) })
    const request = new Request(url, { method: 'POST', headers: sameOrigin, body: nobody })
    await request.text()
    expect((await handler(request)).status).toBe(500)
    expect(String(errors[0])).toContain('has been read already')
  })

  it.each([
    ['throws', () => fail()],
    ['rejects', async () => fail()],
  ])('answers also when onError %s', async (_, onError) => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const handler = tokenHandler({ client, identify: fail, onError })
    const request = new Request(url, { method: 'POST', headers: sameOrigin, body: nobody })
    expect((await handler(request)).status).toBe(500)
    expect(log).toHaveBeenCalledOnce()
    log.mockRestore()
  })

  it.each([null, undefined])('answers 401 if identify returns %s', async nobody => {
    const { response, errors } = await ask({ client, identify: () => nobody })
    expect(response.status).toBe(401)
    expect(errors).toEqual([])
  })

  it.each(['GET', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])('answers 405 to %s', async method => {
    let asked = false
    const { response } = await ask({ client, method, identify: () => (asked = true) })
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('POST')
    expect(asked).toBe(false)
  })

  it('answers 500 without details if identify throws', async () => {
    const reason = new Error('password of db is hunter2')
    const { response, text, errors } = await ask({ client, identify: () => Promise.reject(reason) })
    expect(response.status).toBe(500)
    expect(text).not.toContain('hunter2')
    expect(errors).toEqual([reason])
  })

  it.each<[object, RegExp]>([
    [{}, /This field is required\.$/],
    [{ email: null, id: null }, /This field is required\.$/],
    [{ email: ' ' }, /This field is required\.$/],
    [{ email: 'nonsense' }, /Must be an email/],
    // Only the platform checks the domain.
    [{ email: 'nonsense@\u212aelvin.example', name: 'Ada' }, /email/],
  ])('answers 401 if identify returns %j, whose email the platform refuses, and reports why', async (identity, why) => {
    const { response, text, errors } = await ask({ client, identify: () => identity })
    expect(response.status).toBe(401)
    expect(errors.map(String)).toEqual([expect.stringMatching(why)])
    expect(String(errors[0]) + text).not.toContain('nonsense')
  })

  it('answers 500 if identify returns an id and an email', async () => {
    const { response, errors } = await ask({ client, identify: () => ({ id: '1', email: 'ada@example.com' }) })
    expect(response.status).toBe(500)
    expect(errors.map(String)).toEqual([expect.stringMatching(/an email, not both$/)])
  })

  const long = 'x'.repeat(300)
  it.each<[string, object, object, string[]]>([
    ['without a name', {}, { name: '' }, []],
    ['with nulls', { id: null, name: null, phone: null, mid: null, wid: null, attributes: null }, { name: '' }, []],
    ['with blank fields', { id: '', name: ' ', phone: '', wid: ' ' }, { name: '', phone: '' }, []],
    ['with an attribute that is null', { name: 'Ada', attributes: { plan: null, cart: 3 } }, { name: 'Ada' }, []],
    ['with a tab in the name', { name: 'Ada\tLovelace' }, { name: 'Ada Lovelace' }, ['name (cleaned)']],
    ['with a text direction in the name', { name: '\u202aAda\u202c' }, { name: 'Ada' }, ['name (cleaned)']],
    ['with a long name', { name: long }, { name: long.slice(0, 255) }, ['name (cleaned)']],
    ['with a name that is a number', { name: 7 }, { name: '' }, ['name (left out)']],
    [
      'with fields that do not fit',
      { name: 'Ada', phone: 'hunter2', mid: 'é', wid: '22 33' },
      { name: 'Ada', phone: '', mid: '', wid: '' },
      ['phone (left out)', 'mid (left out)', 'wid (left out)'],
    ],
    ['with copied numbers', { name: 'Ada', wid: '\u202a+47 22\u202c' }, { name: 'Ada', wid: '+4722' }, []],
  ])('signs a person in %s, and says in one line what does not fit', async (_, identity, fields, wrong) => {
    const local = `nameless-${crypto.randomUUID()}`
    const email = `${local}@example.com`
    for (const body of ['first', 'again']) {
      const { response, errors } = await ask({ client, identify: () => ({ email, ...identity }) })
      expect([body, response.status]).toEqual([body, 200])
      expect(errors).toHaveLength(wrong.length > 0 ? 1 : 0)
      for (const each of wrong) expect(String(errors[0])).toContain(each)
      expect(String(errors[0])).not.toMatch(/hunter2|xxx/)
    }
    const found = await client.contacts.retrieveByEmail(email)
    const expected = { ...fields, ...('name' in fields && fields.name === '' && { name: local }) }
    expect(found).toMatchObject(expected)
  })

  it('keeps the name that a contact has if identify returns none', async () => {
    const email = `${crypto.randomUUID()}@example.com`
    const { id } = await client.contacts.create({ name: 'Mary Jackson', email, phone: '22' })
    await ask({ client, identify: () => ({ email, name: null, phone: '' }) })
    expect(await client.contacts.retrieve(id)).toMatchObject({ name: 'Mary Jackson', phone: '22' })
  })

  it.each<[string, () => NatterClient, Identity]>([
    ['the contact is unknown', () => client, { id: '0190b6a4-1c2d-7e3f-8a4b-5c6d7e8f9a0b' }],
    [
      'the organization token is not valid',
      () => clientWith({ organizationToken: options.organizationToken }),
      { id: '1' },
    ],
  ])('answers 502 without details when %s', async (_, using, identity) => {
    const { response, text, errors } = await ask({ client: using(), identify: () => identity })
    expect(response.status).toBe(502)
    expect(text).toBe('{"title":"Chat is not available","status":502,"code":"platform_refused"}')
    expect(errors.length).toBe(1)
  })

  it('answers 503 without details if the platform is unreachable', async () => {
    const fetch = () => Promise.reject(new TypeError('fetch failed', { cause: new Error('10.0.0.7') }))
    const { response, text } = await ask({
      client: createClient({ ...options, fetch }),
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
    [408, {}, '5'],
    [502, {}, '5'],
    [504, {}, '5'],
  ])('answers 503 with Retry-After if the platform answers %i', async (status, headers, retryAfter) => {
    const fetch = async () => new Response('', { status, headers })
    const { response } = await ask({
      client: createClient({ ...options, maxRetries: 0, fetch }),
      identify: () => ({ id: '1' }),
    })
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe(retryAfter)
  })
})
