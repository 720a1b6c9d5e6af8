import { randomUUID } from 'node:crypto'
import { describe, expect } from 'vitest'
import type { ContactRow, Store, UpsertEntry } from '../../store/store.ts'
import { at, newContact, storeTests, toContact } from './storeTenants.ts'

function entry(email: string, overrides: Partial<UpsertEntry> = {}): UpsertEntry {
  return { id: randomUUID(), email, emailKey: email.toLowerCase(), createdAt: at(5), updatedAt: at(5), ...overrides }
}

const all = { words: [], page: 1, limit: 100 }

export function describeContacts(open: () => Promise<Store>): void {
  const it = storeTests(open)

  describe('createContact', () => {
    it('returns the contact with all eight fields', async ({ store, ours }) => {
      const contact = newContact('Ada', { phone: '+47 1', mid: 'm', wid: '+471' })
      expect(await store.createContact(ours, contact)).toEqual({ value: toContact(contact), replayed: false })
      expect(await store.findContact({ ...ours, contactId: contact.id })).toEqual(toContact(contact))
    })

    it('returns who has an email only within the same bot', async ({ store, ours, sibling, otherOrganization }) => {
      const ada = newContact('Ada')
      await store.createContact(ours, ada)
      const repeated = () => newContact('Another', { email: ada.email })
      expect(await store.createContact(ours, repeated())).toEqual({ taken: { contactId: ada.id } })
      expect(await store.createContact(sibling, repeated())).toEqual({ taken: {} })
      expect(await store.createContact(otherOrganization, repeated())).toMatchObject({ replayed: false })
      expect(await store.searchContacts(otherOrganization, all)).toMatchObject({ contacts: [{ name: 'Another' }] })
    })

    it('does not find the bot of another organization', async ({ store, ours, mismatched }) => {
      expect(await store.createContact(mismatched, newContact('Ada'))).toBe('not_found')
      expect(await store.upsertContacts(mismatched, [entry('a@example.com', { name: 'A' })])).toBe('not_found')
      expect(await store.searchContacts(mismatched, all)).toBe('not_found')
      expect(await store.searchContacts(ours, all)).toEqual({ contacts: [], total: 0 })
    })
  })

  it('findContactByEmail finds the contact of the bot only', async ({ store, ours, sibling, otherOrganization }) => {
    const ada = newContact('Ada')
    await store.createContact(ours, ada)
    await store.createContact(ours, newContact('Grace', { email: `x${ada.email}` }))
    expect(await store.findContactByEmail(ours, ada.emailKey)).toEqual(toContact(ada))
    expect(await store.findContactByEmail(ours, `y${ada.emailKey}`)).toBeNull()
    for (const scope of [sibling, otherOrganization])
      expect(await store.findContactByEmail(scope, ada.emailKey)).toBeNull()
  })

  describe('updateContact', () => {
    it('changes only the given fields', async ({ store, ours }) => {
      const ada = newContact('Ada', { phone: '123', wid: '+471' })
      await store.createContact(ours, ada)
      const scope = { ...ours, contactId: ada.id }
      const changed = { ...toContact(ada), name: 'Countess', phone: '', updatedAt: at(8) }
      await store.updateContact(scope, { name: 'Countess', phone: '', updatedAt: at(8) })
      expect(await store.findContact(scope)).toEqual(changed)
    })

    it('changes nothing, not even updatedAt, when every field is as it was', async ({ store, ours }) => {
      const ada = newContact('Ada', { phone: '1' })
      await store.createContact(ours, ada)
      const scope = { ...ours, contactId: ada.id }
      const { name, email, emailKey, phone } = ada
      await store.updateContact(scope, { updatedAt: at(8) })
      await store.updateContact(scope, { name, email, emailKey, phone, updatedAt: at(8) })
      expect(await store.upsertContacts(ours, [entry(email)])).toEqual({ value: [ada.id], replayed: false })
      await store.upsertContacts(ours, [entry(email, { name, phone, updatedAt: at(9) })])
      expect(await store.findContact(scope)).toEqual(toContact(ada))
      await store.upsertContacts(ours, [entry(email, { name, phone: '2', updatedAt: at(9) })])
      expect(await store.findContact(scope)).toEqual({ ...toContact(ada), phone: '2', updatedAt: at(9) })
    })

    it("refuses another contact's email, and frees the former one", async ({ store, ours, sibling }) => {
      const [ada, grace, alan] = [newContact('Ada'), newContact('Grace'), newContact('Alan')]
      await store.createContact(ours, ada)
      await store.createContact(ours, grace)
      await store.createContact(sibling, alan)
      const scope = { ...ours, contactId: ada.id }
      const take = ({ email, emailKey }: ContactRow) =>
        store.updateContact(scope, { email, emailKey, name: 'Changed', updatedAt: at(8) })
      expect(await take(grace)).toEqual({ taken: { contactId: grace.id } })
      expect(await take(alan)).toEqual({ taken: {} })
      expect(await store.findContact(scope)).toEqual(toContact(ada))
      expect(await take(ada)).toMatchObject({ replayed: false })
      expect(await store.findContact(scope)).toMatchObject({ name: 'Changed' })
      await take(newContact('', { email: 'new-place@example.com' }))
      expect(await store.createContact(ours, newContact('Heir', { email: ada.email }))).toMatchObject({
        value: { name: 'Heir' },
      })
    })

    it('finds no contact of another bot or organization', async ({ store, ada, foreignScopes }) => {
      for (const scope of foreignScopes) {
        const asked = { ...scope, contactId: ada.contact.id }
        expect(await store.findContact(asked)).toBeNull()
        expect(await store.updateContact(asked, { name: 'Mine', updatedAt: at(8) })).toBe('not_found')
        expect(await store.deleteContact(asked, at(8))).toBe('not_found')
      }
      expect(await store.findContact(ada.scope)).toEqual(ada.contact)
    })
  })

  describe('upsertContacts', () => {
    it('creates and updates in order, including the same email twice', async ({ store, ours }) => {
      const ada = newContact('Ada', { phone: '123' })
      await store.createContact(ours, ada)
      const fresh = entry('fresh@example.com', { name: 'Fresh' })
      const entries = [fresh, entry(ada.email, { wid: '+471' }), entry('FRESH@example.com', { phone: '9' })]
      const result = await store.upsertContacts(ours, entries)
      expect(result).toEqual({ value: [fresh.id, ada.id, fresh.id], replayed: false })
      const found = await store.findContact({ ...ours, contactId: fresh.id })
      expect(found).toMatchObject({ name: 'Fresh', email: 'FRESH@example.com', phone: '9', mid: '', createdAt: at(5) })
      const changed = { ...toContact(ada), wid: '+471', updatedAt: at(5) }
      expect(await store.findContact({ ...ours, contactId: ada.id })).toEqual(changed)
    })

    it('writes nothing when an entry is invalid, and reports each invalid entry', async ({ store, ours, sibling }) => {
      const alan = newContact('Alan')
      await store.createContact(sibling, alan)
      const result = await store.upsertContacts(ours, [
        entry('first@example.com', { name: 'First' }),
        entry('nameless@example.com'),
        entry(alan.email, { name: 'Alan' }),
        entry('first@example.com'),
      ])
      const problems = [
        { index: 1, reason: 'name_missing' },
        { index: 2, reason: 'email_taken' },
      ]
      expect(result).toEqual({ problems })
      expect(await store.searchContacts(ours, all)).toEqual({ contacts: [], total: 0 })
    })

    it('never sets updatedAt back, however late a call comes to its turn', async ({ store, ours }) => {
      const ada = newContact('Ada', { createdAt: at(8), updatedAt: at(8) })
      await store.createContact(ours, ada)
      const scope = { ...ours, contactId: ada.id }
      await store.upsertContacts(ours, [entry(ada.email, { phone: '1', updatedAt: at(5) })])
      expect(await store.findContact(scope)).toMatchObject({ phone: '1', updatedAt: at(8) })
      await store.updateContact(scope, { phone: '2', updatedAt: at(9) })
      await store.updateContact(scope, { phone: '3', updatedAt: at(7) })
      expect(await store.findContact(scope)).toMatchObject({ phone: '3', updatedAt: at(9) })
    })

    it('takes a thousand entries, and none', async ({ store, ours }) => {
      const entries = Array.from({ length: 1000 }, (_, index) => entry(`many-${index}@example.com`, { name: 'One' }))
      expect(await store.upsertContacts(ours, entries)).toEqual({ value: entries.map(({ id }) => id), replayed: false })
      expect(await store.upsertContacts(ours, [])).toEqual({ value: [], replayed: false })
      expect(await store.searchContacts(ours, { ...all, limit: 1 })).toMatchObject({ total: 1000 })
      const some = { ...all, words: [{ name: 'many-77', rest: 'many-77' }] }
      expect(await store.searchContacts(ours, some)).toMatchObject({ total: 11 })
    })
  })
}
