import { describe, expect } from 'vitest'
import type { Store } from '../../store/store.ts'
import { at, collectEvents, newMessage, storeTests, waitingEvents } from './storeTenants.ts'

export function describeContext(open: () => Promise<Store>): void {
  const it = storeTests(open)

  describe('setContactAttributes', () => {
    it('replaces all attributes, which survive changes of the contact', async ({ store, ours, ada }) => {
      const { scope, contact } = ada
      expect(await store.findContactAttributes(scope)).toEqual({})
      for (const attributes of [{ plan: 'pro', cart: 3, vip: true }, {}, { cart: 4, constructor: 'x' }]) {
        expect(await store.setContactAttributes(scope, attributes)).toEqual({ value: undefined, replayed: false })
        expect(await store.findContactAttributes(scope)).toEqual(attributes)
      }
      expect(await store.findContact(scope)).toEqual(contact)
      await store.updateContact(scope, { name: 'Augusta', updatedAt: at(5) })
      await store.upsertContacts(ours, [{ ...contact, emailKey: contact.email, phone: '22', updatedAt: at(6) }])
      expect(await store.findContactAttributes(scope)).toEqual({ cart: 4, constructor: 'x' })
    })

    it('finds only contacts of the bot', async ({ store, ours, foreignScopes, ada: { scope, contact } }) => {
      await store.setContactAttributes(scope, { plan: 'pro' })
      const foreign = foreignScopes.map(one => ({ ...one, contactId: contact.id }))
      for (const other of [...foreign, { ...ours, contactId: 'x' }]) {
        expect(await store.findContactAttributes(other)).toBeNull()
        expect(await store.setContactAttributes(other, { plan: 'free' })).toBe('not_found')
      }
      expect(await store.findContactAttributes(scope)).toEqual({ plan: 'pro' })
    })
  })

  describe('the context of a message', () => {
    it('is that of the time of sending, for the organization alone', async ({ store, ada }) => {
      const { scope, conversationId } = ada
      const [claimed, verified] = [{ cart: 3, plan: 'gold' }, { plan: 'pro' }]
      await store.setContactAttributes(scope, verified)
      const sent = await ada.send('with both', { claimed })
      await store.setContactAttributes(scope, {})
      await ada.send('with none')
      await store.setContactAttributes(scope, { plan: 'free' })
      await ada.send('with one')
      await ada.answer()

      expect(sent).not.toHaveProperty('message.context')
      for (const messages of [await ada.messages(), await store.listMessagesAfter(conversationId, 0, 9)]) {
        expect(messages).toHaveLength(4)
        for (const message of messages) expect(message).not.toHaveProperty('context')
      }
      const messages = await store.listMessagesWithContext(conversationId, { limit: 9 })
      expect(messages.map(({ context }) => context)).toEqual([
        { claimed, verified },
        undefined,
        { claimed: {}, verified: { plan: 'free' } },
        undefined,
      ])
      const page = await store.listMessagesWithContext(conversationId, { before: 4, limit: 1 })
      expect(page).toEqual([messages[2]])
    })

    it('has nothing verified of visitors, and is not changed by a repetition', async ({ store, ours, visitor }) => {
      const message = newMessage('hello')
      await visitor.send('', { ...message, claimed: { cart: 3 } })
      for (const again of [message, { ...message, claimed: { cart: 4 } }])
        expect(await visitor.send('', again)).toMatchObject({ repeated: true })
      expect(await store.listConversations(ours, { limit: 9 })).toMatchObject([
        { lastMessage: { text: 'hello', context: { claimed: { cart: 3 }, verified: {} } } },
      ])
    })

    it('comes with turns, events, lists and exports, and goes with the contact', async ({ store, ours, ada }) => {
      await collectEvents(store, ours)
      const { scope, conversationId } = ada
      const context = { claimed: { cart: 3 }, verified: { plan: 'pro' } }
      await store.setContactAttributes(scope, context.verified)
      await ada.send('hello', { claimed: context.claimed, locale: 'de' })
      const message = { text: 'hello', context }
      expect(await ada.dueTurns(at(4))).toMatchObject([{ messages: [message] }])
      const created = (await waitingEvents(store, ours)).find(({ type }) => type === 'message.created')
      expect(created).toMatchObject({ data: { conversationId, message } })
      expect(await store.listConversations(ours, { limit: 9 })).toMatchObject([{ lastMessage: message }])
      expect(await store.exportContact(scope)).toMatchObject({ attributes: context.verified, messages: [message] })

      await store.deleteContact(scope, at(5))
      expect(await store.findContactAttributes(scope)).toBeNull()
      expect(await store.exportContact(scope)).toBeNull()
      expect(await ada.found()).toBeNull()
      expect(await store.listMessagesWithContext(conversationId, { limit: 9 })).toEqual([])
      expect(await waitingEvents(store, ours)).toEqual([])
    })
  })
}
