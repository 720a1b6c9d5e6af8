import type { ServerResponse } from 'node:http'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { isSignedWebhook, type WebhookEvent } from '../../contract/index.ts'
import { timestamp } from '../domain/time.ts'
import { mintWebhookSecret } from '../domain/tokens.ts'
import { sweepMs } from '../platform.ts'
import type { Responder } from '../responders/responder.ts'
import { createSecretCipher } from '../secrets/secretCipher.ts'
import { type ReceivedRequest, startTestServer, webhookSecret } from '../testing/testServer.ts'
import { advanceUntil, createTestTenants, type TestTenants } from '../testing/testTenants.ts'
import { createDeliveries } from './deliveries.ts'

const [second, hour] = [1000, 60 * 60 * 1000]

let tenants: TestTenants
beforeEach(async () => {
  tenants = await createTestTenants()
})

const accept = (response: ServerResponse) => response.writeHead(204).end()
/** Starts an events webhook of the bot. */
async function listen(answer: Parameters<typeof startTestServer>[0] = accept, { bot } = tenants.ours) {
  const endpoint = await startTestServer(answer)
  await tenants.store.updateBot(bot.id, { events: { url: endpoint.url, secret: webhookSecret } })
  return endpoint
}
/** A new visitor's message, which causes two events. */
const say = async (testBot = tenants.ours, text = 'Hello?') => testBot.send(await testBot.visitorToken(), text)
/** Ends a session, which causes one event. */
async function endSession() {
  const { store, ours, clock } = tenants
  const at = timestamp(clock.now())
  const session = { hash: 'a'.repeat(64), conversationId: crypto.randomUUID() }
  const expiresAt = timestamp(clock.now() + hour)
  await store.createVisitorSession(ours.bot.id, { ...session, createdAt: at, expiresAt })
  await store.endSession(ours.bot.id, session.hash, 'logged_out', at)
}
const eventOf = ({ body }: ReceivedRequest) => JSON.parse(body) as WebhookEvent
const many = { all: 100, perQueue: 100, except: [], emails: true }
const lease = (after: number, until: string) =>
  tenants.store.leaseDeliveries('a test', timestamp(tenants.clock.now() + after), until, many)
const waitUntilNoneIsDue = () =>
  vi.waitFor(async () => expect(await lease(90 * 24 * hour, '')).toEqual([]), { timeout: 20_000 })

describe('the events webhook', () => {
  it('receives a new conversation, each message and a logout, signed, as soon as they are stored', async () => {
    const endpoint = await listen()
    const { ours, clock } = tenants
    const { id } = await ours.createContact({ name: 'Ada' })
    const token = await ours.contactToken(id)
    await ours.send(token, 'Hello?')
    const first = [await endpoint.received(1), await endpoint.received(2)]
    const events = first.map(eventOf).sort((a, b) => a.type.localeCompare(b.type))
    expect(events).toMatchObject([
      { type: 'conversation.created', botId: ours.bot.id, data: { contact: { id, name: 'Ada' } } },
      { type: 'message.created', data: { message: { seq: 1, author: 'visitor', text: 'Hello?' } } },
    ])
    for (const request of first) {
      const now = clock.now() / 1000
      expect(request.headers.get('webhook-id')).toBe(eventOf(request).id)
      expect(await isSignedWebhook(webhookSecret, request.headers, request.body, now)).toBe(true)
      expect(await isSignedWebhook(webhookSecret, request.headers, `${request.body} `, now)).toBe(false)
      expect(await isSignedWebhook(webhookSecret, request.headers, request.body, now + 301)).toBe(false)
    }
    await ours.call('DELETE', '/widget/session', { token })
    const logout = await advanceUntil(clock, sweepMs, endpoint.received(3))
    expect(eventOf(logout)).toMatchObject({ type: 'session.ended', data: { reason: 'logged_out' } })
  })

  it('is also signed with the former secret until that has expired', async () => {
    const { url, received } = await listen()
    const [secret, until] = [mintWebhookSecret(), timestamp(tenants.clock.now() + hour)]
    const events = { url, secret, former: { secret: webhookSecret, until } }
    await tenants.store.updateBot(tenants.ours.bot.id, { events })
    const signers = async (number: number) => {
      const { headers, body } = await received(number)
      const isSigned = (by: string) => isSignedWebhook(by, headers, body, tenants.clock.now() / 1000)
      return [await isSigned(secret), await isSigned(webhookSecret)]
    }
    await say()
    for (const number of [1, 2]) expect(await signers(number)).toEqual([true, true])
    tenants.clock.advance(hour)
    await say()
    for (const number of [3, 4]) expect(await signers(number)).toEqual([true, false])
  })

  it('receives neither messages of the bot or an agent nor events of other bots', async () => {
    const responder: Responder = {
      async *answer() {
        yield { text: 'from the bot' }
      },
    }
    tenants = await createTestTenants({ responder })
    const { ours, sibling, clock } = tenants
    const endpoint = await listen()
    await say(sibling, 'to another bot')
    const { id } = await ours.createContact()
    const json = { id: crypto.randomUUID(), text: 'from an agent' }
    expect((await ours.call('POST', `/contacts/${id}/messages`, { json })).status).toBe(201)
    const token = await ours.visitorToken()
    await ours.send(token, 'from a visitor')
    const answered = vi.waitFor(async () => expect(await ours.messages(token)).toHaveLength(2))
    await advanceUntil(clock, 20, answered)
    await waitUntilNoneIsDue()
    const events = [...new Map(endpoint.requests.map(eventOf).map(event => [event.id, event])).values()]
    expect(events.map(({ type }) => type).sort()).toEqual(['conversation.created', 'message.created'])
    expect(JSON.stringify(events)).not.toMatch(/to another bot|from an agent|from the bot/)
  })

  it('is retried with the same id and growing delays until it accepts the event', async () => {
    const attempts: { id: string; at: number }[] = []
    const endpoint = await listen((response, request) => {
      const { type, id } = eventOf(request)
      if (type === 'message.created') attempts.push({ id, at: tenants.clock.now() })
      response.writeHead(type === 'message.created' && attempts.length < 7 ? 500 : 200).end('noted')
    })
    await say()
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
    await listen(response => response.writeHead(410).end(), tenants.sibling)
    await say(tenants.sibling)
    await wait(2)
    expect(givenUp().join()).toContain('status 410')

    await listen(response => response.destroy())
    await say()
    const before = tenants.clock.now()
    await advanceUntil(tenants.clock, hour / 4, wait(4))
    expect(tenants.clock.now() - before).toBeGreaterThanOrEqual(24 * hour)
    expect(await lease(90 * 24 * hour, '')).toEqual([])
  })

  it('gets an event that no process could deliver for two days, though it fails the first time', async () => {
    await tenants.platform.close()
    const endpoint = await listen((response, _, number) => response.writeHead(number === 1 ? 503 : 204).end())
    await endSession()
    tenants.clock.advance(48 * hour)
    tenants.addNode()
    await advanceUntil(tenants.clock, sweepMs, endpoint.received(2))
    expect(new Set(endpoint.requests.map(request => eventOf(request).id)).size).toBe(1)
  })

  it('that was removed from a bot receives nothing more, and its pending events are deleted', async () => {
    const endpoint = await listen(response => response.writeHead(500).end())
    await say()
    await endpoint.received(2)
    await tenants.store.updateBot(tenants.ours.bot.id, { events: null })
    await advanceUntil(tenants.clock, 100, waitUntilNoneIsDue())
    expect(endpoint.requests).toHaveLength(2)
  })

  it('follows no redirect, and respects Retry-After', async () => {
    const inner = await listen()
    const headers = { location: inner.url, 'retry-after': '600' }
    const outer = await listen((response, _, number) =>
      number > 2 ? accept(response) : response.writeHead(307, headers).end(),
    )
    await say()
    await outer.received(2)
    const before = tenants.clock.now()
    await advanceUntil(tenants.clock, second, outer.received(3))
    expect(tenants.clock.now() - before).toBeGreaterThanOrEqual(590 * second)
    expect(inner.requests).toEqual([])
  })

  it('at a metadata address is not called, and the log says why, without the URL', async () => {
    const events = { url: 'http://[::ffff:169.254.169.254]/latest/meta-data?key=url-secret', secret: webhookSecret }
    await tenants.store.updateBot(tenants.ours.bot.id, { events })
    await say()
    const log = () => tenants.lines.join()
    await expect.poll(log).toContain('a cloud metadata service, which the platform never calls')
    expect(log()).not.toMatch(/url-secret|whsec_/)
  })

  it('that hangs blocks only some of its own events, and none of other bots', async () => {
    const [hanging, fine] = [await listen(() => {}), await listen(accept, tenants.sibling)]
    const token = await tenants.ours.visitorToken()
    for (let count = 0; count < 12; count++) await tenants.ours.send(token, 'Hello?')
    await say(tenants.sibling)
    await fine.received(2)
    const { closed } = await hanging.received(1)
    expect(hanging.requests.length).toBeLessThanOrEqual(8)
    await advanceUntil(tenants.clock, second, closed)
  })

  it('is retried by the next process immediately if this one stops meanwhile', async () => {
    const hanging = await listen(() => {})
    await say()
    const { id } = eventOf(await hanging.received(1))
    // Closing waits briefly for running deliveries.
    await advanceUntil(tenants.clock, 100, tenants.platform.close())
    const endpoint = await listen()
    tenants.addNode()
    const events = [await endpoint.received(1), await endpoint.received(2)].map(eventOf)
    expect(events.map(event => event.id)).toContain(id)
  })

  it('gives an event back in time if its delivery begins after the time that closing waits', async () => {
    await tenants.platform.close()
    await listen(() => {})
    await endSession()
    const lookUp = Promise.withResolvers<void>()
    const deliveries = createDeliveries({
      store: { ...tenants.store, findBot: id => lookUp.promise.then(() => tenants.store.findBot(id)) },
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
    expect(await lease(0, timestamp(tenants.clock.now() + hour))).toMatchObject([{ event: { type: 'session.ended' } }])
  })

  it('is retried after a crash, once the lease has expired', async () => {
    await tenants.platform.close()
    const endpoint = await listen()
    await endSession()
    const before = tenants.clock.now()
    // By a process that then dies.
    const [leased] = await lease(0, timestamp(before + 30 * second))
    tenants.addNode()
    const delivery = await advanceUntil(tenants.clock, sweepMs, endpoint.received(1))
    expect(eventOf(delivery)).toEqual(leased?.event)
    expect(tenants.clock.now() - before).toBeGreaterThanOrEqual(30 * second)
  })
})
