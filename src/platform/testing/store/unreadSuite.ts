import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { unreadBatchSize } from '../../store/queries/deliveries.ts'
import type { Store } from '../../store/store.ts'
import { at, newMessage, newSession, signIn, type TestTenants, useStore } from './storeTenants.ts'

const many = { all: 1000, perBot: 1000, except: [] as string[] }
const minute = 60

export function describeUnread(open: () => Promise<Store>): void {
  const start = useStore(open)
  let tenants: TestTenants
  let store: Store
  beforeEach(async () => {
    tenants = await start()
    store = tenants.store
    await store.updateBot(tenants.ours.botId, { events: { url: 'https://example.com/events', secret: 'whsec_a' } })
    // The events of earlier tests.
    await notice(1e9)
    for (const { event } of await store.leaseDeliveries('over', at(2e9), at(3e9), many))
      await store.endDelivery(event.id, 'over')
  })

  /** Reports, at this second, what has been unread for ten minutes. */
  const notice = (second: number) =>
    store.enqueueUnreadNotices({
      now: at(second),
      unreadBefore: at(second - 10 * minute),
      absentBefore: at(second - minute),
    })
  const events = async () => {
    const leased = await store.leaseDeliveries('me', at(1e6), at(2e6), many)
    for (const { event } of leased) await store.endDelivery(event.id, 'me')
    return leased.map(({ event }) => event)
  }
  const say = (conversationId: string, second: number, author: 'agent' | 'bot' = 'agent') =>
    store.appendAgentMessage(
      tenants.ours,
      { conversationId, newConversationId: randomUUID() },
      newMessage('private', { author, createdAt: at(second) }),
      null,
    )

  describe('enqueueUnreadNotices', () => {
    it('tells of a contact who is away, once, with the number and without texts', async () => {
      const { conversationId, contact } = await signIn(store, tenants.ours)
      for (const second of [3, 5 * minute]) await say(conversationId, second)
      await notice(10 * minute)
      expect(await events()).toEqual([])
      expect(await Promise.all([notice(11 * minute), notice(11 * minute)])).toEqual([false, false])
      expect(await events()).toMatchObject([
        {
          type: 'message.unread',
          createdAt: at(11 * minute),
          data: { conversationId, contact: { id: contact.id, name: 'Ada' }, unread: 2 },
        },
      ])
      await say(conversationId, 12 * minute)
      await notice(40 * minute)
      expect(await events()).toEqual([])
    })

    it('does not tell of what was read in time, and begins again after that', async () => {
      const { conversationId, hash } = await signIn(store, tenants.ours)
      await say(conversationId, 3)
      await store.markRead(hash, 1, at(5 * minute))
      await notice(11 * minute)
      for (const second of [12, 13]) await say(conversationId, second * minute)
      // The contact reads one of two at minute 15. That is no reading of the rest, but the contact is there.
      await store.markRead(hash, 2, at(15 * minute))
      await store.markRead(hash, 2, at(16 * minute))
      await notice(24 * minute)
      expect(await events()).toEqual([])
      await notice(26 * minute)
      expect(await events()).toMatchObject([{ type: 'message.unread', data: { unread: 1 } }])
      await store.markRead(hash, 3, at(15 * minute))
      await say(conversationId, 30 * minute)
      await notice(41 * minute)
      expect(await events()).toMatchObject([{ type: 'message.unread' }])
    })

    it('waits while the contact has a page open, and for some time after that', async () => {
      const { conversationId } = await signIn(store, tenants.ours)
      await say(conversationId, 3)
      await store.recordPresence([conversationId, 'unknown'], at(11 * minute))
      await store.recordPresence([], at(11 * minute + 30))
      await notice(12 * minute - 1)
      expect(await events()).toEqual([])
      await notice(12 * minute)
      expect(await events()).toHaveLength(1)
    })

    it('tells of many at once, each with its own number, and says whether there are more', async () => {
      const people = await Promise.all(Array.from({ length: unreadBatchSize + 1 }, () => signIn(store, tenants.ours)))
      for (const [index, { conversationId }] of people.entries()) await say(conversationId, 3 + index)
      await say(people[0]?.conversationId ?? '', minute * 5)
      expect(await notice(20 * minute)).toBe(true)
      expect(await notice(20 * minute)).toBe(false)
      const notices = (await events()).flatMap(event => (event.type === 'message.unread' ? [event.data] : []))
      expect(notices.map(({ conversationId }) => conversationId).sort()).toEqual(
        people.map(({ conversationId }) => conversationId).sort(),
      )
      expect(notices.filter(({ unread }) => unread === 2).map(({ conversationId }) => conversationId)).toEqual([
        people[0]?.conversationId,
      ])
    })

    it('takes a notice back when the contact has read or nothing is left to read', async () => {
      const [reading, removed, partly, leased] = await Promise.all([1, 2, 3, 4].map(() => signIn(store, tenants.ours)))
      const which = (person = removed) => ({ conversationId: person?.conversationId ?? '' })
      const message = newMessage('private', { author: 'agent', createdAt: at(3) })
      for (const person of [reading, partly, leased])
        for (let count = 0; count < 2; count++) await say(which(person).conversationId, 3)
      await store.appendAgentMessage(tenants.ours, { ...which(), newConversationId: '' }, message, null)
      await notice(11 * minute)
      const deliveredTo = async (now: number) =>
        (await store.leaseDeliveries('me', at(now), at(now + 100), many)).flatMap(({ event }) =>
          event.type === 'message.unread' ? [event.data.conversationId] : [],
        )
      const read = (person: typeof reading, seq: number, second: number) =>
        store.markRead(person?.hash ?? '', seq, at(second))
      await read(partly, 1, 11 * minute)
      await read(reading, 2, 11 * minute)
      await store.removeMessage(tenants.ours, which(), message.id, at(11 * minute))
      expect((await deliveredTo(11 * minute)).sort()).toEqual(
        [partly, leased].map(each => which(each).conversationId).sort(),
      )
      // It is being delivered, and is not delivered again if that fails.
      await read(leased, 2, 11 * minute + 1)
      expect(await deliveredTo(11 * minute + 200)).toEqual([which(partly).conversationId])
    })

    it('tells nothing of anonymous visitors, of bots without an events webhook, and of removed messages', async () => {
      const visitor = newSession()
      await store.createVisitorSession(tenants.ours.botId, visitor)
      await say(visitor.conversationId, 3)
      const person = await signIn(store, tenants.ours)
      const message = newMessage('private', { author: 'agent' })
      const which = { conversationId: person.conversationId }
      await store.appendAgentMessage(tenants.ours, { ...which, newConversationId: '' }, message, null)
      await store.removeMessage(tenants.ours, which, message.id, at(4))
      const elsewhere = await signIn(store, tenants.sibling)
      await store.appendAgentMessage(
        tenants.sibling,
        { conversationId: elsewhere.conversationId, newConversationId: '' },
        newMessage('private', { author: 'agent' }),
        null,
      )
      await notice(11 * minute)
      expect((await events()).filter(({ type }) => type === 'message.unread')).toEqual([])
    })
  })

  describe('the events of messages', () => {
    it('include those of the bot and of agents only if the bot is set so', async () => {
      const { conversationId, hash } = await signIn(store, tenants.ours)
      const talk = async () => {
        await say(conversationId, 3)
        await store.appendVisitorMessage(hash, newMessage('hello'))
        await store.leaseTurns('me', at(4), at(9), 50)
        await store.endTurn(conversationId, 'me', { reply: newMessage('Hi', { author: 'bot' }) })
        return (await events()).flatMap(event => (event.type === 'message.created' ? [event.data.message.author] : []))
      }
      expect(await talk()).toEqual(['visitor'])
      await store.updateBot(tenants.ours.botId, {
        events: { url: 'https://example.com/events', secret: 'whsec_a', authors: 'all' },
      })
      expect(await talk()).toEqual(['agent', 'visitor', 'bot'])
    })
  })
}
