import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ReceivedRequest } from '../platform/testing/testServer.ts'
import type { ContactUpsertParams, NatterClient, UpsertResult } from './index.ts'
import { failure, json, refuse, scriptedServer, startInMemory } from './testing/testClients.ts'

const entries = (count: number): ContactUpsertParams[] =>
  Array.from({ length: count }, (_, index) => ({ name: `Person ${index}`, email: `person-${index}@example.com` }))
const dataOf = ({ body }: ReceivedRequest): ContactUpsertParams[] => JSON.parse(body).data

/** Writes whatever it is sent. */
const written = json(200, { data: [] })
const writesAll: Parameters<typeof scriptedServer>[0] = (outgoing, request) =>
  json(200, { data: dataOf(request).map(({ email }, index) => ({ index, id: `id of ${email}` })) })(outgoing, request)

describe('upsert of many', () => {
  it('sends a thousand at a time, in order, and returns results with indexes of the whole list', async () => {
    const { client, sent } = await scriptedServer(writesAll)
    const results = await client.contacts.upsert(entries(2500))
    expect(sent.map(request => dataOf(request).length)).toEqual([1000, 1000, 500])
    expect(sent.flatMap(dataOf)).toEqual(entries(2500))
    expect(results).toEqual(entries(2500).map(({ email }, index) => ({ index, id: `id of ${email}` })))
  })

  it('keeps each request below the size limit of the platform', async () => {
    const { client, sent } = await scriptedServer(writesAll)
    // A letter of two bytes. Properties that the platform ignores count as well.
    const heavy = entries(1200).map(entry => ({ ...entry, notes: 'ø'.repeat(5000) }))
    await client.contacts.upsert(heavy)
    expect(sent.length).toBe(3)
    for (const { body } of sent) expect(Buffer.byteLength(body)).toBeLessThan(4 * 1024 * 1024)
    expect(sent.flatMap(dataOf)).toEqual(heavy)
    for (const { body } of sent.slice(0, -1)) expect(Buffer.byteLength(body)).toBeGreaterThan(4 * 1024 * 1024 - 11_000)
  })

  it('counts the commas between the entries, too', async () => {
    const { client, sent } = await scriptedServer(writesAll)
    const bytes = Math.floor((4 * 1024 * 1024 - 11) / 1000)
    const padded = entries(1000).map(entry => ({
      ...entry,
      notes: 'x'.repeat(bytes - JSON.stringify(entry).length - 11),
    }))
    expect(JSON.stringify(padded[0]).length).toBe(bytes)
    await client.contacts.upsert(padded)
    expect(sent.map(({ body }) => body.length <= 4 * 1024 * 1024)).toEqual([true, true])
  })

  it('sends an entry that is too large by itself, so that the platform can refuse it', async () => {
    const { client, sent } = await scriptedServer(writesAll)
    const huge = { email: 'huge@example.com', notes: 'x'.repeat(5 * 1024 * 1024) }
    await client.contacts.upsert([...entries(2), huge, ...entries(2)])
    expect(sent.map(request => dataOf(request).length)).toEqual([2, 1, 2])
  })

  it('sends nothing for no entries', async () => {
    const { client, sent } = await scriptedServer(written)
    expect(await client.contacts.upsert([])).toEqual([])
    expect(sent).toEqual([])
  })

  it('reports progress after each request', async () => {
    const { client } = await scriptedServer(writesAll)
    const progress: unknown[] = []
    await client.contacts.upsert(entries(2001), { onProgress: step => progress.push(step) })
    expect(progress).toEqual([1000, 2000, 2001].map(done => ({ done, total: 2001 })))
  })

  it('takes the entries as they are at the call', async () => {
    const list = entries(1500)
    const { client, sent } = await scriptedServer((outgoing, request) => {
      list.length = 0
      writesAll(outgoing, request)
    })
    expect((await client.contacts.upsert(list)).length).toBe(1500)
    expect(sent.flatMap(dataOf).length).toBe(1500)
  })

  it('has a key for each request, derived from the key given', async () => {
    const { client, sent } = await scriptedServer(writesAll)
    await client.contacts.upsert(entries(1001), { idempotencyKey: 'import-7' })
    await client.contacts.upsert(entries(1), { idempotencyKey: 'import-8' })
    await client.contacts.upsert(entries(1001))
    await client.contacts.upsert(entries(1001), { idempotencyKey: 'import-7' })
    const keys = sent.map(({ headers }) => headers.get('idempotency-key'))
    expect(keys[2]).toBe('import-8')
    expect(new Set(keys.slice(0, 5)).size).toBe(5)
    expect(keys.slice(5)).toEqual(keys.slice(0, 2))
  })

  it('accepts the longest key for any number of requests', async () => {
    const { client, sent } = await scriptedServer(writesAll)
    await client.contacts.upsert(entries(2500), { idempotencyKey: 'x'.repeat(255) })
    expect(new Set(sent.map(({ headers }) => headers.get('idempotency-key'))).size).toBe(3)
  })

  it.each(['x'.repeat(256), 'order 7', ''])('refuses the key %j before the first request', async idempotencyKey => {
    const { client, sent } = await scriptedServer(writesAll)
    const error = await failure(client.contacts.upsert(entries(1001), { idempotencyKey }))
    expect(error).toBeInstanceOf(TypeError)
    expect(String(error)).toContain('idempotencyKey must be')
    expect(sent).toEqual([])
  })

  it('ends with the first request that fails, and says how many entries are written and which are wrong', async () => {
    const errors = [
      { pointer: '/data/3/email', code: 'missing', detail: 'This field is required.', index: 3 },
      { pointer: '/data', code: 'wrong_type', detail: 'Must be a list.' },
    ]
    const { client, sent } = await scriptedServer(writesAll, refuse(400, 'invalid_request', {}, { errors }), writesAll)
    const error = await failure(client.contacts.upsert(entries(3000)))
    expect(sent.length).toBe(2)
    expect(error).toMatchObject({
      name: 'ApiError',
      code: 'invalid_request',
      written: 1000,
      errors: [{ pointer: '/data/1003/email', index: 1003 }, { pointer: '/data' }],
    })
    expect(String(error)).toMatch(
      /\/data\/1003\/email: This field is required\. \/data: Must be a list\. 1000 of 3000 entries are written\. \[/,
    )
  })

  it('says how many entries are written if the platform is gone or slow', async () => {
    const { clientWith } = await scriptedServer(writesAll, writesAll, outgoing => outgoing.destroy())
    const error = await failure(clientWith({ maxRetries: 0 }).contacts.upsert(entries(3000)))
    expect(error).toMatchObject({ name: 'NetworkError', written: 2000 })
    const { clientWith: slow } = await scriptedServer(writesAll, () => {})
    const late = await failure(slow({ maxRetries: 0 }).contacts.upsert(entries(1001), { timeoutMs: 2000 }))
    expect(late).toMatchObject({ name: 'TimeoutError', written: 1000 })
  })

  it('stops between two requests when it is aborted', async () => {
    const abort = new AbortController()
    const { client, sent } = await scriptedServer(writesAll)
    const onProgress = () => abort.abort(new Error('enough'))
    const error = await failure(client.contacts.upsert(entries(3000), { onProgress, signal: abort.signal }))
    expect(error).toHaveProperty('message', 'enough')
    expect(sent.length).toBe(1)
  })
})

describe('upsert on the platform', () => {
  let client: NatterClient
  let close: () => Promise<void>
  beforeAll(async () => {
    ;({ client, close } = await startInMemory())
  })
  afterAll(() => close())

  it('creates and updates 2001 entries, two of which have the same email', async () => {
    const list = [...entries(2000), { email: 'PERSON-0@example.com', phone: '22' }]
    const results: UpsertResult[] = await client.contacts.upsert(list)
    expect(results.map(({ index }) => index)).toEqual(list.map((_, index) => index))
    expect(results[2000]?.id).toBe(results[0]?.id)
    expect((await client.contacts.search({ limit: 1 })).pagination.total).toBe(2000)
    expect(await client.contacts.retrieve(results[0]?.id ?? '')).toMatchObject({ name: 'Person 0', phone: '22' })
  })

  it("leaves the caller's other keys free", async () => {
    await client.contacts.upsert(entries(1500), { idempotencyKey: 'import' })
    for (const idempotencyKey of ['import-1', 'import-2']) {
      expect((await client.contacts.upsert(entries(1), { idempotencyKey })).length).toBe(1)
    }
  })

  it('writes the requests before the one with a bad entry, and nothing of that one', async () => {
    const list = entries(1200).map(entry => ({ ...entry, email: `new-${entry.email}` }))
    list[1100] = { email: 'nonsense', name: '' }
    const error = await failure(client.contacts.upsert(list))
    expect(error).toMatchObject({ code: 'invalid_request', written: 1000 })
    expect(error).toHaveProperty('errors.0.index', 1100)
    expect((await client.contacts.search({ query: 'new-', limit: 1 })).pagination.total).toBe(1000)
  })
})
