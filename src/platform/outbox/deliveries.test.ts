import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { isSignedWebhook, type WebhookEvent } from '../../contract/index.ts'
import { timestamp } from '../domain/time.ts'
import { mintWebhookSecret } from '../domain/tokens.ts'
import { createPlatform, sweepMs } from '../platform.ts'
import { createSecretCipher } from '../secrets/secretCipher.ts'
import { type ReceivedRequest, startTestServer, type TestServer, webhookSecret } from '../testing/testServer.ts'
import { advanceUntil, createTestTenants, type TestBot, type TestTenants } from '../testing/testTenants.ts'
import { createDeliveries } from './deliveries.ts'

const [second, hour] = [1000, 60 * 60 * 1000]

let tenants: TestTenants
const endpoints: TestServer[] = []
beforeEach(async () => {
  tenants = await createTestTenants()
})
afterEach(async () => {
  for (const endpoint of endpoints.splice(0)) await endpoint.close()
  await tenants.close()
})

const start = async (...answer: Parameters<typeof startTestServer>): Promise<TestServer> => {
  const endpoint = await startTestServer(...answer)
  endpoints.push(endpoint)
  return endpoint
}
const listen = (testBot: TestBot, url: string) =>
  tenants.store.updateBot(testBot.bot.id, { events: { url, secret: webhookSecret } })
const eventOf = ({ body }: ReceivedRequest) => JSON.parse(body) as WebhookEvent
const due = () =>
  tenants.store.leaseDeliveries('a test', new Date(tenants.clock.now() + 90 * 24 * hour).toISOString(), '', many)
const many = { all: 100, perBot: 100, except: [] }

describe('the events webhook', () => {
  it('receives a new conversation, each message and a logout, signed, as soon as they are stored', async () => {
    const endpoint = await start(response => response.writeHead(204).end())
    await listen(tenants.ours, endpoint.url)
    const { id } = await tenants.ours.createContact({ name: 'Ada' })
    const token = await tenants.ours.contactToken(id)
    await tenants.ours.send(token, 'Hello?')
    const first = [await endpoint.received(1), await endpoint.received(2)]
    const events = first.map(eventOf).sort((a, b) => a.type.localeCompare(b.type))
    expect(events).toMatchObject([
      { type: 'conversation.created', botId: tenants.ours.bot.id, data: { contact: { id, name: 'Ada' } } },
      { type: 'message.created', data: { message: { seq: 1, author: 'visitor', text: 'Hello?' } } },
    ])
    for (const request of first) {
      const now = tenants.clock.now() / 1000
      expect(request.headers.get('webhook-id')).toBe(eventOf(request).id)
      expect(await isSignedWebhook(webhookSecret, request.headers, request.body, now)).toBe(true)
      expect(await isSignedWebhook(webhookSecret, request.headers, `${request.body} `, now)).toBe(false)
      expect(await isSignedWebhook(webhookSecret, request.headers, request.body, now + 301)).toBe(false)
    }
    await tenants.ours.call('DELETE', '/widget/session', { token })
    const logout = await advanceUntil(tenants.clock, sweepMs, endpoint.received(3))
    expect(eventOf(logout)).toMatchObject({ type: 'session.ended', data: { reason: 'logged_out' } })
  })

  it('is also signed with the former secret until that has expired', async () => {
    const endpoint = await start(response => response.writeHead(204).end())
    const [secret, until] = [mintWebhookSecret(), timestamp(tenants.clock.now() + hour)]
    const events = { url: endpoint.url, secret, former: { secret: webhookSecret, until } }
    await tenants.store.updateBot(tenants.ours.bot.id, { events })
    const signers = async (number: number) => {
      const { headers, body } = await endpoint.received(number)
      const isSigned = (by: string) => isSignedWebhook(by, headers, body, tenants.clock.now() / 1000)
      return [await isSigned(secret), await isSigned(webhookSecret)]
    }
    await tenants.ours.send(await tenants.ours.visitorToken(), 'Hello?')
    expect([await signers(1), await signers(2)]).toEqual([
      [true, true],
      [true, true],
    ])
    tenants.clock.advance(hour)
    await tenants.ours.send(await tenants.ours.visitorToken(), 'Hello again?')
    expect([await signers(3), await signers(4)]).toEqual([
      [true, false],
      [true, false],
    ])
  })

  it('receives neither messages of the bot or an agent nor events of other bots', async () => {
    await tenants.close()
    tenants = await createTestTenants({
      responder: {
        async *answer() {
          yield { text: 'from the bot' }
        },
      },
    })
    const { ours, sibling, clock } = tenants
    const endpoint = await start(response => response.writeHead(204).end())
    await listen(ours, endpoint.url)
    await sibling.send(await sibling.visitorToken(), 'to another bot')
    const { id } = await ours.createContact()
    const json = { id: crypto.randomUUID(), text: 'from an agent' }
    expect((await ours.call('POST', `/contacts/${id}/messages`, { json })).status).toBe(201)
    const token = await ours.visitorToken()
    await ours.send(token, 'from a visitor')
    const history = async () => (await ours.call('GET', '/widget/messages', { token })).text()
    await advanceUntil(
      clock,
      20,
      vi.waitFor(async () => expect(await history()).toContain('from the bot')),
    )
    await vi.waitFor(async () => expect(await due()).toEqual([]), { timeout: 20_000 })
    const events = [...new Map(endpoint.requests.map(eventOf).map(event => [event.id, event])).values()]
    expect(events.map(({ type }) => type).sort()).toEqual(['conversation.created', 'message.created'])
    expect(JSON.stringify(events)).not.toMatch(/to another bot|from an agent|from the bot/)
  })

  it('is retried with the same id and growing delays until it accepts the event', async () => {
    const attempts: { id: string; at: number }[] = []
    const endpoint = await start((response, request) => {
      const { type, id } = eventOf(request)
      if (type === 'message.created') attempts.push({ id, at: tenants.clock.now() })
      response.writeHead(type === 'message.created' && attempts.length < 7 ? 500 : 200).end('noted')
    })
    await listen(tenants.ours, endpoint.url)
    await tenants.ours.send(await tenants.ours.visitorToken(), 'Hello?')
    await advanceUntil(tenants.clock, 100, endpoint.received(8))
    expect(new Set(attempts.map(({ id }) => id)).size).toBe(1)
    const pauses = attempts.slice(1).map(({ at }, index) => at - (attempts[index]?.at ?? 0))
    // One second, doubled each time, minus up to half of it.
    for (const [index, pause] of pauses.entries()) expect(pause).toBeGreaterThanOrEqual(2 ** index * 500)
    expect(tenants.lines.join()).toContain('status 500')
    expect(tenants.lines.join()).not.toContain('Hello?')
  })

  it('is given up after a day, or after a 410 response, with a log line', async () => {
    const givenUp = () => tenants.lines.filter(line => line.includes('was dropped'))
    const wait = (count: number) => vi.waitFor(() => expect(givenUp()).toHaveLength(count), { timeout: 20_000 })
    const gone = await start(response => response.writeHead(410).end())
    await listen(tenants.sibling, gone.url)
    await tenants.sibling.send(await tenants.sibling.visitorToken(), 'Hello?')
    await wait(2)
    expect(givenUp().join()).toContain('status 410')

    const dead = await start(response => response.destroy())
    await listen(tenants.ours, dead.url)
    await tenants.ours.send(await tenants.ours.visitorToken(), 'Hello?')
    const before = tenants.clock.now()
    await advanceUntil(tenants.clock, hour / 4, wait(4))
    expect(tenants.clock.now() - before).toBeGreaterThanOrEqual(24 * hour)
    expect(await due()).toEqual([])
  })

  it('gets an event that no process could deliver for two days, though it fails the first time', async () => {
    await tenants.platform.close()
    const attempts: string[] = []
    const endpoint = await start((response, request) => {
      attempts.push(eventOf(request).id)
      response.writeHead(attempts.length === 1 ? 503 : 204).end()
    })
    await listen(tenants.ours, endpoint.url)
    const { store, clock, ours } = tenants
    const at = (ms: number) => timestamp(clock.now() + ms)
    const session = { hash: 'a'.repeat(64), conversationId: crypto.randomUUID() }
    await store.createVisitorSession(ours.bot.id, { ...session, createdAt: at(0), expiresAt: at(hour) })
    await store.endSession(ours.bot.id, session.hash, 'logged_out', at(0))
    clock.advance(48 * hour)
    const next = createPlatform({ store, clock })
    await advanceUntil(clock, sweepMs, endpoint.received(2))
    expect(new Set(attempts).size).toBe(1)
    await next.close()
  })

  it('that was removed from a bot receives nothing more, and its pending events are deleted', async () => {
    const endpoint = await start(response => response.writeHead(500).end())
    await listen(tenants.ours, endpoint.url)
    await tenants.ours.send(await tenants.ours.visitorToken(), 'Hello?')
    await endpoint.received(2)
    await tenants.store.updateBot(tenants.ours.bot.id, { events: null })
    const gone = vi.waitFor(async () => expect(await due()).toEqual([]), { timeout: 20_000 })
    await advanceUntil(tenants.clock, 100, gone)
    expect(endpoint.requests).toHaveLength(2)
  })

  it('follows no redirect, and respects Retry-After', async () => {
    const inner = await start(response => response.writeHead(204).end())
    const outer = await start((response, _, number) =>
      number > 2
        ? response.writeHead(204).end()
        : response.writeHead(307, { location: inner.url, 'retry-after': '600' }).end(),
    )
    await listen(tenants.ours, outer.url)
    await tenants.ours.send(await tenants.ours.visitorToken(), 'Hello?')
    await outer.received(2)
    const before = tenants.clock.now()
    await advanceUntil(tenants.clock, second, outer.received(3))
    expect(tenants.clock.now() - before).toBeGreaterThanOrEqual(590 * second)
    expect(inner.requests).toEqual([])
  })

  it('at a metadata or private address is not called where the egress policy refuses it, and the log says why', async () => {
    const inner = await start(response => response.writeHead(204).end())
    const strict = await createTestTenants({ egress: 'public' })
    try {
      const reasonOf = async (url: string) => {
        const before = strict.lines.length
        await strict.store.updateBot(strict.ours.bot.id, { events: { url, secret: webhookSecret } })
        await strict.ours.send(await strict.ours.visitorToken(), 'Hello?')
        const line = () => strict.lines.slice(before).find(line => line.includes('could not be delivered'))
        await expect.poll(line).toBeDefined()
        return line()
      }
      for (const url of [inner.url, inner.url.replace('127.0.0.1', 'localhost')])
        expect(await reasonOf(`${url}/?key=url-secret`)).toContain('The address is not public')
      expect(inner.requests).toEqual([])
      expect(strict.lines.join()).not.toMatch(/url-secret|whsec_/)
    } finally {
      await strict.close()
    }
    await listen(tenants.ours, 'http://[::ffff:169.254.169.254]/latest/meta-data')
    await tenants.ours.send(await tenants.ours.visitorToken(), 'Hello?')
    await expect.poll(() => tenants.lines.join()).toContain('a cloud metadata service, which the platform never calls')
  })

  it('that hangs blocks only some of its own events, and none of other bots', async () => {
    const hanging = await start(() => {})
    const fine = await start(response => response.writeHead(204).end())
    await listen(tenants.ours, hanging.url)
    await listen(tenants.sibling, fine.url)
    const token = await tenants.ours.visitorToken()
    for (let count = 0; count < 12; count++) await tenants.ours.send(token, 'Hello?')
    await tenants.sibling.send(await tenants.sibling.visitorToken(), 'Hello?')
    await fine.received(2)
    const { closed } = await hanging.received(1)
    expect(hanging.requests.length).toBeLessThanOrEqual(8)
    await advanceUntil(tenants.clock, second, closed)
  })

  it('is retried by the next process immediately if this one stops meanwhile', async () => {
    const hanging = await start(() => {})
    await listen(tenants.ours, hanging.url)
    await tenants.ours.send(await tenants.ours.visitorToken(), 'Hello?')
    const { id } = eventOf(await hanging.received(1))
    // Closing waits briefly for running deliveries.
    await advanceUntil(tenants.clock, 100, tenants.platform.close())
    const endpoint = await start(response => response.writeHead(204).end())
    await listen(tenants.ours, endpoint.url)
    const next = createPlatform({ store: tenants.store, clock: tenants.clock })
    const events = [await endpoint.received(1), await endpoint.received(2)].map(eventOf)
    expect(events.map(event => event.id)).toContain(id)
    await next.close()
  })

  it('gives an event back in time if its delivery begins after the time that closing waits', async () => {
    await tenants.platform.close()
    const hanging = await start(() => {})
    await listen(tenants.ours, hanging.url)
    const at = (ms: number) => new Date(tenants.clock.now() + ms).toISOString()
    const session = { hash: 'a'.repeat(64), conversationId: crypto.randomUUID() }
    await tenants.store.createVisitorSession(tenants.ours.bot.id, { ...session, createdAt: at(0), expiresAt: at(hour) })
    await tenants.store.endSession(tenants.ours.bot.id, session.hash, 'logged_out', at(0))
    const lookUp = Promise.withResolvers<void>()
    const deliveries = createDeliveries({
      store: {
        ...tenants.store,
        findBot: id => lookUp.promise.then(() => tenants.store.findBot(id)),
      },
      clock: tenants.clock,
      fetch,
      cipher: createSecretCipher(undefined),
      onOutcome() {},
      onError(error) {
        throw error
      },
    })
    await deliveries.processDue()
    const closing = deliveries.close()
    // It sets its timer before it waits for the delivery.
    await new Promise(resolve => setImmediate(resolve))
    tenants.clock.advance(second)
    lookUp.resolve()
    await closing
    const [again] = await tenants.store.leaseDeliveries('the next process', at(0), at(30 * second), many)
    expect(again?.event.type).toBe('session.ended')
  })

  it('is retried after a crash, once the lease has expired', async () => {
    await tenants.platform.close()
    const endpoint = await start(response => response.writeHead(204).end())
    await listen(tenants.ours, endpoint.url)
    const at = (ms: number) => new Date(tenants.clock.now() + ms).toISOString()
    const session = { hash: 'a'.repeat(64), conversationId: crypto.randomUUID() }
    await tenants.store.createVisitorSession(tenants.ours.bot.id, { ...session, createdAt: at(0), expiresAt: at(hour) })
    await tenants.store.endSession(tenants.ours.bot.id, session.hash, 'logged_out', at(0))
    const [leased] = await tenants.store.leaseDeliveries('a process that has died', at(0), at(30 * second), many)
    const before = tenants.clock.now()
    const next = createPlatform({ store: tenants.store, clock: tenants.clock })
    const delivery = await advanceUntil(tenants.clock, sweepMs, endpoint.received(1))
    expect(eventOf(delivery)).toEqual(leased?.event)
    expect(tenants.clock.now() - before).toBeGreaterThanOrEqual(30 * second)
    await next.close()
  })
})
