import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createTestTenants, dataOf, outcomeOf, type TestBot, type TestTenants } from '../testing/testTenants.ts'

const ada = JSON.stringify({ data: [{ name: 'Ada', email: 'ada@example.com' }] })
const type = { 'content-type': 'application/json' }

/** Returns a function that makes deadlines come nearer by so many milliseconds, as if the process had been stopped meanwhile. */
function stoppableProcess(): (ms: number) => void {
  const { bigint } = process.hrtime
  let stoppedMs = 0
  vi.spyOn(process.hrtime, 'bigint').mockImplementation(() => bigint() + BigInt(stoppedMs * 1e6))
  onTestFinished(() => void vi.restoreAllMocks())
  return ms => {
    stoppedMs += ms
  }
}

/** Test tenants. The upserts of the first organization wait until `goOn` is called; `begun` is how many have begun. */
async function startSlow() {
  const tenants = await createTestTenants()
  const { promise, resolve: goOn } = Promise.withResolvers<void>()
  const { upsertContacts } = tenants.store
  let begun = 0
  tenants.store.upsertContacts = async (...args) => {
    const isSlow = args[0].organizationId === tenants.ours.bot.organizationId
    if (isSlow) begun++
    if (isSlow) await promise
    return upsertContacts(...args)
  }
  return { ...tenants, begun: () => begun, goOn }
}

describe('a platform with more to do than it can', () => {
  it('answers the upsert of one organization though another keeps 300 connections sending them', async () => {
    const { ours, otherOrganization, begun, goOn } = await startSlow()
    const upsert = (bot: TestBot) => bot.call('PATCH', '/contacts', { headers: type, body: ada })
    const flood = Array.from({ length: 300 }, () => upsert(ours))
    expect(await outcomeOf(upsert(otherOrganization))).toBe('200')
    // Those that have room. Without a length, each body reserves the most that it could have.
    expect(begun()).toBe(4)
    const refused = await Promise.race(flood)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '2'])
    goOn()
    const statuses = (await Promise.all(flood)).map(({ status }) => status)
    expect(statuses.filter(status => status === 200)).toHaveLength(68)
    expect(statuses.filter(status => status === 503)).toHaveLength(232)
  })

  it('lets small upserts pass, and counts the bytes of large ones rather than their number', async () => {
    const { ours, begun, goOn } = await startSlow()
    const upsert = (bytes: number) =>
      ours.call('PATCH', '/contacts', {
        headers: { ...type, 'content-length': String(bytes) },
        body: ada.padEnd(bytes),
      })
    const large = Array.from({ length: 20 }, () => upsert(1024 * 1024))
    await expect.poll(begun).toBe(16)
    const small = Array.from({ length: 20 }, () => upsert(100))
    await expect.poll(begun).toBe(36)
    goOn()
    for (const response of await Promise.all([...large, ...small])) expect(response.status).toBe(200)
  })

  /** Begins an upsert of which only the declared length has arrived. `send` sends its body. */
  function beginUpsert({ platform, ours }: TestTenants, length = String(4 * 1024 * 1024)) {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>({}, { highWaterMark: 99 })
    const writer = writable.getWriter()
    const headers = { ...type, authorization: ours.organizationToken, 'content-length': length }
    const init = { method: 'PATCH', headers, body: readable, duplex: 'half' }
    const response = platform.fetch(new Request(`http://natter.test/v1/bots/${ours.bot.id}/contacts`, init))
    return {
      response,
      send(): Promise<string> {
        writer.write(new TextEncoder().encode(ada)).catch(() => {})
        writer.close().catch(() => {})
        return outcomeOf(response)
      },
    }
  }

  it('refuses a large body that has not arrived by the deadline, and keeps its room for no longer', async () => {
    const tenants = await createTestTenants()
    const late = Array.from({ length: 4 }, () => beginUpsert(tenants))
    for (let round = 0; round < 20; round++) await new Promise(setImmediate)
    tenants.clock.advance(30_000)
    for (const { response } of late) {
      const refused = await response
      expect(refused.headers.get('connection')).toBe('close')
      expect(await outcomeOf(refused)).toBe('408 request_timeout')
    }
    expect(await beginUpsert(tenants).send()).toBe('200')
  })

  it('refuses a body of malformed length, and continues to admit large ones', async () => {
    const tenants = await createTestTenants()
    for (const length of ['many', '-5', '1e9', '5, 5', ''])
      expect(await beginUpsert(tenants, length).send()).toBe('400 invalid_request')
    expect(await beginUpsert(tenants).send()).toBe('200')
  })

  it('counts the time of all that a request waits for together, from its arrival on', async () => {
    const { store, ours } = await createTestTenants()
    const stop = stoppableProcess()
    const { findOrganizationToken, findBot } = store
    const create = vi.spyOn(store, 'createContact')
    store.findOrganizationToken = async hash => {
      stop(3_000)
      return findOrganizationToken(hash)
    }
    store.findBot = async id => {
      stop(3_000)
      return findBot(id)
    }
    const request = () => outcomeOf(ours.call('PUT', '/contacts', { json: { name: 'Ada', email: 'ada@example.com' } }))
    expect(await request()).toBe('503 unavailable')
    expect(create).not.toHaveBeenCalled()
    store.findBot = findBot
    expect(await request()).toBe('201')
  })

  it('ends the opening of a stream with the request that waits for it', async () => {
    const { ours, store } = await createTestTenants({ rateLimit: 100 })
    const stop = stoppableProcess()
    const token = await ours.visitorToken()
    const { findSession } = store
    store.findSession = async hash => {
      // A moment is left of the five seconds.
      stop(4_900)
      return findSession(hash)
    }
    store.findConversation = () => new Promise(() => {})
    expect(await outcomeOf(ours.call('GET', '/widget/events', { token }))).toBe('503 unavailable')
  }, 4_000)

  it('carries no request out that had waited too long before its handler began, as in a process that was stopped', async () => {
    const { store, ours } = await createTestTenants()
    const stop = stoppableProcess()
    const { id } = await ours.createContact()
    const { findOrganizationToken } = store
    store.findOrganizationToken = async hash => {
      stop(5_001)
      return findOrganizationToken(hash)
    }
    const update = await ours.call('PATCH', `/contacts/${id}`, { json: { phone: '111' } })
    expect(await outcomeOf(update)).toBe('503 unavailable')
    store.findOrganizationToken = findOrganizationToken
    expect(await dataOf(ours.call('GET', `/contacts/${id}`))).toMatchObject({ phone: '' })
  })
})
