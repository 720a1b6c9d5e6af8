import { randomUUID } from 'node:crypto'
import { describe, expect } from 'vitest'
import type { Bot, Store } from '../../store/store.ts'
import { at, newBot, newContact, newHash, newSession, storeTests, visit } from './storeTenants.ts'

export function describeSessions(open: () => Promise<Store>): void {
  const it = storeTests(open)

  describe('createContactSession', () => {
    it('binds all sessions of a contact to one conversation', async ({ store, ours, ada }) => {
      const { contact, hash, conversationId } = ada
      const second = newSession()
      expect(await store.createContactSession(ours, { emailKey: contact.email }, second)).toEqual({
        value: [],
        replayed: false,
      })
      for (const found of [await store.findSession(hash), await store.findSession(second.hash)]) {
        expect(found).toMatchObject({ botId: ours.botId, conversationId, ended: null })
        expect(found?.contact).toEqual({ id: contact.id, name: 'Ada' })
      }
    })

    it('fails if id and email belong to different contacts', async ({ store, ours, ada, grace }) => {
      const session = newSession()
      const create = (emailKey: string) =>
        store.createContactSession(ours, { contactId: ada.contact.id, emailKey }, session)
      expect(await create(grace.contact.email)).toBe('mismatch')
      expect(await create('nobody@example.com')).toBe('not_found')
      expect(await store.findSession(session.hash)).toBeNull()
      expect(await create(ada.contact.email)).toEqual({ value: [], replayed: false })
    })

    it('finds only contacts of the bot', async ({ store, ours, foreignScopes, ada: { contact } }) => {
      for (const target of [{ contactId: randomUUID() }, { emailKey: 'nobody@example.com' }, {}])
        expect(await store.createContactSession(ours, target, newSession())).toBe('not_found')
      for (const scope of foreignScopes)
        for (const target of [{ contactId: contact.id }, { emailKey: contact.email }])
          expect(await store.createContactSession(scope, target, newSession())).toBe('not_found')
    })
  })

  describe('createVisitorSession', () => {
    it('gives each session its own conversation and no contact', async ({ store, ours }) => {
      const [one, two] = [newSession(), newSession()]
      for (const session of [one, two]) expect(await store.createVisitorSession(ours.botId, session)).toBe('created')
      expect(await store.findSession(one.hash)).toEqual({ ...one, botId: ours.botId, contact: null, ended: null })
      expect((await store.findSession(two.hash))?.conversationId).toBe(two.conversationId)
      expect(await store.createVisitorSession(randomUUID(), newSession())).toBe('not_found')
    })

    it('works for a bot that was stored before its setting existed', async ({ store, ours }) => {
      const { visitors: _, ...older } = newBot(ours.organizationId)
      await store.createBot(older as Bot)
      const session = newSession()
      expect(await store.createVisitorSession(older.id, session)).toBe('created')
      expect(await store.findSession(session.hash)).toMatchObject({ botId: older.id, ended: null })
    })

    it("extends its expiry while it is open, but never that of a contact's session", async ({ store, ours, ada }) => {
      const visitor = await visit(store, ours, { expiresAt: at(10) })
      const expiresAt = async (hash: string) => (await store.findSession(hash))?.expiresAt
      await store.extendSession(visitor.hash, at(20), at(9))
      expect(await expiresAt(visitor.hash)).toBe(at(20))
      await store.extendSession(visitor.hash, at(40), at(20))
      expect(await expiresAt(visitor.hash)).toBe(at(20))
      await store.extendSession(ada.hash, at(5000), at(9))
      expect(await expiresAt(ada.hash)).toBe(at(1000))
    })
  })

  describe('endSession', () => {
    it('ends a session once and keeps its reason', async ({ store, ours, ada: { hash, conversationId } }) => {
      const ended = { hash, conversationId, reason: 'revoked' }
      expect(await store.endSession(ours.botId, hash, 'revoked', at(5))).toEqual(ended)
      expect(await store.endSession(ours.botId, hash, 'logged_out', at(6))).toBeNull()
      expect((await store.findSession(hash))?.ended).toEqual({ reason: 'revoked', at: at(5) })
    })

    it('has no effect on another bot’s session', async ({ store, ours, sibling, otherOrganization, ada }) => {
      for (const { botId } of [sibling, otherOrganization])
        expect(await store.endSession(botId, ada.hash, 'revoked', at(5))).toBeNull()
      expect(await store.endSession(ours.botId, newHash(), 'revoked', at(5))).toBeNull()
      expect((await store.findSession(ada.hash))?.ended).toBeNull()
    })

    it('ends every session of a contact and of nobody else', async ({ store, ours, sibling, ada, grace }) => {
      const second = newSession()
      await store.createContactSession(ours, { contactId: ada.contact.id }, second)
      expect(await store.endContactSessions({ ...ada.scope, botId: sibling.botId }, 'revoked', at(5))).toBe('not_found')
      const ended = await store.endContactSessions(ada.scope, 'revoked', at(5))
      const { conversationId } = ada
      const both = [ada, second].map(({ hash }) => ({ hash, conversationId, reason: 'revoked' }))
      expect(ended).toEqual({ value: expect.arrayContaining(both), replayed: false })
      expect(ended).toHaveProperty('value.length', 2)
      expect((await store.findSession(grace.hash))?.ended).toBeNull()
    })
  })

  it('setVisitors ends anonymous sessions, and lets none begin', async ({ store, ours, sibling, ada, visitor }) => {
    const elsewhere = await visit(store, sibling)
    await visitor.send('before')
    const bot = { id: ours.botId, visitors: 'contacts', greeting: 'Hello' }
    expect(await store.setVisitors(ours.botId, 'contacts', at(5))).toMatchObject(bot)
    expect(await store.findBot(ours.botId)).toMatchObject(bot)
    const ended = { hash: visitor.hash, conversationId: visitor.conversationId, reason: 'revoked' }
    const hashes = [visitor, elsewhere, ada].map(({ hash }) => hash)
    expect(await store.sweep({ conversations: [], hashes, now: at(5) })).toMatchObject({ ended: [ended] })
    expect(await visitor.send('after')).toBe('ended')
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

  describe('deleteContact', () => {
    it('ends the contact’s sessions, deletes its conversation and keeps the reason', async ({ store, ada }) => {
      const { scope, hash, conversationId } = ada
      await ada.send('a secret')
      const ended = [{ hash, conversationId, reason: 'contact_deleted' }]
      expect(await store.deleteContact(scope, at(5))).toEqual({
        value: { ended, conversationId, isIncomplete: false },
        replayed: false,
      })
      expect(await store.deleteContact(scope, at(6))).toBe('not_found')
      expect(await store.findContact(scope)).toBeNull()
      expect([await ada.found(), await ada.messages()]).toEqual([null, []])
      expect((await store.findSession(hash))?.ended).toEqual({ reason: 'contact_deleted', at: at(5) })
      expect(await ada.send('again')).toBe('ended')
    })

    it('is for the contact of an open session, and enters the audit list with it', async ({
      store,
      ours,
      ada,
      grace,
    }) => {
      const { scope, conversationId } = ada
      await ada.send('a secret')
      const [revoked, expired] = [newSession(), newSession({ expiresAt: at(5) })]
      for (const session of [revoked, expired])
        await store.createContactSession(ours, { contactId: ada.contact.id }, session)
      await store.endSession(ours.botId, revoked.hash, 'revoked', at(4))
      for (const { hash } of [revoked, expired, grace])
        expect(await store.deleteContactOfSession(scope, hash, at(5))).toBe('ended')
      expect(await ada.said()).toEqual(['a secret'])
      expect(await store.listAudit(ours.organizationId, { limit: 9 })).toEqual([])
      const erasure = await store.deleteContactOfSession(scope, ada.hash, at(5))
      expect(erasure).toMatchObject({ conversationId, isIncomplete: false })
      expect(await store.findContact(scope)).toBeNull()
      expect((await store.findSession(ada.hash))?.ended).toEqual({ reason: 'contact_deleted', at: at(5) })
      expect(await store.deleteContactOfSession(scope, ada.hash, at(6))).toBe('ended')
      expect(await store.listAudit(ours.organizationId, { limit: 9 })).toMatchObject([
        { event: 'erased_by_visitor', member: null, conversationId, contactId: ada.contact.id, contactName: null },
      ])
      expect(await store.findContact(grace.scope)).not.toBeNull()
    })

    it('gives a new contact with the same email no access to the former conversation', async ({ store, ours, ada }) => {
      await ada.send('a secret')
      await store.deleteContact(ada.scope, at(5))
      const repeated = newContact('Ada', { email: ada.contact.email })
      expect(await store.createContact(ours, repeated)).toMatchObject({ value: { id: repeated.id } })
      const session = newSession()
      await store.createContactSession(ours, { contactId: repeated.id }, session)
      expect((await store.findSession(session.hash))?.conversationId).toBe(session.conversationId)
      expect(await store.listMessages(session.conversationId, { limit: 9 })).toEqual([])
    })
  })
}
