import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import type { LeasedDelivery, Store } from '../../store/store.ts'
import { at, newMessage, newSession, signIn, type TestTenants, useStore } from './storeTenants.ts'

export function describeDeliveries(open: () => Promise<Store>): void {
  const start = useStore(open)
  let tenants: TestTenants
  let store: Store
  beforeEach(async () => {
    tenants = await start()
    store = tenants.store
    // Deliveries are leased from the whole store, so end those of earlier tests first.
    for (const { event } of await store.leaseDeliveries('over', at(1e9), at(2e9), many))
      await store.endDelivery(event.id, 'over')
    await store.updateBot(tenants.ours.botId, { events: { url: 'https://example.com/events', secret: 'whsec_a' } })
  })

  const types = (deliveries: LeasedDelivery[]) => deliveries.map(({ event }) => event.type)
  const lease = (now = at(100)) => store.leaseDeliveries('me', now, at(1000), many)

  const many = { all: 100, perBot: 100, except: [] as string[] }

  describe('events', () => {
    it('include a conversation and each message of the visitor, once and in order', async () => {
      const { hash, conversationId, contact } = await signIn(store, tenants.ours)
      const messages = [newMessage('one', { createdAt: at(3) }), newMessage('two', { createdAt: at(4) })]
      for (const message of [...messages, ...messages]) await store.appendVisitorMessage(hash, message)
      const deliveries = await lease()
      const context = { conversationId, contact: { id: contact.id, name: 'Ada' } }
      const envelope = { id: expect.stringMatching(/^[0-9a-f-]{36}$/), botId: tenants.ours.botId }
      const messageEvent = (index: number) => ({ ...context, message: { ...messages[index], seq: index + 1 } })
      expect(deliveries).toEqual([
        { attempt: 1, event: { ...envelope, createdAt: at(3), type: 'conversation.created', data: context } },
        { attempt: 1, event: { ...envelope, createdAt: at(3), type: 'message.created', data: messageEvent(0) } },
        { attempt: 1, event: { ...envelope, createdAt: at(4), type: 'message.created', data: messageEvent(1) } },
      ])
      expect(new Set(deliveries.map(({ event }) => event.id)).size).toBe(3)
    })

    it('include the visitor’s first message also if an agent has written before', async () => {
      const { hash, conversationId } = await signIn(store, tenants.ours)
      const which = { conversationId, newConversationId: randomUUID() }
      await store.appendAgentMessage(tenants.ours, which, newMessage('Welcome', { author: 'agent' }), null)
      expect(await lease()).toEqual([])
      await store.appendVisitorMessage(hash, newMessage('hello'))
      expect(types(await lease())).toEqual(['conversation.created', 'message.created'])
    })

    it('include a logout, but no other end of a session', async () => {
      const [ada, grace] = [await signIn(store, tenants.ours), await signIn(store, tenants.ours, 'Grace')]
      const visitor = newSession()
      await store.createVisitorSession(tenants.ours.botId, visitor)
      await store.endSession(tenants.ours.botId, grace.hash, 'revoked', at(5))
      for (const { hash } of [ada, ada, visitor]) await store.endSession(tenants.ours.botId, hash, 'logged_out', at(6))
      const contact = { id: ada.contact.id, name: 'Ada' }
      expect((await lease()).map(({ event }) => event)).toMatchObject([
        {
          type: 'session.ended',
          createdAt: at(6),
          data: { conversationId: ada.conversationId, contact, reason: 'logged_out' },
        },
        { type: 'session.ended', data: { conversationId: visitor.conversationId, contact: null } },
      ])
    })

    it('do not exist for a bot without an events webhook', async () => {
      const { hash } = await signIn(store, tenants.sibling)
      await store.appendVisitorMessage(hash, newMessage('hello'))
      await store.endSession(tenants.sibling.botId, hash, 'logged_out', at(5))
      expect(await lease()).toEqual([])
    })

    it('are deleted with their contact', async () => {
      const { hash, scope } = await signIn(store, tenants.ours)
      await store.appendVisitorMessage(hash, newMessage('a secret'))
      await store.deleteContact(scope, at(5))
      expect(await lease()).toEqual([])
    })
  })

  describe('leaseDeliveries', () => {
    it('leases a delivery to one owner until it has ended or the lease has expired', async () => {
      const { hash } = await signIn(store, tenants.ours)
      await store.appendVisitorMessage(hash, newMessage('hello'))
      const both = await Promise.all([
        store.leaseDeliveries('one', at(4), at(10), { ...many, all: 1 }),
        store.leaseDeliveries('two', at(4), at(10), many),
      ])
      const [own, theirs] = both.flatMap((leased, index) =>
        leased.map(it => ({ ...it, owner: index === 0 ? 'one' : 'two' })),
      )
      if (!own || !theirs) throw new Error('Both were to be leased.')
      expect(types([own, theirs]).sort()).toEqual(['conversation.created', 'message.created'])
      await store.endDelivery(own.event.id, 'another')
      await store.endDelivery(theirs.event.id, theirs.owner)
      expect(await store.leaseDeliveries('three', at(9), at(20), many)).toEqual([])
      expect(await store.leaseDeliveries('three', at(10), at(20), many)).toEqual([{ event: own.event, attempt: 2 }])
      await store.endDelivery(own.event.id, own.owner)
      expect(await store.leaseDeliveries('one', at(20), at(30), many)).toHaveLength(1)
    })

    it('returns only the requested number per bot, oldest first, and none of an excluded bot', async () => {
      await store.updateBot(tenants.sibling.botId, { events: { url: 'https://example.com/2', secret: 'whsec_a' } })
      const [ada, grace] = [await signIn(store, tenants.ours), await signIn(store, tenants.sibling, 'Grace')]
      for (const time of [3, 4, 5]) await store.appendVisitorMessage(ada.hash, newMessage('a', { createdAt: at(time) }))
      await store.appendVisitorMessage(grace.hash, newMessage('b', { createdAt: at(6) }))
      const limits = { all: 10, perBot: 2, except: [] as string[] }
      const messageEvent = (deliveries: LeasedDelivery[]) =>
        deliveries.map(({ event }) => [event.botId === tenants.ours.botId ? 'ours' : 'sibling', event.createdAt])
      expect(messageEvent(await store.leaseDeliveries('me', at(9), at(20), limits))).toEqual([
        ['ours', at(3)],
        ['ours', at(3)],
        ['sibling', at(6)],
        ['sibling', at(6)],
      ])
      expect(await store.leaseDeliveries('me', at(9), at(20), { ...limits, except: [tenants.ours.botId] })).toEqual([])
      expect(messageEvent(await store.leaseDeliveries('me', at(9), at(20), { ...limits, all: 1 }))).toEqual([
        ['ours', at(4)],
      ])
    })

    it('returns a postponed delivery when it is due, if its owner still held the lease', async () => {
      const { hash } = await signIn(store, tenants.ours)
      await store.endSession(tenants.ours.botId, hash, 'logged_out', at(4))
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
