import { describe, expect } from 'vitest'
import type { Store } from '../../store/store.ts'
import { at, collectEvents, newMessage, signIn, storeTests, waitingEvents } from './storeTenants.ts'

const many = { all: 100, perQueue: 100, except: [] as string[], emails: true }

export function describeDeliveries(open: () => Promise<Store>): void {
  const it = storeTests(open)
  it.beforeEach(async ({ store, ours }) => {
    // Deliveries are leased from the whole store, so end those of earlier tests first.
    for (const { event } of await store.leaseDeliveries('over', at(1e9), at(2e9), many))
      await store.endDelivery(event.id, 'over')
    await collectEvents(store, ours)
  })

  describe('events', () => {
    it('include a conversation and each message of the visitor, once and in order', async ({ store, ours, ada }) => {
      const messages = [newMessage('one', { createdAt: at(3) }), newMessage('two', { createdAt: at(4) })]
      for (const message of [...messages, ...messages]) await ada.send('', message)
      const context = { conversationId: ada.conversationId, contact: { id: ada.contact.id, name: 'Ada' } }
      const envelope = { id: expect.stringMatching(/^[0-9a-f-]{36}$/), botId: ours.botId }
      const messageEvent = (index: number) => ({ ...context, message: { ...messages[index], seq: index + 1 } })
      const events = await waitingEvents(store, ours)
      expect(events).toEqual([
        { ...envelope, createdAt: at(3), type: 'conversation.created', data: context },
        { ...envelope, createdAt: at(3), type: 'message.created', data: messageEvent(0) },
        { ...envelope, createdAt: at(4), type: 'message.created', data: messageEvent(1) },
      ])
      expect(new Set(events.map(({ id }) => id)).size).toBe(3)
    })

    it('include messages of the bot and agents only if the bot is set so', async ({ store, ours, ada }) => {
      const authors = async () =>
        (await waitingEvents(store, ours)).map(event =>
          event.type === 'message.created' ? event.data.message.author : event.type,
        )
      const talk = async () => {
        await ada.answer()
        await ada.send()
        await store.leaseTurns('me', at(4), at(9), 50)
        await store.endTurn(ada.conversationId, 'me', { reply: newMessage('Hi', { author: 'bot' }) })
        return authors()
      }
      const first = ['conversation.created', 'visitor']
      expect(await talk()).toEqual(first)
      await collectEvents(store, ours, { authors: 'all' })
      expect(await talk()).toEqual([...first, 'agent', 'visitor', 'bot'])
    })

    it('include a logout, but no other end of a session', async ({ store, ours, ada, grace, visitor }) => {
      await store.endSession(ours.botId, grace.hash, 'revoked', at(5))
      for (const { hash } of [ada, ada, visitor]) await store.endSession(ours.botId, hash, 'logged_out', at(6))
      const contact = { id: ada.contact.id, name: 'Ada' }
      const ended = { type: 'session.ended', createdAt: at(6) }
      expect(await waitingEvents(store, ours)).toMatchObject([
        { ...ended, data: { conversationId: ada.conversationId, contact, reason: 'logged_out' } },
        { ...ended, data: { conversationId: visitor.conversationId, contact: null } },
      ])
    })

    it('do not exist for a bot without an events webhook', async ({ store, sibling }) => {
      const person = await signIn(store, sibling)
      await person.send()
      await person.answer()
      await store.enqueueUnreadNotices({ now: at(9), unreadBefore: at(8), absentBefore: at(8) })
      await store.endSession(sibling.botId, person.hash, 'logged_out', at(5))
      expect(await waitingEvents(store, sibling)).toEqual([])
    })
  })

  describe('leaseDeliveries', () => {
    it('leases a delivery to one owner until it has ended or the lease has expired', async ({ store, ada }) => {
      await ada.send()
      const both = await Promise.all([
        store.leaseDeliveries('one', at(4), at(10), { ...many, all: 1 }),
        store.leaseDeliveries('two', at(4), at(10), many),
      ])
      const [own, theirs] = both.flatMap((leased, index) =>
        leased.map(({ event }) => ({ event, owner: index === 0 ? 'one' : 'two' })),
      )
      if (!own || !theirs) throw new Error('Both were to be leased.')
      expect([own, theirs].map(({ event }) => event.type).sort()).toEqual(['conversation.created', 'message.created'])
      await store.endDelivery(own.event.id, 'another')
      await store.endDelivery(theirs.event.id, theirs.owner)
      expect(await store.leaseDeliveries('three', at(9), at(20), many)).toEqual([])
      expect(await store.leaseDeliveries('three', at(10), at(20), many)).toMatchObject([
        { event: own.event, attempt: 2 },
      ])
      await store.endDelivery(own.event.id, own.owner)
      expect(await store.leaseDeliveries('one', at(20), at(30), many)).toHaveLength(1)
    })

    it('returns so many per bot, oldest first, and none of an excluded one', async ({ store, ours, sibling, ada }) => {
      await collectEvents(store, sibling)
      const grace = await signIn(store, sibling, 'Grace')
      for (const time of [3, 4, 5]) await ada.send('a', { createdAt: at(time) })
      await grace.send('b', { createdAt: at(6) })
      const lease = async (limits: object) => {
        const leased = await store.leaseDeliveries('me', at(9), at(20), { ...many, all: 10, perQueue: 2, ...limits })
        return leased.map(({ event }) => [event.botId === ours.botId ? 'ours' : 'sibling', event.createdAt])
      }
      expect(await lease({})).toEqual([
        ['ours', at(3)],
        ['ours', at(3)],
        ['sibling', at(6)],
        ['sibling', at(6)],
      ])
      expect(await lease({ except: [ours.botId] })).toEqual([])
      expect(await lease({ all: 1 })).toEqual([['ours', at(4)]])
    })

    it('returns a postponed delivery when it is due, if its owner held the lease', async ({ store, ours, ada }) => {
      await store.endSession(ours.botId, ada.hash, 'logged_out', at(4))
      const [delivery] = await store.leaseDeliveries('one', at(4), at(10), many)
      const id = delivery?.event.id ?? ''
      await store.postponeDelivery(id, 'two', at(5))
      expect(await store.leaseDeliveries('two', at(5), at(10), many)).toEqual([])
      await store.postponeDelivery(id, 'one', at(40))
      await store.endDelivery(id, 'one')
      expect(await store.leaseDeliveries('two', at(39), at(90), many)).toEqual([])
      expect(await store.leaseDeliveries('two', at(40), at(90), many)).toMatchObject([{ attempt: 2 }])
    })
  })
}
