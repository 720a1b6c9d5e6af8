import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { isSignedWebhook, type WebhookEvent } from '../../contract/index.ts'
import { type Actor, type Cast, createCast, ticking } from '../fixtures.ts'
import { createPlatform, sweepMs } from '../platform.ts'
import { type Endpoint, type Received, startEndpoint, webhookSecret } from '../testingEndpoint.ts'
import { timestamp } from './time.ts'
import { mintWebhookSecret } from './tokens.ts'

const [second, hour] = [1000, 60 * 60 * 1000]

let cast: Cast
const endpoints: Endpoint[] = []
beforeEach(async () => {
  cast = await createCast()
})
afterEach(async () => {
  for (const endpoint of endpoints.splice(0)) await endpoint.close()
  await cast.close()
})

const start = async (...answer: Parameters<typeof startEndpoint>): Promise<Endpoint> => {
  const endpoint = await startEndpoint(...answer)
  endpoints.push(endpoint)
  return endpoint
}
const listen = (actor: Actor, url: string) =>
  cast.store.updateBot(actor.bot.id, { events: { url, secret: webhookSecret } })
const eventOf = ({ body }: Received) => JSON.parse(body) as WebhookEvent
const due = () =>
  cast.store.leaseDeliveries('a test', new Date(cast.clock.now() + 90 * 24 * hour).toISOString(), '', many)
const many = { all: 100, perBot: 100, except: [] }

describe('the events webhook (decisions 5)', () => {
  it('is told of a new conversation, of each message and of a logout, signed, as soon as they are stored', async () => {
    const endpoint = await start(response => response.writeHead(204).end())
    await listen(cast.ours, endpoint.url)
    const { id } = await cast.ours.createContact({ name: 'Ada' })
    const token = await cast.ours.contactToken(id)
    await cast.ours.send(token, 'Hello?')
    const first = [await endpoint.received(1), await endpoint.received(2)]
    const told = first.map(eventOf).sort((a, b) => a.type.localeCompare(b.type))
    expect(told).toMatchObject([
      { type: 'conversation.created', botId: cast.ours.bot.id, data: { contact: { id, name: 'Ada' } } },
      { type: 'message.created', data: { message: { seq: 1, author: 'visitor', text: 'Hello?' } } },
    ])
    for (const request of first) {
      const now = cast.clock.now() / 1000
      expect(request.headers.get('webhook-id')).toBe(eventOf(request).id)
      expect(await isSignedWebhook(webhookSecret, request.headers, request.body, now)).toBe(true)
      expect(await isSignedWebhook(webhookSecret, request.headers, `${request.body} `, now)).toBe(false)
      expect(await isSignedWebhook(webhookSecret, request.headers, request.body, now + 301)).toBe(false)
    }
    await cast.ours.call('DELETE', '/widget/session', { token })
    const logout = await ticking(cast.clock, sweepMs, endpoint.received(3))
    expect(eventOf(logout)).toMatchObject({ type: 'session.ended', data: { reason: 'logged_out' } })
  })

  it('is signed with the former secret, too, until that has ended', async () => {
    const endpoint = await start(response => response.writeHead(204).end())
    const [secret, until] = [mintWebhookSecret(), timestamp(cast.clock.now() + hour)]
    const events = { url: endpoint.url, secret, former: { secret: webhookSecret, until } }
    await cast.store.updateBot(cast.ours.bot.id, { events })
    const signers = async (number: number) => {
      const { headers, body } = await endpoint.received(number)
      const isSigned = (by: string) => isSignedWebhook(by, headers, body, cast.clock.now() / 1000)
      return [await isSigned(secret), await isSigned(webhookSecret)]
    }
    await cast.ours.send(await cast.ours.visitorToken(), 'Hello?')
    expect([await signers(1), await signers(2)]).toEqual([
      [true, true],
      [true, true],
    ])
    cast.clock.advance(hour)
    await cast.ours.send(await cast.ours.visitorToken(), 'Hello again?')
    expect([await signers(3), await signers(4)]).toEqual([
      [true, false],
      [true, false],
    ])
  })

  it('is told nothing of what the bot or an agent says, nor of other bots', async () => {
    const endpoint = await start(response => response.writeHead(204).end())
    await listen(cast.ours, endpoint.url)
    await cast.sibling.send(await cast.sibling.visitorToken(), 'not for you')
    const { id } = await cast.ours.createContact()
    const json = { id: crypto.randomUUID(), text: 'Hello' }
    await cast.ours.call('POST', `/contacts/${id}/messages`, { json })
    await cast.ours.send(await cast.ours.visitorToken(), 'for you')
    await endpoint.received(2)
    expect(endpoint.requests.filter(({ body }) => !body.includes('visitor') && !body.includes('created'))).toEqual([])
    expect(endpoint.requests.map(({ body }) => body).join()).not.toMatch(/not for you|"agent"/)
  })

  it('is told again with the same id, later and later, until it takes the event', async () => {
    const attempts: { id: string; at: number }[] = []
    const endpoint = await start((response, request) => {
      const { type, id } = eventOf(request)
      if (type === 'message.created') attempts.push({ id, at: cast.clock.now() })
      response.writeHead(type === 'message.created' && attempts.length < 7 ? 500 : 200).end('noted')
    })
    await listen(cast.ours, endpoint.url)
    await cast.ours.send(await cast.ours.visitorToken(), 'Hello?')
    await ticking(cast.clock, 100, endpoint.received(8))
    expect(new Set(attempts.map(({ id }) => id)).size).toBe(1)
    const pauses = attempts.slice(1).map(({ at }, index) => at - (attempts[index]?.at ?? 0))
    // One second, doubled each time, less up to half of it.
    for (const [index, pause] of pauses.entries()) expect(pause).toBeGreaterThanOrEqual(2 ** index * 500)
    expect(cast.lines.join()).toContain('status 500')
    expect(cast.lines.join()).not.toContain('Hello?')
  })

  it('is given up after a day, or when it says that it is gone, with a line in the log', async () => {
    const givenUp = () => cast.lines.filter(line => line.includes('given up'))
    const wait = (count: number) => vi.waitFor(() => expect(givenUp()).toHaveLength(count), { timeout: 20_000 })
    const gone = await start(response => response.writeHead(410).end())
    await listen(cast.sibling, gone.url)
    await cast.sibling.send(await cast.sibling.visitorToken(), 'Hello?')
    await wait(2)
    expect(givenUp().join()).toContain('status 410')

    const dead = await start(response => response.destroy())
    await listen(cast.ours, dead.url)
    await cast.ours.send(await cast.ours.visitorToken(), 'Hello?')
    const before = cast.clock.now()
    await ticking(cast.clock, hour / 4, wait(4))
    expect(cast.clock.now() - before).toBeGreaterThanOrEqual(24 * hour)
    expect(await due()).toEqual([])
  })

  it('that a bot has no longer is told nothing more, and nothing stays behind', async () => {
    const endpoint = await start(response => response.writeHead(500).end())
    await listen(cast.ours, endpoint.url)
    await cast.ours.send(await cast.ours.visitorToken(), 'Hello?')
    await endpoint.received(2)
    await cast.store.updateBot(cast.ours.bot.id, { events: null })
    const gone = vi.waitFor(async () => expect(await due()).toEqual([]), { timeout: 20_000 })
    await ticking(cast.clock, 100, gone)
    expect(endpoint.requests).toHaveLength(2)
  })

  it('follows no redirect, and takes the time that it asks for', async () => {
    const inner = await start(response => response.writeHead(204).end())
    const outer = await start((response, _, number) =>
      number > 2
        ? response.writeHead(204).end()
        : response.writeHead(307, { location: inner.url, 'retry-after': '600' }).end(),
    )
    await listen(cast.ours, outer.url)
    await cast.ours.send(await cast.ours.visitorToken(), 'Hello?')
    await outer.received(2)
    const before = cast.clock.now()
    await ticking(cast.clock, second, outer.received(3))
    expect(cast.clock.now() - before).toBeGreaterThanOrEqual(590 * second)
    expect(inner.requests).toEqual([])
  })

  it('that hangs keeps only a few of its own events waiting, and none of another bot', async () => {
    const hanging = await start(() => {})
    const fine = await start(response => response.writeHead(204).end())
    await listen(cast.ours, hanging.url)
    await listen(cast.sibling, fine.url)
    const token = await cast.ours.visitorToken()
    for (let count = 0; count < 12; count++) await cast.ours.send(token, 'Hello?')
    await cast.sibling.send(await cast.sibling.visitorToken(), 'Hello?')
    await fine.received(2)
    const { closed } = await hanging.received(1)
    expect(hanging.requests.length).toBeLessThanOrEqual(8)
    await ticking(cast.clock, second, closed)
  })

  it('is told by the next process at once when this one stops in the middle', async () => {
    const hanging = await start(() => {})
    await listen(cast.ours, hanging.url)
    await cast.ours.send(await cast.ours.visitorToken(), 'Hello?')
    const { id } = eventOf(await hanging.received(1))
    // Closing waits a moment for what is under way.
    await ticking(cast.clock, 100, cast.platform.close())
    const endpoint = await start(response => response.writeHead(204).end())
    await listen(cast.ours, endpoint.url)
    const next = createPlatform({ store: cast.store, clock: cast.clock })
    const told = [await endpoint.received(1), await endpoint.received(2)].map(eventOf)
    expect(told.map(event => event.id)).toContain(id)
    await next.close()
  })

  it('is told after a crash, once the lease has run out', async () => {
    await cast.platform.close()
    const endpoint = await start(response => response.writeHead(204).end())
    await listen(cast.ours, endpoint.url)
    const at = (ms: number) => new Date(cast.clock.now() + ms).toISOString()
    const session = { hash: 'a'.repeat(64), conversationId: crypto.randomUUID() }
    await cast.store.createVisitorSession(cast.ours.bot.id, { ...session, createdAt: at(0), expiresAt: at(hour) })
    await cast.store.endSession(cast.ours.bot.id, session.hash, 'logged_out', at(0))
    const [leased] = await cast.store.leaseDeliveries('a process that has died', at(0), at(30 * second), many)
    const before = cast.clock.now()
    const next = createPlatform({ store: cast.store, clock: cast.clock })
    const told = await ticking(cast.clock, sweepMs, endpoint.received(1))
    expect(eventOf(told)).toEqual(leased?.event)
    expect(cast.clock.now() - before).toBeGreaterThanOrEqual(30 * second)
    await next.close()
  })
})
