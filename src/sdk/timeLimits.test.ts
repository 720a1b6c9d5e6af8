import { getEventListeners } from 'node:events'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { defaultTimeLimitMs, endpoints } from '../contract/index.ts'
import { ApiError, createClient, isTimeoutError } from './index.ts'
import {
  failure,
  json,
  options,
  type Responder,
  refuse,
  scriptedServer,
  withFastTimers,
} from './testing/testClients.ts'

const at = '2026-01-01T00:00:00.000Z'
const found = json(200, { data: { id: '1', name: 'Ada', email: 'ada@example.com', createdAt: at, updatedAt: at } })
const never: Responder = () => {}

describe('TimeoutError', () => {
  it('is thrown if no attempt gets a response in time, and names the time', async () => {
    const { clientWith, sent } = await scriptedServer(never)
    const error = await failure(clientWith({ timeoutMs: 1000, maxRetries: 1 }).contacts.retrieve('1'))
    if (!isTimeoutError(error)) throw error
    expect(error.timeoutMs).toBe(1000)
    expect(error.message).toContain('within 1000 ms. [GET /v1/bots/{botId}/contacts/{contactId} at 127.0.0.1:')
    expect(sent.length).toBe(2)
  })

  it('is thrown only after the time limit of the platform, which is longer for an upsert', async () => {
    const waits: number[] = []
    const setTimeout = vi.spyOn(globalThis, 'setTimeout')
    onTestFinished(() => setTimeout.mockRestore())
    const client = createClient({
      ...options,
      maxRetries: 0,
      fetch: () => {
        waits.push(Math.max(...setTimeout.mock.calls.map(([, ms]) => ms ?? 0)))
        return Response.json({ data: [] })
      },
    })
    await failure(client.contacts.create({ name: 'Ada', email: 'ada@example.com' }))
    await client.contacts.upsert([{ name: 'Ada', email: 'ada@example.com' }])
    expect(waits).toEqual([defaultTimeLimitMs + 5_000, (endpoints.upsertContacts.timeLimitMs ?? 0) + 5_000])
    expect(waits).toEqual([10_000, 35_000])
  })

  it('is thrown if the response does not end in time', async () => {
    const { clientWith } = await scriptedServer(outgoing => outgoing.writeHead(200).write('{'))
    const { contacts } = clientWith({ maxRetries: 0 })
    expect(isTimeoutError(await failure(contacts.retrieve('1', { timeoutMs: 10 })))).toBe(true)
  })

  it('is thrown also if fetch ignores the signal', async () => {
    const client = createClient({
      ...options,
      timeoutMs: 10,
      maxRetries: 0,
      fetch: () => new Promise<Response>(() => {}),
    })
    expect(isTimeoutError(await failure(client.contacts.retrieve('1')))).toBe(true)
  })

  it.each([0, 0.5, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31])(
    'does not accept a time limit of %s',
    async timeoutMs => {
      expect(() => createClient({ ...options, timeoutMs })).toThrow('timeoutMs must be')
      await expect(createClient(options).contacts.search({}, { timeoutMs })).rejects.toThrow('timeoutMs must be')
    },
  )
})

describe('aborting', () => {
  const reason = new Error('the visitor has gone')

  it('before the call sends nothing', async () => {
    const { client, sent } = await scriptedServer(found)
    expect(await failure(client.contacts.retrieve('1', { signal: AbortSignal.abort(reason) }))).toBe(reason)
    expect(sent).toEqual([])
  })

  it('during a request rejects with the reason and closes the connection', async () => {
    const abort = new AbortController()
    const { client, sent } = await scriptedServer(() => abort.abort(reason))
    expect(await failure(client.contacts.create({ name: 'A', email: 'a@example.com' }, { signal: abort.signal }))).toBe(
      reason,
    )
    await sent[0]?.closed
    expect(sent.length).toBe(1)
  })

  it('while it waits for a retry rejects at once, and does not retry', async () => {
    const abort = new AbortController()
    const { client, sent } = await scriptedServer((outgoing, request) => {
      refuse(503, 'unavailable', { 'retry-after': '9' })(outgoing, request)
      setTimeout(() => abort.abort(reason), 20)
    })
    expect(await failure(client.contacts.retrieve('1', { signal: abort.signal }))).toBe(reason)
    expect(sent.length).toBe(1)
  })

  it('with a reason that looks like a temporary failure does not retry', async () => {
    const abort = new AbortController()
    const answer = {
      code: 'rate_limited',
      status: 429,
      detail: '',
      requestId: '',
      headers: new Headers(),
      errors: [],
      conflict: undefined,
      written: 0,
    }
    const like = new ApiError('the job was given up', { ...answer, retryAfterMs: 9000 })
    const { client, sent } = await scriptedServer(() => abort.abort(like))
    expect(await failure(client.contacts.retrieve('1', { signal: abort.signal }))).toBe(like)
    expect(sent.length).toBe(1)
  })

  it('by AbortSignal.timeout is not a TimeoutError of the SDK', async () => {
    const { client } = await scriptedServer(never)
    const error = await failure(client.contacts.retrieve('1', { signal: AbortSignal.timeout(10) }))
    expect(error).toBeInstanceOf(DOMException)
    expect(isTimeoutError(error)).toBe(false)
  })

  it('leaves no listener on a signal that outlives the call', async () => {
    const { signal } = new AbortController()
    const { client } = await scriptedServer(refuse(503, 'unavailable'), found, refuse(404, 'not_found'))
    await withFastTimers(() => client.contacts.retrieve('1', { signal }))
    await failure(client.contacts.retrieve('1', { signal }))
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })
})
