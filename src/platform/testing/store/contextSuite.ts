import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { Store } from '../../store/store.ts'
import { at, newMessage, newRequest, newSession, signIn, useStore } from './storeTenants.ts'

export function describeContext(open: () => Promise<Store>): void {
  const start = useStore(open)

  describe('setContactAttributes', () => {
    it('replaces all attributes, and leaves the contact as it is', async () => {
      const { store, ours } = await start()
      const { scope, contact } = await signIn(store, ours)
      expect(await store.findContactAttributes(scope)).toEqual({})
      for (const attributes of [{ plan: 'pro', cart: 3, vip: true }, { cart: 4, constructor: 'x' }, {}]) {
        expect(await store.setContactAttributes(scope, attributes)).toBe('set')
        expect(await store.findContactAttributes(scope)).toEqual(attributes)
      }
      expect(await store.findContact(scope)).toEqual(contact)
    })

    it('finds only contacts of the bot', async () => {
      const { store, ours, sibling, otherOrganization } = await start()
      const { scope, contact } = await signIn(store, ours)
      await store.setContactAttributes(scope, { plan: 'pro' })
      const foreign = [sibling, otherOrganization, { ...ours, organizationId: otherOrganization.organizationId }]
      for (const other of [...foreign.map(one => ({ ...one, contactId: contact.id })), { ...ours, contactId: 'x' }]) {
        expect(await store.findContactAttributes(other)).toBeNull()
        expect(await store.setContactAttributes(other, { plan: 'free' })).toBe('not_found')
      }
      expect(await store.findContactAttributes(scope)).toEqual({ plan: 'pro' })
    })

    it('does not undo a later write when a request is repeated', async () => {
      const { store, ours } = await start()
      const { scope } = await signIn(store, ours)
      const request = newRequest()
      expect(await store.setContactAttributes(scope, { plan: 'free' }, request)).toBe('set')
      await store.setContactAttributes(scope, { plan: 'pro' })
      expect(await store.setContactAttributes(scope, { plan: 'free' }, request)).toBe('replayed')
      const other = { ...request, bodyHash: 'other' }
      expect(await store.setContactAttributes(scope, { plan: 'free' }, other)).toBe('key_reused')
      expect(await store.findContactAttributes(scope)).toEqual({ plan: 'pro' })
    })

    it('survives an update and an upsert of the contact', async () => {
      const { store, ours } = await start()
      const { scope, contact } = await signIn(store, ours)
      await store.setContactAttributes(scope, { plan: 'pro' })
      await store.updateContact(scope, { name: 'Augusta', updatedAt: at(5) })
      await store.upsertContacts(ours, [{ ...contact, emailKey: contact.email, phone: '22', updatedAt: at(6) }])
      expect(await store.findContactAttributes(scope)).toEqual({ plan: 'pro' })
    })
  })

  describe('the context of a message', () => {
    it('is what the page claimed and what the contact had when it was sent, for the organization alone', async () => {
      const { store, ours } = await start()
      const { scope, hash, conversationId } = await signIn(store, ours)
      const verified = { plan: 'pro' }
      await store.setContactAttributes(scope, verified)
      const claimed = { cart: 3, plan: 'gold' }
      const sent = await store.appendVisitorMessage(hash, { ...newMessage('with both'), claimed })
      await store.setContactAttributes(scope, {})
      await store.appendVisitorMessage(hash, newMessage('with none'))
      await store.setContactAttributes(scope, { plan: 'free' })
      await store.appendVisitorMessage(hash, newMessage('with one'))
      await store.appendAgentMessage(
        ours,
        { conversationId, newConversationId: '' },
        newMessage('from an agent', { author: 'agent' }),
        null,
      )

      expect(sent).not.toHaveProperty('message.context')
      for (const messages of [
        await store.listMessages(conversationId, { limit: 9 }),
        await store.listMessagesAfter(conversationId, 0, 9),
      ]) {
        expect(messages).toHaveLength(4)
        for (const message of messages) expect(message).not.toHaveProperty('context')
      }
      const messages = await store.listMessagesWithContext(conversationId, { limit: 9 })
      expect(messages.map(({ text, context }) => ({ text, context }))).toEqual([
        { text: 'with both', context: { claimed, verified } },
        { text: 'with none', context: undefined },
        { text: 'with one', context: { claimed: {}, verified: { plan: 'free' } } },
        { text: 'from an agent', context: undefined },
      ])
      const page = await store.listMessagesWithContext(conversationId, { before: 4, limit: 1 })
      expect(page).toEqual([messages[2]])
    })

    it('is kept for anonymous visitors, without anything verified', async () => {
      const { store, ours } = await start()
      const visitor = newSession()
      await store.createVisitorSession(ours.botId, visitor)
      await store.appendVisitorMessage(visitor.hash, { ...newMessage('hello'), claimed: { cart: 3 } })
      expect(await store.listConversations(ours, { limit: 9 })).toMatchObject([
        { lastMessage: { text: 'hello', context: { claimed: { cart: 3 }, verified: {} } } },
      ])
    })

    it('is not compared when a message is sent again, which changes nothing', async () => {
      const { store, ours } = await start()
      const { hash, conversationId } = await signIn(store, ours)
      const message = newMessage('hello')
      await store.appendVisitorMessage(hash, { ...message, claimed: { cart: 3 } })
      for (const again of [message, { ...message, claimed: { cart: 4 } }])
        expect(await store.appendVisitorMessage(hash, again)).toMatchObject({ repeated: true })
      expect(await store.listMessagesWithContext(conversationId, { limit: 9 })).toMatchObject([
        { context: { claimed: { cart: 3 }, verified: {} } },
      ])
    })

    it('comes with turns, events, conversations and the export, and goes with the contact', async () => {
      const { store, ours } = await start()
      await store.updateBot(ours.botId, { events: { url: 'https://example.com/events', secret: 'whsec_a' } })
      const { scope, hash, conversationId } = await signIn(store, ours)
      const context = { claimed: { cart: 3 }, verified: { plan: 'pro' } }
      await store.setContactAttributes(scope, context.verified)
      await store.appendVisitorMessage(hash, { ...newMessage('hello'), claimed: context.claimed, locale: 'de' })

      const turns = await store.leaseTurns(randomUUID(), at(4), at(9), 99)
      expect(turns.find(turn => turn.conversationId === conversationId)).toMatchObject({ messages: [{ context }] })
      const limits = { all: 99, perBot: 99, except: [] }
      const events = await store.leaseDeliveries(randomUUID(), at(4), at(9), limits)
      const created = events
        .map(({ event }) => event)
        .find(({ type, botId }) => type === 'message.created' && botId === ours.botId)
      expect(created).toMatchObject({ data: { conversationId, message: { text: 'hello', context } } })
      expect(await store.listConversations(ours, { limit: 9 })).toMatchObject([{ lastMessage: { context } }])
      expect(await store.exportContact(scope)).toMatchObject({ attributes: context.verified, messages: [{ context }] })

      await store.deleteContact(scope, at(5))
      expect(await store.findContactAttributes(scope)).toBeNull()
      expect(await store.exportContact(scope)).toBeNull()
      expect(await store.findConversation(conversationId)).toBeNull()
      expect(await store.listMessagesWithContext(conversationId, { limit: 9 })).toEqual([])
    })
  })
}
