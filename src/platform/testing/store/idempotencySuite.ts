import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { IdempotentRequest, Store, UpsertEntry } from '../../store/store.ts'
import { at, newContact, newRequest, newSession, signIn, useStore } from './storeTenants.ts'

function entry(name: string): UpsertEntry {
  const email = `${randomUUID()}@example.com`
  return { id: randomUUID(), name, email, emailKey: email, createdAt: at(2), updatedAt: at(2) }
}

const all = { words: [], page: 1, limit: 100 }

export function describeIdempotency(open: () => Promise<Store>): void {
  const start = useStore(open)

  describe('createContact under a key', () => {
    it('creates once and returns the first response for a repetition', async () => {
      const { store, ours } = await start()
      const [first, repeated] = [newContact('Ada'), newContact('Ada')]
      const request = newRequest()
      const created = await store.createContact(ours, first, request)
      expect(created).toMatchObject({ id: first.id })
      await store.updateContact({ ...ours, contactId: first.id }, { name: 'Countess', updatedAt: at(5) })
      expect(await store.createContact(ours, repeated, { ...request, at: at(101) })).toEqual({ replayed: created })
      expect(await store.searchContacts(ours, all)).toMatchObject({ total: 1 })
    })

    it('creates one contact for many concurrent requests', async () => {
      const { store, ours } = await start()
      const request = newRequest()
      const email = `${randomUUID()}@example.com`
      const results = await Promise.all(
        Array.from({ length: 20 }, () => store.createContact(ours, newContact('Ada', { email }), request)),
      )
      expect(results.filter(result => typeof result === 'object' && 'replayed' in result)).toHaveLength(19)
      expect(await store.searchContacts(ours, all)).toMatchObject({ total: 1 })
    })

    it('refuses the key for another body, and accepts it again after it has expired', async () => {
      const { store, ours } = await start()
      const request = newRequest()
      await store.createContact(ours, newContact('Ada'), request)
      const other = { ...request, bodyHash: 'other' }
      expect(await store.createContact(ours, newContact('Grace'), other)).toBe('key_reused')
      expect(await store.searchContacts(ours, all)).toMatchObject({ total: 1 })
      const later = { ...other, at: at(102), expiresAt: at(202) }
      const grace = newContact('Grace')
      expect(await store.createContact(ours, grace, later)).toMatchObject({ id: grace.id })
      expect(await store.createContact(ours, grace, later)).toMatchObject({ replayed: { id: grace.id } })
    })

    it('stores no error', async () => {
      const { store, ours, otherOrganization } = await start()
      const request = newRequest()
      const ada = newContact('Ada')
      const taken = newContact('Grace', { email: ada.email })
      await store.createContact(ours, ada)
      const mixed = { ...ours, organizationId: otherOrganization.organizationId }
      expect(await store.createContact(mixed, taken, request)).toBe('not_found')
      expect(await store.createContact(ours, taken, request)).toEqual({ taken: { contactId: ada.id } })
      await store.deleteContact({ ...ours, contactId: ada.id }, at(5))
      expect(await store.createContact(ours, taken, request)).toMatchObject({ id: taken.id })
    })

    it('does not bring a deleted contact back when the request arrives again', async () => {
      const { store, ours } = await start()
      const request = newRequest({ attempt: 2 })
      const first = newContact('Ada')
      const create = (changes: Partial<IdempotentRequest>) =>
        store.createContact(ours, newContact('Ada'), { ...request, ...changes })
      await store.createContact(ours, first, request)
      await store.deleteContact({ ...ours, contactId: first.id }, at(5))
      expect(await create({})).toBe('not_found')
      expect(await create({ attempt: 1 })).toBe('superseded')
      expect(await create({ attempt: 3 })).toBe('not_found')
      expect(await create({ bodyHash: 'other' })).toBe('not_found')
      expect(await store.searchContacts(ours, all)).toMatchObject({ total: 0 })
      expect(await create({ at: at(102), expiresAt: at(202) })).toMatchObject({ name: 'Ada' })
    })
  })

  describe('updateContact under a key', () => {
    it('changes nothing when an attempt arrives again after something newer', async () => {
      const { store, ours } = await start()
      const { scope } = await signIn(store, ours)
      const request = newRequest({ attempt: 2 })
      expect(await store.updateContact(scope, { phone: '111', updatedAt: at(3) }, request)).toMatchObject({
        phone: '111',
      })
      await store.updateContact(scope, { phone: '222', updatedAt: at(4) })
      const again = { ...request, attempt: 3 }
      expect(await store.updateContact(scope, { phone: '111', updatedAt: at(5) }, again)).toBe('replayed')
      // The attempt that was replayed has been answered, too: only it can be repeated.
      for (const [attempt, result] of [
        [1, 'superseded'],
        [2, 'superseded'],
        [3, 'replayed'],
      ] as const) {
        const other = { ...request, attempt }
        expect(await store.updateContact(scope, { phone: '111', updatedAt: at(5) }, other)).toBe(result)
      }
      expect(await store.findContact(scope)).toMatchObject({ phone: '222', updatedAt: at(4) })
      const other = { ...request, bodyHash: 'other' }
      expect(await store.updateContact(scope, { phone: '333', updatedAt: at(5) }, other)).toBe('key_reused')
    })

    it('keeps no refusal', async () => {
      const { store, ours } = await start()
      const [ada, grace] = [await signIn(store, ours), await signIn(store, ours)]
      const request = newRequest()
      const { email } = ada.contact
      const update = () => store.updateContact(grace.scope, { email, emailKey: email, updatedAt: at(5) }, request)
      expect(await update()).toEqual({ taken: { contactId: ada.contact.id } })
      await store.deleteContact(ada.scope, at(5))
      expect(await update()).toMatchObject({ email })
    })
  })

  describe('deleteContact under a key', () => {
    it('resolves as the first request did, although the contact is gone', async () => {
      const { store, ours } = await start()
      const { scope } = await signIn(store, ours)
      const request = newRequest({ attempt: 2 })
      expect(await store.deleteContact(scope, at(5), request)).toMatchObject({ ended: [{ reason: 'contact_deleted' }] })
      expect(await store.deleteContact(scope, at(6), { ...request, attempt: 3 })).toBe('replayed')
      expect(await store.deleteContact(scope, at(6), { ...request, attempt: 1 })).toBe('superseded')
      expect(await store.deleteContact(scope, at(6), { ...request, bodyHash: 'other' })).toBe('key_reused')
      expect(await store.deleteContact(scope, at(6), newRequest())).toBe('not_found')
    })
  })

  describe('endContactSessions under a key', () => {
    it('leaves the sessions alone that have begun since the first request', async () => {
      const { store, ours } = await start()
      const { contact, scope, hash } = await signIn(store, ours)
      const request = newRequest({ attempt: 2 })
      expect(await store.endContactSessions(scope, 'revoked', at(5), request)).toMatchObject([{ hash }])
      const later = newSession()
      await store.createContactSession(ours, { contactId: contact.id }, later)
      const again = (changes: Partial<IdempotentRequest>) =>
        store.endContactSessions(scope, 'revoked', at(6), { ...request, ...changes })
      expect(await again({ attempt: 3 })).toBe('replayed')
      expect(await again({ attempt: 1 })).toBe('superseded')
      expect(await again({ bodyHash: 'other' })).toBe('key_reused')
      expect((await store.findSession(later.hash))?.ended).toBeNull()
      await store.deleteContact(scope, at(7))
      expect(await again({ attempt: 3 })).toBe('not_found')
    })
  })

  describe('an attempt that arrives after a later one has been refused', () => {
    it('has no effect, whatever it would do', async () => {
      const { store, ours } = await start()
      const [holder, other] = [await signIn(store, ours), await signIn(store, ours)]
      const { email } = holder.contact
      const taken = { name: 'Grace', email, emailKey: email }
      const missing = newContact('Late')
      const scope = { ...ours, contactId: missing.id }
      const { name: _, ...nameless } = entry('Ada')
      const calls: [refused: unknown, call: (attempt: IdempotentRequest) => Promise<unknown>][] = [
        [{ taken: {} }, request => store.createContact(ours, newContact('Grace', { email }), request)],
        [{ taken: {} }, request => store.updateContact(other.scope, { ...taken, updatedAt: at(5) }, request)],
        [{ problems: [{}] }, request => store.upsertContacts(ours, [nameless], request)],
        ['not_found', request => store.deleteContact(scope, at(5), request)],
        ['not_found', request => store.createContactSession(ours, { contactId: missing.id }, newSession(), request)],
      ]
      const requests = calls.map(() => newRequest({ attempt: 5 }))
      const run = (attempt: number) =>
        Promise.all(calls.map(([, call], index) => call({ ...newRequest(), ...requests[index], attempt })))
      const refused = await run(5)
      for (const [index, [reason]] of calls.entries())
        if (typeof reason === 'string') expect(refused[index]).toBe(reason)
        else expect(refused[index]).toMatchObject(reason as object)
      // Now each of them could be carried out.
      await store.deleteContact(holder.scope, at(6))
      await store.createContact(ours, missing)
      await store.createContact(ours, newContact('Ada', { email: nameless.email }))
      expect(await run(3)).toEqual(calls.map(() => 'superseded'))
      expect(await store.findContact(scope)).toMatchObject({ name: 'Late' })
      // In order, since two of them want the same email.
      expect(await store.createContact(ours, newContact('Grace', { email }), requests[0])).toMatchObject({ email })
    })
  })

  describe('upsertContacts under a key', () => {
    it('returns the same ids for a repetition and writes nothing', async () => {
      const { store, ours } = await start()
      const request = newRequest()
      const entries = [entry('Ada'), entry('Grace')]
      const ids = entries.map(({ id }) => id)
      expect(await store.upsertContacts(ours, entries, request)).toEqual({ ids, replayed: false })
      const repeated = entries.map(({ email, emailKey }) => ({ ...entry('Changed'), email, emailKey }))
      expect(await store.upsertContacts(ours, repeated, request)).toEqual({ ids, replayed: true })
      const found = await store.searchContacts(ours, all)
      expect(found).toMatchObject({ total: 2 })
      expect(JSON.stringify(found)).not.toContain('Changed')
      expect(await store.upsertContacts(ours, repeated, { ...request, bodyHash: 'other' })).toBe('key_reused')
    })

    it('returns the ids even after a contact was deleted, and does not bring it back', async () => {
      const { store, ours } = await start()
      const [request, ada] = [newRequest(), entry('Ada')]
      await store.upsertContacts(ours, [ada], request)
      await store.deleteContact({ ...ours, contactId: ada.id }, at(5))
      expect(await store.upsertContacts(ours, [ada], request)).toEqual({ ids: [ada.id], replayed: true })
      expect(await store.searchContacts(ours, all)).toMatchObject({ total: 0 })
    })

    it('stores no error', async () => {
      const { store, ours } = await start()
      const request = newRequest()
      const { name: _, ...nameless } = entry('Ada')
      expect(await store.upsertContacts(ours, [nameless], request)).toMatchObject({ problems: [{ index: 0 }] })
      const fixed = entry('Ada')
      expect(await store.upsertContacts(ours, [fixed], request)).toEqual({ ids: [fixed.id], replayed: false })
    })
  })

  describe('createContactSession under a key', () => {
    it('ends the first session on a repetition and creates another', async () => {
      const { store, ours } = await start()
      const { contact, conversationId } = await signIn(store, ours)
      const request = newRequest()
      const [first, second, third] = [newSession(), newSession({ createdAt: at(7) }), newSession()]
      const create = (session = first) => store.createContactSession(ours, { contactId: contact.id }, session, request)
      expect(await create()).toBe('created')
      const ended = { hash: first.hash, conversationId, reason: 'revoked' }
      expect(await create(second)).toEqual({ replaced: [ended] })
      expect((await store.findSession(first.hash))?.ended).toEqual({ reason: 'revoked', at: at(7) })
      expect((await store.findSession(second.hash))?.ended).toBeNull()
      await store.endSession(ours.botId, second.hash, 'logged_out', at(8))
      expect(await create(third)).toEqual({ replaced: [] })
      expect((await store.findSession(second.hash))?.ended?.reason).toBe('logged_out')
    })

    it('leaves the session of a later attempt alone when an earlier one arrives after it', async () => {
      const { store, ours } = await start()
      const { contact } = await signIn(store, ours)
      const request = newRequest()
      const [first, second, third] = [newSession(), newSession(), newSession()]
      const create = (session: typeof first, attempt: number) =>
        store.createContactSession(ours, { contactId: contact.id }, session, { ...request, attempt })
      expect(await create(second, 2)).toBe('created')
      expect(await create(first, 1)).toBe('superseded')
      expect(await store.findSession(first.hash)).toBeNull()
      expect((await store.findSession(second.hash))?.ended).toBeNull()
      expect(await create(third, 3)).toMatchObject({ replaced: [{ hash: second.hash }] })
      expect(await create(first, 2)).toBe('superseded')
    })

    it('accepts attempts that are numbered by the time in milliseconds', async () => {
      const { store, ours } = await start()
      const { contact } = await signIn(store, ours)
      const request = newRequest()
      const now = Date.UTC(2026, 0)
      const create = (attempt: number) =>
        store.createContactSession(ours, { contactId: contact.id }, newSession(), { ...request, attempt })
      expect(await create(now)).toBe('created')
      expect(await create(now - 1)).toBe('superseded')
      expect(await create(now + 1)).toMatchObject({ replaced: [{}] })
    })

    it('refuses the key for another body and keeps no refusal', async () => {
      const { store, ours } = await start()
      const { contact } = await signIn(store, ours)
      const request = newRequest()
      const create = (contactId: string, bodyHash = 'body') =>
        store.createContactSession(ours, { contactId }, newSession(), { ...request, bodyHash })
      expect(await create(randomUUID())).toBe('not_found')
      expect(await create(contact.id)).toBe('created')
      expect(await create(contact.id, 'other')).toBe('key_reused')
    })

    it('uses the contact of the first request, even if another one has the email now', async () => {
      const { store, ours } = await start()
      const { contact, scope } = await signIn(store, ours)
      const request = newRequest()
      const create = (session = newSession()) =>
        store.createContactSession(ours, { emailKey: contact.email }, session, request)
      await create()
      await store.updateContact(scope, { email: 'moved@example.com', emailKey: randomUUID(), updatedAt: at(5) })
      await store.createContact(ours, newContact('Heir', { email: contact.email }))
      const repeated = newSession()
      expect(await create(repeated)).toMatchObject({ replaced: [{}] })
      expect((await store.findSession(repeated.hash))?.contact?.id).toBe(contact.id)
      await store.deleteContact(scope, at(6))
      const late = newSession()
      expect(await create(late)).toBe('not_found')
      expect(await store.findSession(late.hash)).toBeNull()
    })
  })
}
