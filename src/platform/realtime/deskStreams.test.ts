import { PassThrough } from 'node:stream'
import { describe, expect, it, vi } from 'vitest'
import type { DeskConversation } from '../../contract/desk.ts'
import type { Bus } from '../bus/bus.ts'
import { createBotRow } from '../domain/bots.ts'
import { timestamp } from '../domain/time.ts'
import { mintHexToken } from '../domain/tokens.ts'
import { sweepMs } from '../platform.ts'
import { createMember, type DeskCallOptions, type TestMember } from '../testing/createMember.ts'
import {
  advanceUntil,
  createTestTenants,
  deskOrigin,
  type EventReader,
  outcomeOf,
  readDeskEvents,
  silentBus,
  type TestBot,
} from '../testing/testTenants.ts'
import { maxReplay, maxStreamsPerMember } from './deskStreams.ts'
import { maxBuffered } from './eventStream.ts'
import { heartbeatMs } from './openStreams.ts'

async function start(options: { bus?: Bus } = {}) {
  const tenants = await createTestTenants(options)
  const { clock, ours } = tenants
  /** A visitor who sends messages. */
  const visitor = async (testBot: TestBot = ours) => {
    const token = await testBot.visitorToken()
    return { token, say: (text: string) => testBot.send(token, text) }
  }
  /** The next conversation of a stream. Time passes until it comes. */
  const next = async (events: EventReader) => {
    const { id, data } = await advanceUntil(clock, 10, events.nextOf('conversation'))
    return { id, conversation: data as unknown as DeskConversation }
  }
  const textOf = async (events: EventReader) => (await next(events)).conversation.lastMessage.text
  return { ...tenants, tenants, visitor, next, textOf }
}

const open = async (member: TestMember, options?: DeskCallOptions) =>
  readDeskEvents(await member.call('GET', '/events', options))
const resume = (member: TestMember, id = '') => open(member, { headers: { 'last-event-id': id } })

describe('the event stream of a member', () => {
  it('is uncached, and begins with a heartbeat that is repeated every 15 s', async () => {
    const { tenants, clock } = await start()
    const response = await (await createMember(tenants)).call('GET', '/events')
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    expect(response.headers.get('cache-control')).toBe('no-store, no-transform')
    const events = readDeskEvents(response)
    const first = await events.next()
    expect(first).toMatchObject({ event: 'heartbeat', data: {} })
    const second = await advanceUntil(clock, sweepMs, events.nextOf('heartbeat'))
    expect(Date.parse(second.id ?? '')).toBeGreaterThan(Date.parse(first?.id ?? ''))
  })

  it('gets a conversation as soon as a visitor writes', async () => {
    const { tenants, clock, visitor, next } = await start()
    const events = await open(await createMember(tenants))
    const { say } = await visitor()
    const before = clock.elapsed()
    await say('Where is my parcel?')
    const { conversation } = await next(events)
    expect(conversation).toMatchObject({ unseen: 1, lastMessage: { text: 'Where is my parcel?' } })
    expect(clock.elapsed() - before).toBeLessThan(250)
  })

  it('gets no conversation of a bot that the member does not see, nor of another organization', async () => {
    const { tenants, ours, sibling, otherOrganization, visitor, textOf } = await start()
    const [one, all] = [await createMember(tenants, { botIds: [ours.bot.id] }), await createMember(tenants)]
    const [events, allEvents] = [await open(one), await open(all)]
    for (const testBot of [otherOrganization, sibling, ours]) await (await visitor(testBot)).say(testBot.bot.id)
    expect(await textOf(events)).toBe(ours.bot.id)
    expect([await textOf(allEvents), await textOf(allEvents)].sort()).toEqual([ours.bot.id, sibling.bot.id].sort())
  })

  it('is closed within a heartbeat of the creation of a bot, so that the next one has its conversations', async () => {
    const { tenants, store, clock, ours, visitor, textOf } = await start()
    const all = await createMember(tenants)
    const [events, others] = [await open(all), await open(await createMember(tenants, { botIds: [ours.bot.id] }))]
    const ends = events.nextOf('session.ended').catch(() => 'ended')
    const { organizationId } = ours.bot
    // As the command line does, in another process.
    await store.createBot(createBotRow({ organizationId, name: 'New' }, clock))
    expect(await advanceUntil(clock, heartbeatMs, ends)).toBe('ended')
    await (await visitor()).say('still open')
    expect(await textOf(others)).toBe('still open')
  })

  it('reads a conversation once for hints that come together, whoever gets it', async () => {
    const { tenants, store, visitor, textOf } = await start()
    const streams = [await open(await createMember(tenants)), await open(await createMember(tenants))]
    const find = vi.spyOn(store, 'findDeskConversation')
    const { say } = await visitor()
    for (const text of ['one', 'two', 'three']) await say(text)
    for (const events of streams) expect(await textOf(events)).toBe('three')
    expect(find).toHaveBeenCalledOnce()
  })

  it('gets what the bus has lost with the next sweep, once', async () => {
    const { tenants, clock, visitor, textOf } = await start({ bus: silentBus() })
    const events = await open(await createMember(tenants))
    const { say } = await visitor()
    await say('one')
    clock.advance(sweepMs)
    expect(await textOf(events)).toBe('one')
    clock.advance(sweepMs)
    await say('two')
    expect(await textOf(events)).toBe('two')
  })

  it.each([
    ['the conversations', 'at different times', 5, 'conversation'],
    ['a reset', 'all at the same time', 0, 'reset'],
  ])('gets %s of a sweep of several pages that have changed %s', async (_, __, pauseMs, expected) => {
    const { tenants, store, clock, visitor } = await start({ bus: silentBus() })
    const events = await open(await createMember(tenants))
    for (let count = 0; count < 3; count++) {
      await (await visitor()).say('Hello')
      clock.advance(pauseMs)
    }
    const { listChangedDeskConversations } = store
    store.listChangedDeskConversations = async (botIds, since, limit) => {
      const [first, second] = await listChangedDeskConversations(botIds, since, 2)
      // Two conversations fill a page.
      return first && second ? [first, ...Array(limit - 1).fill(second)] : [first].filter(found => found !== undefined)
    }
    clock.advance(sweepMs)
    const received = new Set<unknown>()
    for (let count = 0; count < 2; count++) received.add((await events.nextOf('conversation')).data['id'])
    const third = await events.nextOf(expected)
    received.add(third.data['id'])
    expect(received.size).toBe(3)
  })

  it('resumes after a disconnection with what it has missed', async () => {
    const { tenants, clock, visitor, next, textOf } = await start()
    const member = await createMember(tenants)
    const events = await open(member)
    const [early, late] = [await visitor(), await visitor()]
    await early.say('before')
    const { id } = await next(events)
    await events.cancel()
    await late.say('while away')
    clock.advance(60_000)
    const resumed = await resume(member, id)
    expect([await textOf(resumed), await textOf(resumed)]).toContain('while away')
  })

  it('can resume though no event but the first has come before the disconnection', async () => {
    const { tenants, clock, visitor, textOf } = await start()
    const member = await createMember(tenants)
    const events = await open(member)
    const first = await events.next()
    await events.cancel()
    await (await visitor()).say('while away')
    clock.advance(60_000)
    expect(await textOf(await resume(member, first?.id))).toBe('while away')
  })

  it('is not told to be further than its replay, so that a second disconnection loses nothing', async () => {
    const { tenants, store, clock, visitor, next } = await start()
    const member = await createMember(tenants)
    const events = await open(member)
    const { id } = await events.nextOf('heartbeat')
    await events.cancel()
    await (await visitor()).say('while away')
    clock.advance(60_000)
    const held = Promise.withResolvers<never[]>()
    const { listChangedDeskConversations } = store
    store.listChangedDeskConversations = (...page) =>
      page[2] > maxReplay ? held.promise : listChangedDeskConversations(...page)
    const resumed = await resume(member, id)
    await (await visitor()).say('now')
    const live = await next(resumed)
    expect(live).toMatchObject({ id: undefined, conversation: { lastMessage: { text: 'now' } } })
    held.resolve([])
  })

  it('gets a reset in place of a replay of more than 200 conversations', async () => {
    const { tenants, clock, visitor } = await start()
    const member = await createMember(tenants)
    const events = await open(member)
    const first = await events.next()
    await events.cancel()
    for (let count = 0; count <= maxReplay; count++) await (await visitor()).say('Hello')
    clock.advance(60_000)
    const resumed = await resume(member, first?.id)
    expect(await resumed.next()).toMatchObject({ event: 'heartbeat', id: first?.id })
    const reset = await resumed.next()
    expect(reset?.event).toBe('reset')
    expect(Date.parse(reset?.id ?? '')).toBeGreaterThan(Date.parse(first?.id ?? ''))
  })

  it.each(['yesterday', '2030-99-99T00:00:00.000Z', '9999-01-01T00:00:00.000Z'])(
    'ignores the position %s',
    async id => {
      const { tenants, visitor, textOf } = await start()
      const events = await resume(await createMember(tenants), id)
      await (await visitor()).say('now')
      expect(await textOf(events)).toBe('now')
    },
  )

  it('misses nothing that is stored while it opens', async () => {
    const { tenants, store, visitor, textOf } = await start()
    const [member, { say }] = [await createMember(tenants), await visitor()]
    const { findMemberSession } = store
    store.findMemberSession = async (...args) => {
      await say('meanwhile')
      return findMemberSession(...args)
    }
    expect(await textOf(await open(member))).toBe('meanwhile')
  })

  it('is closed if nobody reads it, once its buffer is full', async () => {
    const { platform, tenants, clock, visitor } = await start()
    const { id, cookie } = await createMember(tenants)
    const outgoing = Object.assign(new PassThrough({ readableHighWaterMark: 0 }), { writeHead() {} })
    const url = `${deskOrigin}/desk/api/events?member=${id}`
    await platform.fetch(new Request(url, { headers: { cookie } }), { outgoing })
    const { say } = await visitor()
    let buffered = 0
    for (let count = 0; count < 60 && !outgoing.destroyed; count++) {
      buffered = outgoing.writableLength
      await say('x'.repeat(4000))
      clock.advance(100)
      await new Promise(resolve => setImmediate(resolve))
    }
    expect(outgoing.destroyed).toBe(true)
    expect(buffered).toBeLessThan(maxBuffered + 8000)
  })

  it('ends the oldest of the 40 streams that a member may have in all its sessions', async () => {
    const { tenants, store, clock } = await start()
    const [member, { token, hash }] = [await createMember(tenants), mintHexToken()]
    const [createdAt, expiresAt] = [timestamp(clock.now()), timestamp(clock.now() + 60_000)]
    await store.createMemberSession({ hash, memberId: member.id, createdAt, expiresAt }, 'none')
    const cookies = [member.cookie, `__Host-natter-desk=${token}`]
    const oldest = await open(member)
    for (let count = 0; count < maxStreamsPerMember; count++)
      await open(member, { headers: { cookie: cookies[count % 2] ?? '' } })
    await expect(oldest.nextOf('session.ended')).rejects.toThrow('The stream has ended')
  })

  it('is told by a stopping platform when to reconnect, also if it opens too late', async () => {
    const { tenants, platform } = await start()
    const member = await createMember(tenants)
    const streams = [await open(member)]
    await platform.closeStreams()
    streams.push(await open(member))
    for (const events of streams) {
      await events.nextOf('retry')
      expect(await events.next()).toBeUndefined()
    }
  })

  it('gets no heartbeat while the store does not answer, so that the client connects elsewhere', async () => {
    const { tenants, store, clock, lines } = await start()
    const events = await open(await createMember(tenants))
    await events.nextOf('heartbeat')
    const { findEndedMemberSessions } = store
    store.findEndedMemberSessions = async () => {
      throw new Error('down')
    }
    clock.advance(sweepMs)
    await expect.poll(() => lines.join()).toContain('down')
    let isBeating = false
    const beat = events.nextOf('heartbeat').then(() => {
      isBeating = true
    })
    clock.advance(2 * heartbeatMs)
    await new Promise(resolve => setImmediate(resolve))
    expect(isBeating).toBe(false)
    store.findEndedMemberSessions = findEndedMemberSessions
    await advanceUntil(clock, sweepMs, beat)
  })

  it('is not opened by HEAD, nor without a session', async () => {
    const { tenants } = await start()
    const member = await createMember(tenants)
    const head = await member.call('HEAD', '/events')
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect(await outcomeOf(member.call('GET', '/events', { headers: { cookie: '' } }))).toBe('401 unauthorized')
  })
})

describe('the end of a session', () => {
  const ended = { event: 'session.ended', data: {} }

  it('closes its streams at once, and no others', async () => {
    const { tenants, visitor, textOf } = await start()
    const [leaving, staying] = [await createMember(tenants), await createMember(tenants)]
    const [events, other] = [await open(leaving), await open(staying)]
    await leaving.call('DELETE', '/session')
    expect(await events.nextOf('session.ended')).toEqual(ended)
    expect(await events.next()).toBeUndefined()
    await (await visitor()).say('still here')
    expect(await textOf(other)).toBe('still here')
  })

  it.each(['was ended', 'has expired', 'was that of a removed member'])(
    'is found by the sweep if it %s and no event has come',
    async how => {
      const { tenants, store, clock, ours } = await start({ bus: silentBus() })
      const member = await createMember(tenants)
      const events = await open(member)
      if (how === 'was ended') await member.call('DELETE', '/session')
      else if (how !== 'has expired')
        await store.removeMember({ organizationId: ours.bot.organizationId, id: member.id }, null, {
          at: timestamp(clock.now()),
          timeoutMs: 0,
        })
      else clock.advance(12 * 60 * 60_000)
      expect(await advanceUntil(clock, sweepMs, events.nextOf('session.ended'))).toEqual(ended)
    },
  )

  it('is told to a stream that opens meanwhile', async () => {
    const { tenants, store } = await start()
    const member = await createMember(tenants)
    const { findMemberSession } = store
    store.findMemberSession = async (hash, now) => {
      const found = await findMemberSession(hash, now)
      await store.endMemberSession(hash)
      return found
    }
    expect(await (await open(member)).nextOf('session.ended')).toEqual(ended)
  })
})

it.each(['with', 'without'])('a contact %s an open session is erased from open desks at once', async how => {
  const { tenants, clock, ours, sibling, next } = await start()
  const contact = await ours.createContact()
  const token = await ours.contactToken(contact.id)
  await ours.send(token, 'forget me')
  if (how === 'without') await ours.call('DELETE', `/contacts/${contact.id}/tokens`)
  const member = await createMember(tenants, { botIds: [ours.bot.id] })
  const [events, others] = [await open(member), await open(await createMember(tenants, { botIds: [sibling.bot.id] }))]
  const { conversation } = await next(events)
  expect(await outcomeOf(ours.call('DELETE', `/contacts/${contact.id}`))).toBe('204')
  const gone = await advanceUntil(clock, 10, events.nextOf('gone'))
  expect(gone.data).toEqual({ conversationId: conversation.id })
  await tenants.platform.closeStreams()
  await expect(others.nextOf('gone')).rejects.toThrow('The stream has ended')
})

it('a conversation that could not be read at once comes with the next sweep', async () => {
  const { tenants, store, clock, lines, visitor, textOf } = await start()
  const events = await open(await createMember(tenants))
  const { findDeskConversation } = store
  store.findDeskConversation = async () => {
    throw new Error('as asked')
  }
  await (await visitor()).say('one')
  clock.advance(100)
  await expect.poll(() => lines.join()).toContain('as asked')
  store.findDeskConversation = findDeskConversation
  expect(await textOf(events)).toBe('one')
})

it('a contact that was erased while its conversation could not be read is gone from open desks a second later', async () => {
  const { tenants, store, clock, lines, ours, next } = await start()
  const contact = await ours.createContact()
  await ours.send(await ours.contactToken(contact.id), 'forget me')
  const events = await open(await createMember(tenants))
  const { conversation } = await next(events)
  const { findDeskConversation } = store
  store.findDeskConversation = async () => {
    throw new Error('as asked')
  }
  await ours.call('DELETE', `/contacts/${contact.id}`)
  clock.advance(100)
  await expect.poll(() => lines.join()).toContain('as asked')
  store.findDeskConversation = findDeskConversation
  const gone = await advanceUntil(clock, 10, events.nextOf('gone'))
  expect(gone.data).toEqual({ conversationId: conversation.id })
})
