import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { BotScope, IdempotentRequest, Store } from '../../store/store.ts'
import { at, newContact, newMessage, newRequest, signIn, useStore } from './storeTenants.ts'

export function describeAgentIdempotency(open: () => Promise<Store>): void {
  const start = useStore(open)

  describe('handBack under a key', () => {
    const sendAsAgent = (store: Store, scope: BotScope, conversationId: string) =>
      store.appendAgentMessage(
        scope,
        { conversationId, newConversationId: '' },
        newMessage('I am here', { author: 'agent' }),
        at(99),
      )

    it('does not end the pause of an agent who has taken over again since', async () => {
      const { store, ours } = await start()
      const { contact, scope, conversationId } = await signIn(store, ours)
      for (const which of [{ conversationId }, { contactId: contact.id }]) {
        const request = newRequest({ attempt: 2 })
        const handBack = (changes: Partial<IdempotentRequest>) =>
          store.handBack(ours, which, at(5), { ...request, ...changes })
        await sendAsAgent(store, ours, conversationId)
        expect(await handBack({})).toEqual({ endedIn: conversationId })
        await sendAsAgent(store, ours, conversationId)
        expect(await handBack({ attempt: 3 })).toBe('replayed')
        expect(await handBack({ attempt: 1 })).toBe('superseded')
        expect(await handBack({ bodyHash: 'other' })).toBe('key_reused')
        expect(await store.listConversations(ours, { limit: 9 })).toMatchObject([{ pausedUntil: at(99) }])
      }
      const request = newRequest()
      await store.handBack(ours, { conversationId }, at(5), request)
      await store.deleteContact(scope, at(7))
      expect(await store.handBack(ours, { conversationId }, at(8), request)).toBe('not_found')
    })

    it('is known again even if there was nothing to hand back', async () => {
      const { store, ours } = await start()
      const contact = newContact('Ada')
      await store.createContact(ours, contact)
      const which = { contactId: contact.id }
      const request = newRequest()
      expect(await store.handBack(ours, which, at(5), request)).toEqual({ endedIn: null })
      const newConversationId = randomUUID()
      const message = newMessage('Hello', { author: 'agent' })
      await store.appendAgentMessage(ours, { ...which, newConversationId }, message, at(99))
      expect(await store.handBack(ours, which, at(6), request)).toBe('replayed')
      expect(await store.handBack(ours, { contactId: randomUUID() }, at(6), newRequest())).toBe('not_found')
    })
  })

  describe('appendAgentMessage under a key', () => {
    it('stores the message once, and hands back once', async () => {
      const { store, ours } = await start()
      const { conversationId, hash } = await signIn(store, ours)
      await store.requestHandover(hash, { at: at(2), until: at(90) })
      const request = newRequest({ attempt: 2 })
      const message = newMessage('Done', { author: 'agent' })
      const send = (changes: Partial<IdempotentRequest>) =>
        store.appendAgentMessage(ours, { conversationId, newConversationId: '' }, message, null, {
          ...request,
          ...changes,
        })
      expect(await send({})).toMatchObject({ repeated: false, isHandedBack: true, isReplayed: false })
      expect(await send({})).toMatchObject({ repeated: true, isHandedBack: false, isReplayed: true })
      expect(await send({ attempt: 1 })).toBe('superseded')
      expect(await send({ bodyHash: 'other' })).toBe('key_reused')
    })
  })
}
