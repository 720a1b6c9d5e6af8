import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createTestTenants, dataOf, outcomeOf, type TestTenants } from '../testing/testTenants.ts'

describe('a platform with more to do than it can', () => {
  let tenants: TestTenants
  beforeEach(async () => {
    tenants = await createTestTenants()
  })
  afterEach(() => tenants.close())

  it('answers the upsert of one organization though another keeps 300 connections sending them', async () => {
    const { store, ours, otherOrganization } = tenants
    const slow = Promise.withResolvers<void>()
    const begun: string[] = []
    const upsertContacts = store.upsertContacts
    store.upsertContacts = async (...args) => {
      const [{ organizationId }] = args
      begun.push(organizationId)
      if (organizationId === ours.bot.organizationId) await slow.promise
      return upsertContacts(...args)
    }
    const upsert = (bot: typeof ours) =>
      bot.call('PATCH', '/contacts', { json: { data: [{ name: 'Ada', email: 'ada@example.com' }] } })
    const flood = Array.from({ length: 300 }, () => upsert(ours))
    expect(await outcomeOf(await upsert(otherOrganization))).toBe('200')
    // Those that had room, and those that waited for it. The bodies are small, so that they leave room as they arrive.
    expect(begun.filter(id => id === ours.bot.organizationId)).toHaveLength(68)
    const refused = await Promise.race(flood)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '2'])
    slow.resolve()
    const statuses = (await Promise.all(flood)).map(({ status }) => status)
    expect(statuses.filter(status => status === 200)).toHaveLength(68)
    expect(statuses.filter(status => status === 503)).toHaveLength(232)
  })

  it('lets small upserts pass, and counts the bytes of large ones rather than their number', async () => {
    const { store, ours } = tenants
    const slow = Promise.withResolvers<void>()
    let begun = 0
    const upsertContacts = store.upsertContacts
    store.upsertContacts = async (...args) => {
      begun++
      await slow.promise
      return upsertContacts(...args)
    }
    const upsert = (bytes: number) => {
      const body = JSON.stringify({ data: [{ name: 'Ada', email: 'ada@example.com' }] }).padEnd(bytes)
      const headers = { 'content-type': 'application/json', 'content-length': String(bytes) }
      return ours.call('PATCH', '/contacts', { body, headers })
    }
    const large = Array.from({ length: 20 }, () => upsert(1024 * 1024))
    await expect.poll(() => begun).toBe(16)
    const small = Array.from({ length: 20 }, () => upsert(100))
    await expect.poll(() => begun).toBe(36)
    slow.resolve()
    for (const response of await Promise.all([...large, ...small])) expect(response.status).toBe(200)
  })

  /** The body of an upsert of 4 MiB, which arrives as the test sends it. */
  const sendLargeUpsert = (bot: TestTenants['ours'], declared: string | null = String(4 * 1024 * 1024)) => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>({}, { highWaterMark: 99 })
    const writer = writable.getWriter()
    const length: Record<string, string> = declared === null ? {} : { 'content-length': declared }
    const headers = { 'content-type': 'application/json', authorization: bot.organizationToken, ...length }
    const init = { method: 'PATCH', headers, body: readable, duplex: 'half' }
    const response = tenants.platform.fetch(new Request(`http://natter.test/v1/bots/${bot.bot.id}/contacts`, init))
    const send = (text: string) => writer.write(new TextEncoder().encode(text)).catch(() => {})
    return { send, response, end: () => writer.close().catch(() => {}) }
  }
  const settle = async () => {
    for (let round = 0; round < 20; round++) await new Promise(setImmediate)
  }

  it('does not let large bodies that trickle in keep the room for which others wait', async () => {
    const { clock, ours, otherOrganization } = tenants
    const slow = [ours, otherOrganization].flatMap(bot => Array.from({ length: 4 }, () => sendLargeUpsert(bot)))
    await settle()
    const waiting = sendLargeUpsert(otherOrganization)
    for (const second of [1, 2]) {
      for (const { send } of slow) send(String(second))
      await settle()
      clock.advance(1_000)
    }
    const refused = await Promise.race(slow.slice(4).map(({ response }) => response))
    expect(await outcomeOf(refused)).toBe('408 request_timeout')
    waiting.send(JSON.stringify({ data: [{ name: 'Ada', email: 'ada@example.com' }] }))
    waiting.end()
    expect(await outcomeOf(await waiting.response)).toBe('200')
    expect(tenants.lines.filter(line => /"level":[456]0/.test(line))).toEqual([])
    for (const { end } of slow) end()
  })

  it.each([
    [29, '503 unavailable', '2'],
    [0, '408 request_timeout', null],
  ])('answers a body that was held back for %i s and is late with %s', async (held, refusal, retryAfter) => {
    const { store, clock, ours } = tenants
    const blocked = Promise.withResolvers<void>()
    const upsertContacts = store.upsertContacts
    let begun = 0
    store.upsertContacts = async (...args) => {
      begun++
      await blocked.promise
      return upsertContacts(...args)
    }
    const body = JSON.stringify({ data: [{ name: 'Ada', email: 'ada@example.com' }] })
    const others = Array.from({ length: held === 0 ? 0 : 4 }, () => sendLargeUpsert(ours))
    for (const { send, end } of others) {
      send(body.padEnd(4 * 1024 * 1024))
      end()
    }
    await expect.poll(() => begun).toBe(others.length)
    const late = sendLargeUpsert(ours)
    await settle()
    clock.advance(held * 1_000)
    blocked.resolve()
    for (const { response } of others) expect(await outcomeOf(await response)).toBe('200')
    await settle()
    clock.advance(30_000 - held * 1_000)
    const refused = await late.response
    expect([refused.headers.get('retry-after'), refused.headers.get('connection')]).toEqual([retryAfter, 'close'])
    expect(await outcomeOf(refused)).toBe(refusal)
    late.end()
  })

  it('gives a slow body all of its time while no other waits for its room', async () => {
    const { clock, ours, otherOrganization } = tenants
    // Ours waits for room in its own share, in which the slow body of the other organization has no part.
    const slow = sendLargeUpsert(otherOrganization)
    const fast = Array.from({ length: 4 }, () => sendLargeUpsert(ours))
    await settle()
    const waiting = sendLargeUpsert(ours)
    await settle()
    for (let second = 1; second <= 10; second++) {
      for (const { send } of fast) send(' '.repeat(256 * 1024))
      await settle()
      clock.advance(1_000)
    }
    const body = JSON.stringify({ data: [{ name: 'Ada', email: 'ada@example.com' }] })
    for (const upload of [slow, ...fast, waiting]) {
      upload.send(body)
      upload.end()
    }
    for (const { response } of [slow, ...fast, waiting]) expect(await outcomeOf(await response)).toBe('200')
  })

  it('refuses a body of malformed length, and continues to admit large ones', async () => {
    const { ours } = tenants
    const body = JSON.stringify({ data: [{ name: 'Ada', email: 'ada@example.com' }] })
    for (const length of ['many', '-5', '1e9', '5, 5', '']) {
      const upload = sendLargeUpsert(ours, length)
      upload.send(body)
      upload.end()
      expect(await outcomeOf(await upload.response)).toBe('400 invalid_request')
    }
    const upload = sendLargeUpsert(ours)
    upload.send(body)
    upload.end()
    expect(await outcomeOf(await upload.response)).toBe('200')
  })

  it('counts a body of unknown length by what has arrived, as soon as that is all', async () => {
    const { store, ours } = tenants
    const blocked = Promise.withResolvers<void>()
    let begun = 0
    const upsertContacts = store.upsertContacts
    store.upsertContacts = async (...args) => {
      begun++
      await blocked.promise
      return upsertContacts(...args)
    }
    const uploads = Array.from({ length: 12 }, () => sendLargeUpsert(ours, null))
    for (const { send, end } of uploads) {
      send(JSON.stringify({ data: [{ name: 'Ada', email: 'ada@example.com' }] }))
      end()
    }
    await expect.poll(() => begun).toBe(12)
    blocked.resolve()
    for (const { response } of uploads) expect((await response).status).toBe(200)
  })

  it('counts the time of all that a request waits for together, from its arrival on', async () => {
    const { store, clock, ours } = tenants
    const { findOrganizationToken, findBot, createContact } = store
    let created = 0
    store.findOrganizationToken = async hash => {
      clock.advance(3_000)
      return findOrganizationToken(hash)
    }
    store.findBot = async id => {
      clock.advance(3_000)
      return findBot(id)
    }
    store.createContact = (...args) => {
      created++
      return createContact(...args)
    }
    const create = () => ours.call('PUT', '/contacts', { json: { name: 'Ada', email: 'ada@example.com' } })
    expect(await outcomeOf(await create())).toBe('503 unavailable')
    expect(created).toBe(0)
    store.findBot = findBot
    expect(await outcomeOf(await create())).toBe('201')
  })

  it('ends the opening of a stream with the request that waits for it', async () => {
    const own = await createTestTenants({ rateLimit: 100 })
    const { clock, ours, store } = own
    const token = await ours.visitorToken()
    const { findSession, findConversation } = store
    const never = Promise.withResolvers<never>()
    store.findSession = async hash => {
      // A moment is left of the five seconds.
      clock.advance(4_900)
      return findSession(hash)
    }
    store.findConversation = () => never.promise
    expect(await outcomeOf(await ours.call('GET', '/widget/events', { token }))).toBe('503 unavailable')
    Object.assign(store, { findConversation, findSession })
    await own.close()
  }, 4_000)

  it('carries no request out that had waited too long before its handler began, as in a process that was stopped', async () => {
    const { store, clock, ours } = tenants
    const { id } = await ours.createContact()
    const findOrganizationToken = store.findOrganizationToken
    store.findOrganizationToken = async hash => {
      clock.advance(5_001)
      return findOrganizationToken(hash)
    }
    const update = await ours.call('PATCH', `/contacts/${id}`, { json: { phone: '111' } })
    expect(await outcomeOf(update)).toBe('503 unavailable')
    store.findOrganizationToken = findOrganizationToken
    expect(await dataOf(await ours.call('GET', `/contacts/${id}`))).toMatchObject({ phone: '' })
  })
})
