import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { timestamp } from '../domain/time.ts'
import { hashToken } from '../domain/tokens.ts'
import { createStalledOutgoing } from '../testing/stalledOutgoing.ts'
import {
  advanceUntil,
  createTestTenants,
  outcomeOf,
  readEvents,
  type TestBot,
  type TestTenants,
} from '../testing/testTenants.ts'
import { maxBuffered } from './eventStream.ts'
import { heartbeatMs } from './heartbeat.ts'
import { maxStreamsPerToken } from './streams.ts'

let tenants: TestTenants
beforeAll(async () => {
  tenants = await createTestTenants()
})
afterAll(() => tenants.close())

const nonce = 'mZk3xT0qVb8Lr2Nw6YcPdA'
type Method = 'GET' | 'POST'
interface Opening {
  testBot?: TestBot
  method?: Method
  after?: number | undefined
  headers?: Record<string, string>
}
/** Opens a stream by one of the two methods, which must return the same events. */
const ask = (token: string, { testBot = tenants.ours, method = 'GET', after, headers = {} }: Opening = {}) =>
  method === 'GET'
    ? testBot.call('GET', `/widget/events${after === undefined ? '' : `?after=${after}`}`, { token, headers })
    : testBot.call('POST', '/widget/events/stream', { token, json: { nonce, after }, headers })
const open = async (token: string, opening?: Opening) => readEvents(await ask(token, opening))
const sendMany = async (token: string, count: number) => {
  for (let index = 1; index <= count; index++) await tenants.ours.send(token, `message ${index}`)
}
async function takeSeqs(events: Awaited<ReturnType<typeof open>>, count: number): Promise<number[]> {
  const seqs: number[] = []
  while (seqs.length < count) seqs.push((await events.nextOf('message')).data['seq'] as number)
  return seqs
}

describe.each<Method>(['GET', 'POST'])('an event stream by %s', method => {
  it('is an uncached event stream that starts immediately', async () => {
    const token = await tenants.ours.visitorToken()
    const response = await ask(token, { method })
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    expect(response.headers.get('cache-control')).toBe('no-store, no-transform')
    expect(response.headers.get('x-accel-buffering')).toBe('no')
    expect(await readEvents(response).next()).toMatchObject(
      method === 'GET' ? { event: 'comment' } : { event: 'opened', data: { nonce } },
    )
  })

  it('has the same checks as every other request', async () => {
    const outcome = async (token: string, testBot = tenants.ours) => outcomeOf(await ask(token, { testBot, method }))
    expect(await outcome('')).toBe('401 unauthorized')
    expect(await outcome(tenants.ours.organizationToken)).toBe('403 insufficient_scope')
    expect(await outcome(await tenants.ours.visitorToken(), tenants.sibling)).toBe('401 unauthorized')
  })

  it('starts live after the last message, and sends each message with its seq as id', async () => {
    const token = await tenants.ours.visitorToken()
    await sendMany(token, 2)
    const events = await open(token, { method })
    await tenants.ours.send(token, 'now')
    expect(await events.nextOf('message')).toMatchObject({ id: '3', data: { seq: 3, text: 'now', author: 'visitor' } })
  })

  it('replays the messages after a given one', async () => {
    const token = await tenants.ours.visitorToken()
    await sendMany(token, 5)
    expect(await takeSeqs(await open(token, { method, after: 3 }), 2)).toEqual([4, 5])
    expect(await takeSeqs(await open(token, { method, after: 0 }), 5)).toEqual([1, 2, 3, 4, 5])
  })

  it('sends each message once and in order, whatever arrives during the replay', async () => {
    const token = await tenants.ours.visitorToken()
    await sendMany(token, 30)
    const events = await open(token, { method, after: 0 })
    await Promise.all(Array.from({ length: 30 }, (_, index) => tenants.ours.send(token, `late ${index}`)))
    expect(await takeSeqs(events, 60)).toEqual(Array.from({ length: 60 }, (_, index) => index + 1))
  })

  it('sends one reset, and no replay, to a client that is more than 200 messages behind or ahead of the last one', async () => {
    const token = await tenants.ours.visitorToken()
    await sendMany(token, 201)
    expect(await takeSeqs(await open(token, { method, after: 1 }), 200)).toHaveLength(200)
    for (const after of [0, 999]) {
      const events = await open(token, { method, after })
      await events.next()
      expect(await events.next()).toMatchObject({ event: 'reset', data: {} })
      const { status } = await tenants.ours.send(token, `after ${after}`)
      expect(status).toBe(201)
      expect((await events.next())?.event).toBe('message')
    }
  })

  it('replays more than its buffer holds, as fast as it is read', async () => {
    const token = await tenants.ours.visitorToken()
    for (let count = 0; count < 30; count++) await tenants.ours.send(token, 'x'.repeat(4000))
    expect(30 * 4000).toBeGreaterThan(maxBuffered)
    expect(await takeSeqs(await open(token, { method, after: 0 }), 30)).toHaveLength(30)
  })

  it('closes a stream that nobody reads, once its buffer is full', async () => {
    const token = await tenants.ours.visitorToken()
    const { outgoing, buffered, destroyedTimes } = createStalledOutgoing()
    const path = method === 'GET' ? 'events' : 'events/stream'
    const request = new Request(`http://natter.test/v1/bots/${tenants.ours.bot.id}/widget/${path}`, {
      method,
      headers: { authorization: token, 'content-type': 'application/json' },
      body: method === 'GET' ? null : JSON.stringify({ nonce }),
    })
    await tenants.platform.fetch(request, { outgoing })
    for (let count = 0; count < 40 && destroyedTimes() === 0; count++) await tenants.ours.send(token, 'x'.repeat(4000))
    expect(destroyedTimes()).toBe(1)
    expect(buffered()).toBeLessThan(maxBuffered + 8000)
  })

  it('sends a heartbeat every 15 s', async () => {
    const events = await open(await tenants.ours.visitorToken(), { method })
    await events.next()
    for (let beat = 0; beat < 2; beat++) {
      tenants.clock.advance(heartbeatMs)
      expect(await events.next()).toMatchObject({ event: 'comment' })
    }
  })

  it('tells other devices how far the conversation was read', async () => {
    const token = await tenants.ours.visitorToken()
    await sendMany(token, 2)
    const events = await open(token, { method })
    await tenants.ours.call('POST', '/widget/read', { token, json: { seq: 2 } })
    expect(await events.nextOf('read')).toEqual({ event: 'read', data: { seq: 2 } })
  })

  it('tells a device that connects again how far another one has read meanwhile', async () => {
    const token = await tenants.ours.visitorToken()
    await sendMany(token, 2)
    const phone = await open(token, { method })
    await (await open(token, { method })).cancel()
    await tenants.ours.call('POST', '/widget/read', { token, json: { seq: 2 } })
    await phone.nextOf('read')
    const desktop = await open(token, { method, after: 2 })
    expect(await desktop.nextOf('read')).toEqual({ event: 'read', data: { seq: 2 } })
  })

  it('allows 20 streams per token: another one ends the oldest', async () => {
    const token = await tenants.ours.visitorToken()
    const streams: Awaited<ReturnType<typeof open>>[] = []
    for (let count = 0; count <= maxStreamsPerToken; count++) streams.push(await open(token, { method }))
    await tenants.ours.send(token, 'hello')
    const [oldest, ...others] = streams
    await oldest?.next()
    expect(await oldest?.next()).toBeUndefined()
    for (const stream of others) expect((await stream.nextOf('message')).data['text']).toBe('hello')
  })

  it('keeps conversations separate', async () => {
    const [own, other] = [await tenants.ours.visitorToken(), await tenants.ours.visitorToken()]
    const events = await open(own, { method })
    await tenants.ours.send(other, 'not for you')
    await tenants.ours.send(own, 'for you')
    expect((await events.nextOf('message')).data['text']).toBe('for you')
  })
})

describe('an event stream by GET', () => {
  it('starts after Last-Event-ID rather than after ?after=', async () => {
    const token = await tenants.ours.visitorToken()
    await sendMany(token, 5)
    const headers = { 'last-event-id': '4' }
    expect(await takeSeqs(await open(token, { after: 0, headers }), 1)).toEqual([5])
  })
})

describe('an event stream by POST', () => {
  const opened = { event: 'opened', data: { nonce } }

  it('ignores Last-Event-ID', async () => {
    const token = await tenants.ours.visitorToken()
    await sendMany(token, 3)
    const headers = { 'last-event-id': '2' }
    expect(await takeSeqs(await open(token, { method: 'POST', after: 1, headers }), 2)).toEqual([2, 3])
  })

  it('returns the nonce before it reads what to replay', async () => {
    const own = await createTestTenants()
    const token = await own.ours.visitorToken()
    await own.ours.send(token, 'hello')
    const { listMessagesAfter } = own.store
    const held = Promise.withResolvers<void>()
    own.store.listMessagesAfter = async (...page) => {
      await held.promise
      return listMessagesAfter(...page)
    }
    const events = await open(token, { testBot: own.ours, method: 'POST', after: 0 })
    expect(await events.next()).toEqual(opened)
    held.resolve()
    expect(await events.next()).toMatchObject({ event: 'message', id: '1' })
    await own.close()
  })

  it('returns the nonce before it reports that the session has ended, or that the node is stopping', async () => {
    const own = await createTestTenants()
    const [ended, moved] = [await own.ours.visitorToken(), await own.ours.visitorToken()]
    const { findConversation } = own.store
    own.store.findConversation = async id => {
      await own.store.endSession(own.ours.bot.id, hashToken(ended), 'revoked', timestamp(own.clock.now()))
      return findConversation(id)
    }
    const events = await open(ended, { testBot: own.ours, method: 'POST' })
    expect(await events.next()).toEqual(opened)
    expect(await events.next()).toMatchObject({ event: 'session.ended', data: { reason: 'revoked' } })
    own.platform.closeStreams()
    const late = await open(moved, { testBot: own.ours, method: 'POST' })
    expect(await late.next()).toEqual(opened)
    expect(await late.next()).toMatchObject({ event: 'retry' })
    expect(await late.next()).toBeUndefined()
    await own.close()
  })

  it('counts towards the 20 streams of its token', async () => {
    const token = await tenants.ours.visitorToken()
    const oldest = await open(token)
    for (let count = 0; count < maxStreamsPerToken; count++) await open(token, { method: 'POST' })
    await oldest.next()
    expect(await oldest.next()).toBeUndefined()
  })
})

describe.each<Method>(['GET', 'POST'])('the end of a session, on its streams by %s,', method => {
  it('is sent to its streams, which then close: revoked, logged out, contact deleted', async () => {
    const { id } = await tenants.ours.createContact()
    const tokens = [
      await tenants.ours.contactToken(id),
      await tenants.ours.contactToken(id),
      await tenants.ours.contactToken(id),
    ]
    const [first = '', second = ''] = tokens
    const streams = await Promise.all(tokens.map(token => open(token, { method })))
    await tenants.ours.call('DELETE', `/auth/contacts/${first}`)
    await tenants.ours.call('DELETE', '/widget/session', { token: second })
    await tenants.ours.call('DELETE', `/contacts/${id}`)
    const reasons = ['revoked', 'logged_out', 'contact_deleted']
    for (const [index, stream] of streams.entries()) {
      expect((await stream.nextOf('session.ended')).data).toEqual({ reason: reasons[index] })
      expect(await stream.next()).toBeUndefined()
    }
  })

  it('reaches a stream that is being opened meanwhile', async () => {
    const own = await createTestTenants()
    const token = await own.ours.visitorToken()
    const { findConversation } = own.store
    own.store.findConversation = async id => {
      await own.store.endSession(own.ours.bot.id, hashToken(token), 'revoked', timestamp(own.clock.now()))
      return findConversation(id)
    }
    expect(await (await open(token, { testBot: own.ours, method })).nextOf('session.ended')).toMatchObject({
      data: { reason: 'revoked' },
    })
    await own.close()
  })
})

describe.each<Method>(['GET', 'POST'])('a stopping platform, with streams by %s,', method => {
  it('spreads the reconnection of its streams and ends them, including one that opens too late', async () => {
    const own = await createTestTenants()
    const openOne = async () => open(await own.ours.visitorToken(), { testBot: own.ours, method })
    const streams = []
    for (let count = 0; count < 8; count++) streams.push(await openOne())
    own.platform.closeStreams()
    streams.push(await openOne())
    const waits = new Set<unknown>()
    for (const stream of streams) {
      waits.add((await stream.nextOf('retry')).data['ms'])
      expect(await stream.next()).toBeUndefined()
    }
    expect(waits.size).toBeGreaterThan(1)
    await own.close()
  })

  it('ends streams one after the other if it has time, including those opened meanwhile', async () => {
    const own = await createTestTenants()
    const ends: Promise<number>[] = []
    const openOne = async () => {
      const stream = await open(await own.ours.visitorToken(), { testBot: own.ours, method })
      ends.push(stream.nextOf('retry').then(() => own.clock.elapsed()))
    }
    for (let count = 0; count < 30; count++) await openOne()
    const started = own.clock.elapsed()
    const closed = own.platform.closeStreams(5000)
    const ready = () => own.platform.fetch(new Request('http://natter.test/readyz'))
    expect((await ready()).status).toBe(503)
    own.clock.advance(1999)
    for (let count = 0; count < 10; count++) await openOne()
    await advanceUntil(own.clock, 20, closed)
    const ended = (await Promise.all(ends)).map(at => at - started)
    expect(Math.min(...ended)).toBeGreaterThanOrEqual(2000)
    // If they ended together, they would also reconnect together.
    const together = Math.max(...ended.map(at => ended.filter(other => Math.abs(other - at) < 100).length))
    expect(together).toBeLessThan(10)
    await own.close()
  })
})
