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
    // Those that have room. Without a length, each body reserves the most that it could have.
    expect(begun.filter(id => id === ours.bot.organizationId)).toHaveLength(4)
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
  it('refuses a large body that has not arrived by the deadline, and keeps its room for no longer', async () => {
    const { clock, ours } = tenants
    const late = Array.from({ length: 4 }, () => sendLargeUpsert(ours))
    for (let round = 0; round < 20; round++) await new Promise(setImmediate)
    clock.advance(30_000)
    for (const { response } of late) {
      const refused = await response
      expect(refused.headers.get('connection')).toBe('close')
      expect(await outcomeOf(refused)).toBe('408 request_timeout')
    }
    const upload = sendLargeUpsert(ours)
    upload.send(JSON.stringify({ data: [{ name: 'Ada', email: 'ada@example.com' }] }))
    upload.end()
    expect(await outcomeOf(await upload.response)).toBe('200')
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
