import { PassThrough } from 'node:stream'
import { afterAll, describe, expect, it } from 'vitest'
import { createMemoryBus } from '../bus/memory.ts'
import { timestamp } from '../domain/time.ts'
import { hashToken } from '../domain/tokens.ts'
import { advanceUntil, createTestTenants, type EventReader, readEvents, type TestBot } from '../testing/testTenants.ts'
import { maxBuffered } from './eventStream.ts'
import { heartbeatMs } from './openStreams.ts'
import { createStreams, defaultStreamLimits, maxStreamsPerToken } from './streams.ts'

const tenants = await createTestTenants()
const { ours, store, clock } = tenants
afterAll(tenants.close)

const nonce = 'mZk3xT0qVb8Lr2Nw6YcPdA'
const methods = ['GET', 'POST'] as const
interface Opening {
  testBot?: TestBot
  method?: (typeof methods)[number]
  after?: number
  headers?: Record<string, string>
}
/** Opens a stream by one of the two methods, which must return the same events. */
const ask = (token: string, { testBot = ours, method = 'GET', after, headers = {} }: Opening = {}) =>
  method === 'GET'
    ? testBot.call('GET', `/widget/events${after === undefined ? '' : `?after=${after}`}`, { token, headers })
    : testBot.call('POST', '/widget/events/stream', { token, json: { nonce, after }, headers })
const open = async (token: string, opening?: Opening) => readEvents(await ask(token, opening))
const sendMany = async (token: string, count: number, text = 'Hello') => {
  for (let index = 1; index <= count; index++) await ours.send(token, text)
}
async function takeSeqs(events: EventReader, count: number): Promise<number[]> {
  const seqs: number[] = []
  while (seqs.length < count) seqs.push((await events.nextOf('message')).data['seq'] as number)
  return seqs
}
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index)

describe.each(methods)('an event stream by %s', method => {
  const opened = method === 'GET' ? { event: 'comment', data: {} } : { event: 'opened', data: { nonce } }

  it('is an uncached event stream that starts immediately, and has a heartbeat every 15 s', async () => {
    const response = await ask(await ours.visitorToken(), { method })
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    expect(response.headers.get('cache-control')).toBe('no-store, no-transform')
    expect(response.headers.get('x-accel-buffering')).toBe('no')
    const events = readEvents(response)
    expect(await events.next()).toEqual(opened)
    for (let beat = 0; beat < 2; beat++) {
      clock.advance(heartbeatMs)
      expect(await events.next()).toMatchObject({ event: 'comment' })
    }
  })

  it('starts live after the last message, with its seq as id, or replays those after a given one', async () => {
    const token = await ours.visitorToken()
    await sendMany(token, 5)
    const live = await open(token, { method })
    const replayed = [await open(token, { method, after: 3 }), await open(token, { method, after: 0 })]
    await ours.send(token, 'now')
    expect(await live.nextOf('message')).toMatchObject({ id: '6', data: { seq: 6, text: 'now', author: 'visitor' } })
    for (const [index, first] of [4, 1].entries())
      expect(await takeSeqs(replayed[index] as EventReader, 7 - first)).toEqual(range(first, 6))
  })

  it('sends each message once and in order, as fast as it is read, whatever arrives during the replay', async () => {
    const token = await ours.visitorToken()
    await sendMany(token, 30, 'x'.repeat(4000))
    expect(30 * 4000).toBeGreaterThan(maxBuffered)
    const events = await open(token, { method, after: 0 })
    await Promise.all(range(1, 30).map(index => ours.send(token, `late ${index}`)))
    expect(await takeSeqs(events, 60)).toEqual(range(1, 60))
  })

  it('sends one reset, and no replay, to a client that is more than 200 messages behind or ahead of the last one', async () => {
    const token = await ours.visitorToken()
    await sendMany(token, 201)
    expect(await takeSeqs(await open(token, { method, after: 1 }), 200)).toHaveLength(200)
    for (const after of [0, 999]) {
      const events = await open(token, { method, after })
      await events.next()
      expect(await events.next()).toMatchObject({ event: 'reset', data: {} })
      expect((await ours.send(token, `after ${after}`)).status).toBe(201)
      expect((await events.next())?.event).toBe('message')
    }
  })

  it('is closed if nobody reads it, once its buffer is full', async () => {
    const token = await ours.visitorToken()
    const outgoing = Object.assign(new PassThrough({ readableHighWaterMark: 0 }), { writeHead() {} })
    const path = method === 'GET' ? 'events' : 'events/stream'
    const request = new Request(`http://natter.test/v1/bots/${ours.bot.id}/widget/${path}`, {
      method,
      headers: { authorization: token, 'content-type': 'application/json' },
      body: method === 'GET' ? null : JSON.stringify({ nonce }),
    })
    await tenants.platform.fetch(request, { outgoing })
    let buffered = 0
    for (let count = 0; count < 40 && !outgoing.destroyed; count++) {
      buffered = outgoing.writableLength
      await ours.send(token, 'x'.repeat(4000))
    }
    expect(outgoing.destroyed).toBe(true)
    expect(buffered).toBeLessThan(maxBuffered + 8000)
  })

  it('tells other devices how far the conversation was read, also those that connect again later', async () => {
    const token = await ours.visitorToken()
    await sendMany(token, 2)
    const phone = await open(token, { method })
    await (await open(token, { method })).cancel()
    await ours.call('POST', '/widget/read', { token, json: { seq: 2 } })
    const desktop = await open(token, { method, after: 2 })
    for (const device of [phone, desktop])
      expect(await device.nextOf('read')).toEqual({ event: 'read', data: { seq: 2 } })
  })

  it('ends the oldest of the 20 streams that a token may have, by whichever method it was opened', async () => {
    const token = await ours.visitorToken()
    const oldest = await open(token, { method: method === 'GET' ? 'POST' : 'GET' })
    const others: EventReader[] = []
    for (let count = 0; count < maxStreamsPerToken; count++) others.push(await open(token, { method }))
    await ours.send(token, 'hello')
    await oldest.next()
    expect(await oldest.next()).toBeUndefined()
    for (const stream of others) expect((await stream.nextOf('message')).data['text']).toBe('hello')
  })

  it('keeps conversations separate', async () => {
    const [own, other] = [await ours.visitorToken(), await ours.visitorToken()]
    const events = await open(own, { method })
    await ours.send(other, 'not for you')
    await ours.send(own, 'for you')
    expect((await events.nextOf('message')).data['text']).toBe('for you')
  })

  it('is told the end of its session, and then closes: revoked, logged out, contact deleted', async () => {
    const { id } = await ours.createContact()
    const tokens = await Promise.all([1, 2, 3].map(() => ours.contactToken(id)))
    const streams = await Promise.all(tokens.map(token => open(token, { method })))
    await ours.call('DELETE', `/auth/contacts/${tokens[0]}`)
    await ours.call('DELETE', '/widget/session', { token: tokens[1] ?? '' })
    await ours.call('DELETE', `/contacts/${id}`)
    const reasons = ['revoked', 'logged_out', 'contact_deleted']
    for (const [index, stream] of streams.entries()) {
      expect((await stream.nextOf('session.ended')).data).toEqual({ reason: reasons[index] })
      expect(await stream.next()).toBeUndefined()
    }
  })

  it('is told the end of its session after its opening if the session ends meanwhile', async () => {
    const own = await createTestTenants()
    const token = await own.ours.visitorToken()
    const { findConversation } = own.store
    own.store.findConversation = async id => {
      await own.store.endSession(own.ours.bot.id, hashToken(token), 'revoked', timestamp(own.clock.now()))
      return findConversation(id)
    }
    const events = await open(token, { testBot: own.ours, method })
    expect(await events.next()).toEqual(opened)
    expect(await events.next()).toMatchObject({ event: 'session.ended', data: { reason: 'revoked' } })
  })

  it('is told by a stopping platform when to reconnect, each at another time, also if it opens too late', async () => {
    const own = await createTestTenants()
    const openOne = async () => open(await own.ours.visitorToken(), { testBot: own.ours, method })
    const streams: EventReader[] = []
    for (let count = 0; count < 8; count++) streams.push(await openOne())
    own.platform.closeStreams()
    streams.push(await openOne())
    const waits = new Set<unknown>()
    for (const stream of streams) {
      expect(await stream.next()).toEqual(opened)
      const retry = await stream.next()
      expect(retry).toMatchObject({ event: 'retry' })
      waits.add(retry?.data['ms'])
      expect(await stream.next()).toBeUndefined()
    }
    expect(waits.size).toBeGreaterThan(1)
  })

  it('ends after others if the stopping platform has time, also if it is opened meanwhile', async () => {
    const own = await createTestTenants()
    const ends: Promise<number>[] = []
    const openOne = async () => {
      const stream = await open(await own.ours.visitorToken(), { testBot: own.ours, method })
      ends.push(stream.nextOf('retry').then(() => own.clock.elapsed()))
    }
    for (let count = 0; count < 30; count++) await openOne()
    const started = own.clock.elapsed()
    const closed = own.platform.closeStreams(5000)
    expect((await own.platform.fetch(new Request('http://natter.test/readyz'))).status).toBe(503)
    own.clock.advance(1999)
    for (let count = 0; count < 10; count++) await openOne()
    await advanceUntil(own.clock, 20, closed)
    const ended = (await Promise.all(ends)).map(at => at - started)
    expect(Math.min(...ended)).toBeGreaterThanOrEqual(2000)
    // If they ended together, they would also reconnect together.
    const together = Math.max(...ended.map(at => ended.filter(other => Math.abs(other - at) < 100).length))
    expect(together).toBeLessThan(10)
  })
})

it.each([
  ['GET starts after Last-Event-ID rather than after ?after=', { method: 'GET', after: 0 }, [5]],
  ['POST ignores Last-Event-ID', { method: 'POST', after: 3 }, [4, 5]],
] as const)('an event stream by %s', async (_, opening, seqs) => {
  const token = await ours.visitorToken()
  await sendMany(token, 5)
  const events = await open(token, { ...opening, headers: { 'last-event-id': '4' } })
  expect(await takeSeqs(events, seqs.length)).toEqual(seqs)
})

it('an event stream by POST returns the nonce before it reads what to replay', async () => {
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
  expect(await events.next()).toEqual({ event: 'opened', data: { nonce } })
  held.resolve()
  expect(await events.next()).toMatchObject({ event: 'message', id: '1' })
})

it('no stream is left behind if the store fails while one is being opened', async () => {
  const session = await store.findSession(hashToken(await ours.visitorToken()))
  if (!session) throw new Error('no session')
  const requestStore = { ...store, findSession: () => Promise.reject(new Error('as asked')) }
  const onError = (error: unknown) => expect.unreachable(String(error))
  const [bus, limits] = [createMemoryBus(), defaultStreamLimits]
  const streams = createStreams({ backgroundStore: store, requestStore, bus, clock, limits, onError })
  await expect(streams.open(session, {})).rejects.toThrow('as asked')
  expect(streams.count()).toBe(0)
})
