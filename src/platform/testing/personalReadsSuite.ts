import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Store } from '../store/store.ts'
import { createTestTenants, dataOf, outcomeOf, readEvents, shopOrigin, type TestTenants } from './testTenants.ts'

const nonce = 'mZk3xT0qVb8Lr2Nw6YcPdA'

/** Each read by `POST` with the `GET` that must return the same. */
const pairs = [
  { get: '/widget/session', post: '/widget/session/retrieve' },
  { get: '/widget/messages', post: '/widget/messages/list' },
  { get: '/widget/events', post: '/widget/events/stream' },
]

/** The visitor's reads by `GET` and by `POST`, on any store. `open` resolves to an empty one. */
export function describePersonalReads(name: string, open: () => Promise<Store>): void {
  describe(name, () => {
    let tenants: TestTenants
    /** A contact's session and an anonymous one, each with a conversation of seven messages. */
    let tokens: string[]
    beforeAll(async () => {
      tenants = await createTestTenants({ log: () => {}, store: await open() })
      const { ours } = tenants
      tokens = [await ours.contactToken((await ours.createContact()).id), await ours.visitorToken()]
      for (const token of tokens) {
        for (let count = 1; count <= 7; count++) await ours.send(token, `message ${count}`)
        await ours.call('POST', '/widget/read', { token, json: { seq: 4 } })
      }
    })
    afterAll(() => tenants.close())

    const get = (path: string, token = tokens[0] ?? '') => tenants.ours.call('GET', path, { token })
    const post = (path: string, json: object, token = tokens[0] ?? '') =>
      tenants.ours.call('POST', path, { token, json })

    it('return the same session, by POST with the nonce of the request', async () => {
      for (const token of tokens) {
        const data = await dataOf(await get('/widget/session', token))
        expect(data).toMatchObject({ conversation: { lastSeq: 7, readSeq: 4 } })
        const response = await post('/widget/session/retrieve', { nonce }, token)
        expect([response.status, await response.json()]).toEqual([200, { data, nonce }])
      }
    })

    it.each([
      {},
      { limit: 2 },
      { limit: 100 },
      { before: 4 },
      { before: 6, limit: 2 },
      { before: 1 },
      { before: 999_999_999_999_999 },
    ])('return the same messages, by POST with the nonce of the request: %j', async page => {
      const query = new URLSearchParams(Object.entries(page).map(([key, value]) => [key, String(value)]))
      const byGet = (await (await get(`/widget/messages?${query}`)).json()) as object
      const response = await post('/widget/messages/list', { nonce, ...page })
      expect([response.status, await response.json()]).toEqual([200, { ...byGet, nonce }])
    })

    it('stream the same events, replayed and live, by POST after the event opened', async () => {
      for (const token of tokens) {
        const byGet = readEvents(await get('/widget/events?after=5', token))
        const byPost = readEvents(await post('/widget/events/stream', { nonce, after: 5 }, token))
        expect(await byGet.next()).toMatchObject({ event: 'comment' })
        expect(await byPost.next()).toEqual({ event: 'opened', data: { nonce } })
        const { lastSeq, readSeq } = (await stateOf(token)).conversation
        await tenants.ours.send(token, 'live')
        if (readSeq > 0)
          for (const events of [byGet, byPost]) expect(await events.next()).toMatchObject({ event: 'read' })
        for (let seq = 6; seq <= lastSeq + 1; seq++) {
          const event = await byPost.next()
          expect(event).toMatchObject({ event: 'message', id: String(seq) })
          expect(event).toEqual(await byGet.next())
        }
        await byGet.cancel()
        await byPost.cancel()
      }
    })

    it('stream only new events by POST if the body has no position', async () => {
      const events = readEvents(await post('/widget/events/stream', { nonce }))
      await tenants.ours.send(tokens[0] ?? '', 'the first to be seen')
      expect(await events.next()).toEqual({ event: 'opened', data: { nonce } })
      expect(await events.next()).toMatchObject({ event: 'read' })
      expect(await events.next()).toMatchObject({ event: 'message', data: { text: 'the first to be seen' } })
      await events.cancel()
    })

    it.each(pairs)(
      'at $get and $post have the same headers, which prevent caches from giving one visitor’s response to another',
      async pair => {
        const responses = [await get(pair.get), await post(pair.post, { nonce })]
        const headers = responses.map(response => Object.fromEntries(response.headers))
        for (const answer of responses) await answer.body?.cancel()
        const [byGet, byPost] = headers.map(({ 'x-request-id': _, ...rest }) => rest)
        expect(byPost).toEqual(byGet)
        expect(byGet?.['vary']).toBe('Origin, Authorization')
        expect(byGet?.['cache-control']).toMatch(/^no-store\b/)
        expect(byGet).not.toHaveProperty('etag')
      },
    )

    it.each(pairs)('at $post accept only a nonce of 16 to 64 characters of base64url', async ({ post: path }) => {
      const wrong = ['', 'x'.repeat(15), 'x'.repeat(65), `${nonce}=`, `${nonce}\n`, `${nonce} `, [nonce], 7, null, {}]
      for (const json of [{}, ...wrong.map(nonce => ({ nonce })), [], 'x', null]) {
        const response = await post(path, json as object)
        const { code, errors } = (await response.json()) as { code: string; errors: { pointer: string }[] }
        expect([response.status, code], JSON.stringify(json)).toEqual([400, 'invalid_request'])
        if (json !== null && typeof json === 'object' && !Array.isArray(json))
          expect(errors).toMatchObject([{ pointer: '/nonce' }])
      }
    })

    it.each(pairs)(
      'at $post accept only a JSON body of at most 32 KiB, and no other method',
      async ({ post: path }) => {
        const token = tokens[0] ?? ''
        const outcome = async (method: string, body: string | null, type = 'application/json') =>
          outcomeOf(
            await tenants.ours.call(method, path, { token, body: body ?? '', headers: { 'content-type': type } }),
          )
        const json = JSON.stringify({ nonce })
        expect(await outcome('POST', '')).toBe('400 invalid_request')
        expect(await outcome('POST', '{')).toBe('400 malformed_body')
        expect(await outcome('POST', json, 'text/plain')).toBe('415 unsupported_media_type')
        expect(await outcome('POST', `nonce=${nonce}`, 'application/x-www-form-urlencoded')).toBe(
          '415 unsupported_media_type',
        )
        expect(await outcome('POST', JSON.stringify({ nonce, more: 'x'.repeat(32 * 1024) }))).toBe('413 body_too_large')
        for (const method of ['GET', 'HEAD', 'PUT', 'DELETE']) {
          const response = await tenants.ours.call(method, path, { token })
          expect([method, response.status, response.headers.get('allow')]).toEqual([method, 405, 'POST'])
        }
      },
    )

    it('by POST take the identity only from the token, and the page only from the body', async () => {
      const [token = ''] = tokens
      for (const { post: path } of pairs)
        expect(await outcomeOf(await tenants.ours.call('POST', path, { token: '', json: { nonce, token } }))).toBe(
          '401 unauthorized',
        )
      const other = await tenants.ours.createContact({ name: 'Grace Hopper' })
      const named = await dataOf(await post('/widget/session/retrieve', { nonce, contactId: other.id, contact: other }))
      expect(named).toMatchObject({ contact: { name: 'Ada Lovelace' } })
      const page = await dataOf(await post('/widget/messages/list?limit=1&before=2', { nonce, limit: 3 }))
      expect(page).toHaveLength(3)
    })

    it('change nothing', async () => {
      const [token = ''] = tokens
      const before = await stateOf(token)
      for (const pair of pairs) {
        await (await get(pair.get)).body?.cancel()
        await (await post(pair.post, { nonce })).body?.cancel()
      }
      expect(await stateOf(token)).toEqual(before)
    })

    it('by POST return to each of many concurrent requests its own nonce', async () => {
      const attempts = Array.from({ length: 50 }, async () => {
        const own = randomUUID()
        const response = await post('/widget/messages/list', { nonce: own, limit: 1 })
        return ((await response.json()) as { nonce: string }).nonce === own
      })
      expect(await Promise.all(attempts)).toEqual(Array(50).fill(true))
    })

    it('by POST are refused to a page that may not embed the bot', async () => {
      for (const { post: path } of pairs) {
        const asking = { token: tokens[0] ?? '', json: { nonce } }
        const refused = await tenants.ours.call('POST', path, {
          ...asking,
          headers: { origin: 'https://evil.example' },
        })
        expect(await outcomeOf(refused)).toBe('403 origin_not_allowed')
        const allowed = await tenants.ours.call('POST', path, { ...asking, headers: { origin: shopOrigin } })
        expect([allowed.status, allowed.headers.get('access-control-allow-origin')]).toEqual([200, shopOrigin])
        await allowed.body?.cancel()
      }
    })

    const stateOf = async (token: string) =>
      (await dataOf(await get('/widget/session', token))) as { conversation: { lastSeq: number; readSeq: number } }
  })
}
