import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { Bot, Store } from '../../store/store.ts'
import { at, newBot, newContact, newHash, newMessage, newSession, signIn, useStore } from './storeTenants.ts'

export function describeSessions(open: () => Promise<Store>): void {
  const start = useStore(open)

  describe('createContactSession', () => {
    it('binds all sessions of a contact to one conversation', async () => {
      const { store, ours } = await start()
      const { contact, hash, conversationId } = await signIn(store, ours)
      const second = newSession()
      expect(await store.createContactSession(ours, { emailKey: contact.email }, second)).toBe('created')
      for (const found of [await store.findSession(hash), await store.findSession(second.hash)]) {
        expect(found).toMatchObject({ botId: ours.botId, conversationId, ended: null })
        expect(found?.contact).toEqual({ id: contact.id, name: 'Ada' })
      }
    })

    it('fails if id and email belong to different contacts', async () => {
      const { store, ours } = await start()
      const [ada, grace] = [await signIn(store, ours), await signIn(store, ours, 'Grace')]
      const session = newSession()
      const target = { contactId: ada.contact.id, emailKey: grace.contact.email }
      expect(await store.createContactSession(ours, target, session)).toBe('mismatch')
      expect(await store.findSession(session.hash)).toBeNull()
      const both = { contactId: ada.contact.id, emailKey: ada.contact.email }
      expect(await store.createContactSession(ours, both, session)).toBe('created')
    })

    it('finds only contacts of the bot', async () => {
      const { store, ours, sibling, otherOrganization } = await start()
      const { contact } = await signIn(store, ours)
      const unknown = [{ contactId: randomUUID() }, { emailKey: 'nobody@example.com' }, {}]
      for (const target of unknown)
        expect(await store.createContactSession(ours, target, newSession())).toBe('not_found')
      const mixed = { contactId: contact.id, emailKey: 'nobody@example.com' }
      expect(await store.createContactSession(ours, mixed, newSession())).toBe('not_found')
      for (const scope of [sibling, otherOrganization, { ...ours, organizationId: otherOrganization.organizationId }]) {
        expect(await store.createContactSession(scope, { contactId: contact.id }, newSession())).toBe('not_found')
        expect(await store.createContactSession(scope, { emailKey: contact.email }, newSession())).toBe('not_found')
      }
    })
  })

  describe('createVisitorSession', () => {
    it('gives each session its own conversation and no contact', async () => {
      const { store, ours } = await start()
      const [one, two] = [newSession(), newSession()]
      for (const session of [one, two]) expect(await store.createVisitorSession(ours.botId, session)).toBe('created')
      expect(await store.findSession(one.hash)).toEqual({ ...one, botId: ours.botId, contact: null, ended: null })
      expect((await store.findSession(two.hash))?.conversationId).toBe(two.conversationId)
      expect(await store.createVisitorSession(randomUUID(), newSession())).toBe('not_found')
    })

    it('works for a bot that was stored before its setting existed', async () => {
      const { store, ours } = await start()
      const { visitors: _, ...older } = newBot(ours.organizationId)
      await store.createBot(older as Bot)
      const session = newSession()
      expect(await store.createVisitorSession(older.id, session)).toBe('created')
      expect(await store.findSession(session.hash)).toMatchObject({ botId: older.id, ended: null })
    })

    it("extends its expiry while it is open, but never that of a contact's session", async () => {
      const { store, ours } = await start()
      const visitor = newSession({ expiresAt: at(10) })
      await store.createVisitorSession(ours.botId, visitor)
      const expiresAt = async (hash: string) => (await store.findSession(hash))?.expiresAt
      await store.extendSession(visitor.hash, at(20), at(9))
      expect(await expiresAt(visitor.hash)).toBe(at(20))
      await store.extendSession(visitor.hash, at(40), at(20))
      expect(await expiresAt(visitor.hash)).toBe(at(20))
      const { hash } = await signIn(store, ours)
      await store.extendSession(hash, at(5000), at(9))
      expect(await expiresAt(hash)).toBe(at(1000))
    })
  })

  describe('endSession', () => {
    it('ends a session once and keeps its reason', async () => {
      const { store, ours } = await start()
      const { hash, conversationId } = await signIn(store, ours)
      const ended = { hash, conversationId, reason: 'revoked' }
      expect(await store.endSession(ours.botId, hash, 'revoked', at(5))).toEqual(ended)
      expect(await store.endSession(ours.botId, hash, 'logged_out', at(6))).toBeNull()
      expect((await store.findSession(hash))?.ended).toEqual({ reason: 'revoked', at: at(5) })
    })

    it('has no effect on another bot’s session', async () => {
      const { store, ours, sibling, otherOrganization } = await start()
      const { hash } = await signIn(store, ours)
      for (const { botId } of [sibling, otherOrganization])
        expect(await store.endSession(botId, hash, 'revoked', at(5))).toBeNull()
      expect(await store.endSession(ours.botId, newHash(), 'revoked', at(5))).toBeNull()
      expect((await store.findSession(hash))?.ended).toBeNull()
    })

    it('ends every session of a contact and of nobody else', async () => {
      const { store, ours, sibling } = await start()
      const [ada, grace] = [await signIn(store, ours), await signIn(store, ours, 'Grace')]
      const second = newSession()
      await store.createContactSession(ours, { contactId: ada.contact.id }, second)
      expect(await store.endContactSessions({ ...ada.scope, botId: sibling.botId }, 'revoked', at(5))).toBe('not_found')
      const ended = await store.endContactSessions(ada.scope, 'revoked', at(5))
      const { conversationId } = ada
      expect(ended).toHaveLength(2)
      expect(ended).toContainEqual({ hash: second.hash, conversationId, reason: 'revoked' })
      expect((await store.findSession(grace.hash))?.ended).toBeNull()
    })
  })

  describe('setVisitors', () => {
    it('ends the anonymous sessions of a bot that becomes for contacts only, and lets none begin', async () => {
      const { store, ours, sibling } = await start()
      const ada = await signIn(store, ours)
      const [visitor, elsewhere] = [newSession(), newSession()]
      await store.createVisitorSession(ours.botId, visitor)
      await store.createVisitorSession(sibling.botId, elsewhere)
      await store.appendVisitorMessage(visitor.hash, newMessage('before'))

      expect(await store.setVisitors(ours.botId, 'contacts', at(5))).toMatchObject({
        id: ours.botId,
        visitors: 'contacts',
        greeting: 'Hello',
      })
      expect((await store.findBot(ours.botId))?.visitors).toBe('contacts')
      const ended = { hash: visitor.hash, conversationId: visitor.conversationId, reason: 'revoked' }
      const hashes = [visitor, elsewhere, ada].map(({ hash }) => hash)
      expect(await store.sweep({ conversations: [], hashes, now: at(5) })).toMatchObject({ ended: [ended] })
      expect(await store.appendVisitorMessage(visitor.hash, newMessage('after'))).toBe('ended')
      expect(await store.markRead(visitor.hash, 1, at(5))).toBe('ended')
      const refused = newSession()
      expect(await store.createVisitorSession(ours.botId, refused)).toBe('contacts_only')
      expect(await store.findSession(refused.hash)).toBeNull()
      expect(await store.findConversation(refused.conversationId)).toBeNull()

      // Back again: what has ended stays so, and other settings change nothing of it.
      await store.setVisitors(ours.botId, 'everyone', at(6))
      await store.updateBot(ours.botId, { name: 'Nell' })
      expect(await store.findBot(ours.botId)).toMatchObject({ name: 'Nell', visitors: 'everyone' })
      expect((await store.findSession(visitor.hash))?.ended).toEqual({ reason: 'revoked', at: at(5) })
      expect(await store.createVisitorSession(ours.botId, newSession())).toBe('created')
      expect(await store.setVisitors(randomUUID(), 'contacts', at(6))).toBe('not_found')
    })
  })

  describe('deleteContact', () => {
    it('ends the contact’s sessions, deletes its conversation and keeps the reason', async () => {
      const { store, ours } = await start()
      const { scope, hash, conversationId } = await signIn(store, ours)
      await store.appendVisitorMessage(hash, newMessage('a secret'))
      const ended = [{ hash, conversationId, reason: 'contact_deleted' }]
      expect(await store.deleteContact(scope, at(5))).toEqual({ ended, isIncomplete: false })
      expect(await store.deleteContact(scope, at(6))).toBe('not_found')
      expect(await store.findContact(scope)).toBeNull()
      expect(await store.findConversation(conversationId)).toBeNull()
      expect(await store.listMessages(conversationId, { limit: 10 })).toEqual([])
      expect((await store.findSession(hash))?.ended).toEqual({ reason: 'contact_deleted', at: at(5) })
      expect(await store.appendVisitorMessage(hash, newMessage('again'))).toBe('ended')
    })

    it('gives a new contact with the same email no access to the former conversation', async () => {
      const { store, ours } = await start()
      const { contact, scope, conversationId } = await signIn(store, ours)
      await store.deleteContact(scope, at(5))
      const repeated = newContact('Ada', { email: contact.email })
      expect(await store.createContact(ours, repeated)).toMatchObject({ id: repeated.id })
      const session = newSession()
      await store.createContactSession(ours, { contactId: repeated.id }, session)
      const found = await store.findSession(session.hash)
      expect(found?.conversationId).toBe(session.conversationId)
      expect(found?.conversationId).not.toBe(conversationId)
    })

    it('removes the contact from searches', async () => {
      const { store, ours } = await start()
      const { scope } = await signIn(store, ours)
      const search = () => store.searchContacts(ours, { words: [{ name: 'ada', rest: 'ada' }], page: 1, limit: 10 })
      expect(await search()).toMatchObject({ total: 1 })
      await store.deleteContact(scope, at(5))
      expect(await search()).toEqual({ contacts: [], total: 0 })
      const { contact } = await signIn(store, ours, 'Grace')
      const all = { words: [], page: 1, limit: 10 }
      expect(await store.searchContacts(ours, all)).toEqual({ contacts: [contact], total: 1 })
    })
  })
}
