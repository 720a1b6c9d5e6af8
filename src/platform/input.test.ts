import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Cast, createCast } from './fixtures.ts'

let cast: Cast
let token: string
let contactId: string
beforeAll(async () => {
  cast = await createCast()
  contactId = (await cast.ours.createContact()).id
  token = await cast.ours.contactToken(contactId)
})
afterAll(() => cast.close())

const nasty = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    "'",
    '"',
    '%',
    '_',
    '\\',
    '\0',
    '\ud800',
    '\u202e',
    '__proto__',
    'constructor',
    '\u001f',
    'K@ı',
    '*',
    'a"OR"b',
  ),
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.string({ unit: 'grapheme', maxLength: 50 }),
  fc.string({ maxLength: 5000 }),
)
const value = fc.oneof(
  { weight: 3, arbitrary: nasty },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<unknown> },
)
const fields = fc.dictionary(
  fc.constantFrom('name', 'email', 'phone', 'mid', 'wid', 'id', 'text', 'seq', 'data', '__proto__', 'constructor'),
  value,
)
const settings = { numRuns: 60 }

/** Refusals and successes, never a failure of ours; whatever is refused is a problem of the catalogue. */
async function expectAnswer(response: Response): Promise<void> {
  const text = await response.text()
  expect(response.status, text).toBeLessThan(500)
  if (response.status >= 400)
    expect(JSON.parse(text)).toMatchObject({ status: response.status, code: expect.any(String) })
}

describe('whatever is sent', () => {
  it('as a body is answered, never with a 5xx', async () => {
    const targets = [
      ['PUT', '/contacts'],
      ['PATCH', `/contacts/${contactId}`],
      ['PUT', '/auth/contacts'],
      ['POST', `/contacts/${contactId}/messages`],
      ['POST', '/widget/messages'],
      ['POST', '/widget/read'],
    ] as const
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...targets), fields, async ([method, path], json) => {
        const options = path.startsWith('/widget') ? { token, json } : { json }
        await expectAnswer(await cast.ours.call(method, path, options))
      }),
      settings,
    )
  })

  it('as a whole upsert is answered, and leaves nothing half written', async () => {
    const probe = `${randomUUID()}@example.com`
    await fc.assert(
      fc.asyncProperty(fc.array(fields, { maxLength: 5 }), async entries => {
        const data = [{ name: 'Probe', email: probe }, ...entries]
        const response = await cast.ours.call('PATCH', '/contacts', { json: { data } })
        await expectAnswer(response)
        const found = await cast.ours.call('POST', `/contacts?query=${probe}`)
        const { pagination } = (await found.json()) as { pagination: { total: number } }
        expect(pagination.total).toBe(response.status === 200 ? 1 : 0)
        if (response.status !== 200) return
        const { data: results } = (await (await cast.ours.call('POST', `/contacts?query=${probe}`)).json()) as {
          data: { id: string }[]
        }
        await cast.ours.call('DELETE', `/contacts/${results[0]?.id}`)
      }),
      settings,
    )
  })

  it('as bytes of any type is answered', async () => {
    const types = [
      'application/json',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'text/plain',
      'x',
    ]
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...types), fc.uint8Array({ maxLength: 500 }), async (type, bytes) => {
        const body = new Uint8Array(bytes)
        await expectAnswer(await cast.ours.call('PUT', '/contacts', { headers: { 'content-type': type }, body }))
      }),
      settings,
    )
  })

  it('as a query, a path or an Authorization is answered', async () => {
    const readable = nasty.map(text => text.toWellFormed().slice(0, 300))
    await fc.assert(
      fc.asyncProperty(readable, readable, async (query, other) => {
        const encoded = encodeURIComponent(query)
        await expectAnswer(await cast.ours.call('POST', `/contacts?query=${encoded}&page=${encodeURIComponent(other)}`))
        await expectAnswer(await cast.ours.call('POST', `/contacts?query=${encoded}`))
        await expectAnswer(await cast.ours.call('POST', `/contacts?${query}`))
        await expectAnswer(await cast.ours.call('GET', `/contacts/${encoded}`))
        await expectAnswer(await cast.ours.call('DELETE', `/auth/contacts/x${encoded}`))
        await expectAnswer(await cast.ours.call('GET', `/widget/messages?before=${encoded}`, { token }))
        await expectAnswer(await cast.ours.call('GET', `/conversations?after=${encoded}&limit=${encoded}`))
        await expectAnswer(await cast.ours.call('GET', `/conversations/${encoded}/messages?before=${encoded}`))
        const once = { 'idempotency-key': query.replace(/[^\x20-\x7e]/g, '') }
        await expectAnswer(await cast.ours.call('PUT', '/auth/contacts', { json: { id: contactId }, headers: once }))
        const headers = { authorization: query.replace(/[^\x20-\x7e]/g, '') }
        await expectAnswer(await cast.ours.call('GET', '/widget/session', { token: '', headers }))
      }),
      settings,
    )
  })

  it('as a message comes back as it was sent', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 }), async text => {
        const response = await cast.ours.send(token, text)
        if (response.status !== 201) return
        const { data } = (await response.json()) as { data: { text: string } }
        expect(data.text).toBe(text.trim())
      }),
      settings,
    )
  })
})
