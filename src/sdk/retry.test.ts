import { afterEach, describe, expect, it, vi } from 'vitest'
import type { ReceivedRequest } from '../platform/testing/testServer.ts'
import { createClient, isSdkError, type NatterClient } from './index.ts'
import {
  failure,
  json,
  options,
  type Responder,
  refuse,
  scriptedServer,
  withFastTimers,
} from './testing/testClients.ts'

const contactToken = `c:${'ab12'.repeat(16)}`
const at = '2026-01-01T00:00:00.000Z'
const contact = {
  id: '1',
  name: 'Ada',
  email: 'ada@example.com',
  phone: '',
  mid: '',
  wid: '',
  createdAt: at,
  updatedAt: at,
}
const message = { id: 'm', seq: 1, author: 'agent', text: 'Hello', format: 'plain', createdAt: at }
const pages = {
  total: 0,
  page: 1,
  limit: 10,
  totalPages: 0,
  startPage: 1,
  endPage: 0,
  startIndex: 0,
  endIndex: -1,
  pages: [],
}

const found = json(200, { data: contact })
const empty: Responder = outgoing => outgoing.writeHead(204).end()
const unavailable = refuse(503, 'unavailable')
const cut: Responder = outgoing => outgoing.destroy()
const cutInTheMiddle: Responder = outgoing => {
  outgoing.writeHead(200, { 'content-length': 1000 })
  outgoing.write('{"data":', () => outgoing.destroy())
}
const page: (status: number) => Responder = status => outgoing => outgoing.writeHead(status).end('<h1>Bad gateway</h1>')

afterEach(() => vi.unstubAllGlobals())

const keys = (sent: ReceivedRequest[]) => sent.map(({ headers }) => headers.get('idempotency-key'))

type Run = (client: NatterClient) => Promise<unknown>
const calls: [string, Responder, Run][] = [
  ['create', json(201, { data: contact }), ({ contacts }) => contacts.create({ name: 'A', email: 'a@example.com' })],
  [
    'upsert',
    json(200, { data: [{ index: 0, id: '1' }] }),
    ({ contacts }) => contacts.upsert([{ email: 'a@example.com' }]),
  ],
  ['search', json(200, { data: [], pagination: pages }), ({ contacts }) => contacts.search()],
  ['retrieve', found, ({ contacts }) => contacts.retrieve('1')],
  ['update', outgoing => outgoing.end(), ({ contacts }) => contacts.update('1', { name: 'A' })],
  ['delete', empty, ({ contacts }) => contacts.delete('1')],
  [
    'createToken',
    json(201, { data: { token: contactToken, createdAt: at, expiresAt: at } }),
    ({ contactTokens }) => contactTokens.create({ id: '1' }),
  ],
  ['revokeToken', empty, ({ contactTokens }) => contactTokens.revoke(contactToken)],
  ['revokeTokens', empty, ({ contactTokens }) => contactTokens.revokeAll('1')],
  ['list', json(200, { data: [], next: null }), ({ conversations }) => conversations.list()],
  ['read', json(200, { data: [] }), ({ conversations }) => conversations.messages.list('1')],
  ['send', json(201, { data: message }), ({ conversations }) => conversations.messages.send('1', { text: 'Hello' })],
  ['handBack', empty, ({ conversations }) => conversations.handBack('1')],
]

describe('a retry', () => {
  it.each(calls)('of %s sends the same request with the same key', async (_, answer, run) => {
    const { client, sent } = await scriptedServer(unavailable, cut, answer)
    await withFastTimers(() => run(client))
    expect(sent.length).toBe(3)
    const [first, ...more] = sent.map(({ method, path, body }, index) => [method, path, body, keys(sent)[index]])
    for (const again of more) expect(again).toEqual(first)
  })

  it.each<[string, Responder]>([
    ['a body that arrived too slowly', refuse(408, 'request_timeout')],
    ['too many requests', refuse(429, 'rate_limited')],
    ['a store that does not answer', unavailable],
    ['a proxy that does not reach the platform', page(502)],
    ['a proxy that gives up', page(504)],
    ['a connection that breaks', cut],
    ['a connection that breaks in the middle of the answer', cutInTheMiddle],
  ])('happens after %s', async (_, answer) => {
    const { client, sent } = await scriptedServer(answer, found)
    expect(await withFastTimers(() => client.contacts.retrieve('1'))).toEqual(contact)
    expect(sent.length).toBe(2)
  })

  it.each<[string, Responder]>([
    ['a refusal', refuse(404, 'not_found')],
    ['an error of the platform', refuse(500, 'internal')],
    ['a redirect', outgoing => outgoing.writeHead(302, { location: '/' }).end()],
    ['a response that cannot be parsed', page(200)],
  ])('never happens after %s', async (_, answer) => {
    const { client, sent } = await scriptedServer(answer)
    expect(await failure(client.contacts.retrieve('1'))).toHaveProperty('name', 'ApiError')
    expect(sent.length).toBe(1)
  })

  it.each([
    [undefined, 3],
    [0, 1],
    [3, 4],
  ])('with maxRetries %s ends after %i attempts', async (maxRetries, attempts) => {
    const { clientWith, sent } = await scriptedServer(unavailable)
    const error = await withFastTimers(() => failure(clientWith({ maxRetries }).contacts.search()))
    expect(error).toMatchObject({ code: 'unavailable' })
    expect(sent.length).toBe(attempts)
  })

  /** How long a client waits between the attempts of a call that always gets this response. */
  async function waitsAfter(answer: () => Promise<Response>, { maxRetries = 3 } = {}): Promise<number[]> {
    const waits: number[] = []
    const { setTimeout } = globalThis
    vi.stubGlobal('setTimeout', (run: () => void, delayMs: number) => {
      if (delayMs !== 30_000) waits.push(delayMs)
      return setTimeout(run, delayMs === 30_000 ? delayMs : 0)
    })
    const client = createClient({ ...options, maxRetries, timeoutMs: 30_000, fetch: answer })
    expect(isSdkError(await failure(client.contacts.search()))).toBe(true)
    return waits
  }

  it('waits longer each time, with jitter', async () => {
    const seen = new Set<number>()
    for (let round = 0; round < 5; round++) {
      const waits = await waitsAfter(() => Promise.reject(new TypeError('fetch failed')))
      expect(waits.length).toBe(3)
      for (const [index, wait] of waits.entries()) {
        expect(wait).toBeGreaterThanOrEqual(150 * 2 ** index)
        expect(wait).toBeLessThanOrEqual(300 * 2 ** index)
        seen.add(wait)
      }
    }
    expect(seen.size).toBe(15)
  })

  it('waits no longer than 5 s, after any number of attempts', async () => {
    const waits = await waitsAfter(() => Promise.reject(new TypeError('fetch failed')), { maxRetries: 12 })
    expect(waits.length).toBe(12)
    for (const wait of waits.slice(5)) {
      expect(wait).toBeGreaterThanOrEqual(2_500)
      expect(wait).toBeLessThanOrEqual(5_000)
    }
  })

  it('happens as often as the call says, which overrides the client', async () => {
    const { client, clientWith, sent } = await scriptedServer(unavailable)
    await failure(client.contacts.retrieve('1', { maxRetries: 0 }))
    expect(sent.length).toBe(1)
    const { contacts } = clientWith({ maxRetries: 0 })
    await withFastTimers(() => failure(contacts.search({}, { maxRetries: 1 })))
    expect(sent.length).toBe(3)
    await expect(client.contacts.retrieve('1', { maxRetries: -1 })).rejects.toThrow('maxRetries must be')
    expect(sent.length).toBe(3)
  })

  it.each([
    ['in seconds', () => '20'],
    ['as a date', () => new Date(Date.now() + 20_500).toUTCString()],
  ])('waits as long as Retry-After says, %s, and a little longer', async (_, value) => {
    const headers = () => ({ 'retry-after': value() })
    const waits = await waitsAfter(async () => new Response('', { status: 429, headers: headers() }))
    expect(waits.length).toBe(3)
    for (const wait of waits) {
      expect(wait).toBeGreaterThan(19_000)
      expect(wait).toBeLessThan(22_000)
    }
    expect(new Set(waits.map(wait => wait % 1000)).size).toBe(3)
  })

  it.each<[string, number | undefined]>([
    ['0', 0],
    ['Thu, 01 Jan 2026 00:00:00 GMT', 0],
    ['soon', undefined],
  ])('takes %s in Retry-After as %s ms', async (value, retryAfterMs) => {
    const { clientWith } = await scriptedServer(refuse(429, 'rate_limited', { 'retry-after': value }))
    expect(await failure(clientWith({ maxRetries: 0 }).contacts.search())).toMatchObject({ retryAfterMs })
  })

  it('does not happen if Retry-After is longer than the timeout', async () => {
    const { client, sent } = await scriptedServer(refuse(429, 'rate_limited', { 'retry-after': '60' }))
    const error = await failure(client.contacts.retrieve('1'))
    expect(error).toMatchObject({ code: 'rate_limited', status: 429, retryAfterMs: 60_000 })
    expect(sent.length).toBe(1)
  })
})

describe('Idempotency-Key', () => {
  const ada = { name: 'Ada', email: 'ada@example.com' }

  it('is random for each call whose repetition would have another effect, and is not sent for others', async () => {
    const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/
    const withKey: string[] = []
    for (const [name, answer, run] of calls) {
      const { client, sent } = await scriptedServer(answer)
      await run(client)
      await run(client)
      const [one, two] = keys(sent)
      if (!one) continue
      withKey.push(name)
      expect([one, two]).toEqual([expect.stringMatching(uuid), expect.stringMatching(uuid)])
      expect(one).not.toBe(two)
    }
    expect(withKey).toEqual(['create', 'upsert', 'update', 'delete', 'createToken', 'revokeTokens', 'handBack'])
  })

  it("is the caller's if there is one", async () => {
    const { client, sent } = await scriptedServer(unavailable, json(201, { data: contact }))
    await withFastTimers(() => client.contacts.create(ada, { idempotencyKey: 'order-7' }))
    expect(keys(sent)).toEqual(['order-7', 'order-7'])
  })

  it.each(['', 'two words', 'ø', 'x'.repeat(256)])(
    'is refused as %j, which is no valid header',
    async idempotencyKey => {
      const { client, sent } = await scriptedServer(found)
      await expect(client.contacts.create(ada, { idempotencyKey })).rejects.toThrow('idempotencyKey must be')
      expect(sent).toEqual([])
    },
  )
})

describe('delete', () => {
  it('sends one key with all attempts, so that a retry does not get not_found', async () => {
    const { client, sent } = await scriptedServer(cut, outgoing => outgoing.writeHead(204).end())
    await withFastTimers(() => client.contacts.delete('1'))
    const [first, ...more] = keys(sent)
    expect(first).toMatch(/^[0-9a-f-]{36}$/)
    expect(more).toEqual([first])
  })

  it('rejects if there is no such contact', async () => {
    const { client } = await scriptedServer(cut, refuse(404, 'not_found'))
    expect(await withFastTimers(() => failure(client.contacts.delete('1')))).toMatchObject({ code: 'not_found' })
  })
})
