import { randomUUID } from 'node:crypto'
import { afterAll, describe, expect, it } from 'vitest'
import { createTestTenants, dataOf, outcomeOf } from '../testing/testTenants.ts'

const nonce = 'mZk3xT0qVb8Lr2Nw6YcPdA'

const tenants = await createTestTenants({ log: () => {} })
afterAll(() => tenants.close())
const { ours } = tenants
/** The token of a contact with a conversation of seven messages. */
const token = await ours.contactToken((await ours.createContact()).id)
for (let count = 1; count <= 7; count++) await ours.send(token, `message ${count}`)
await ours.call('POST', '/widget/read', { token, json: { seq: 4 } })

const get = (path: string) => ours.call('GET', path, { token })
const post = (path: string, json: object) => ours.call('POST', path, { token, json })

/** Each of the visitor's reads by `POST` with the `GET` that must return the same. */
describe.each([
  { get: '/widget/session', post: '/widget/session/retrieve' },
  { get: '/widget/messages', post: '/widget/messages/list' },
  { get: '/widget/events', post: '/widget/events/stream' },
])('$get and $post', pair => {
  it('have the same headers', async () => {
    const responses = [await get(pair.get), await post(pair.post, { nonce })]
    for (const answer of responses) await answer.body?.cancel()
    const headers = responses.map(response => ({ ...Object.fromEntries(response.headers), 'x-request-id': '' }))
    expect(headers[1]).toEqual(headers[0])
    expect(headers[0]).not.toHaveProperty('etag')
  })

  it('change nothing', async () => {
    const state = async () => dataOf(get('/widget/session'))
    const before = await state()
    await (await get(pair.get)).body?.cancel()
    await (await post(pair.post, { nonce })).body?.cancel()
    expect(await state()).toEqual(before)
  })

  it('by POST accept only an object as JSON with the nonce', async () => {
    const outcome = async (body: string, type = 'application/json') =>
      outcomeOf(ours.call('POST', pair.post, { token, body, headers: { 'content-type': type } }))
    for (const body of ['', '[]', '"x"', 'null', JSON.stringify({ nonce: [nonce] })])
      expect(await outcome(body)).toBe('400 invalid_request')
    const form = await outcome(`nonce=${nonce}`, 'application/x-www-form-urlencoded')
    expect(form).toBe('415 unsupported_media_type')
  })
})

describe("a visitor's reads by POST", () => {
  it.each([
    {},
    { limit: 2 },
    { limit: 100 },
    { before: 4 },
    { before: 6, limit: 2 },
    { before: 1 },
    { before: 999_999_999_999_999 },
  ])('return the same messages as by GET, with the nonce of the request: %j', async page => {
    const query = new URLSearchParams(Object.entries(page).map(([key, value]) => [key, String(value)]))
    const byGet = (await (await get(`/widget/messages?${query}`)).json()) as object
    const response = await post('/widget/messages/list', { nonce, ...page })
    expect([response.status, await response.json()]).toEqual([200, { ...byGet, nonce }])
  })

  it('take the identity only from the token, and the page only from the body', async () => {
    const contact = await ours.createContact({ name: 'Grace Hopper' })
    const named = await dataOf(post('/widget/session/retrieve', { nonce, contactId: contact.id, contact }))
    expect(named).toMatchObject({ contact: { name: 'Ada Lovelace' } })
    expect(await dataOf(post('/widget/messages/list?limit=1&before=2', { nonce, limit: 3 }))).toHaveLength(3)
  })

  it('return to each of many concurrent requests its own nonce', async () => {
    const attempts = Array.from({ length: 50 }, async () => {
      const own = randomUUID()
      const response = await post('/widget/messages/list', { nonce: own, limit: 1 })
      return ((await response.json()) as { nonce: string }).nonce === own
    })
    expect(await Promise.all(attempts)).toEqual(Array(50).fill(true))
  })
})
