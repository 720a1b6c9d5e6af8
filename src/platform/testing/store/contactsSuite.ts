import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { ContactRow, Store, UpsertEntry } from '../../store/store.ts'
import { at, newContact, useStore } from './storeTenants.ts'

function toContact({ emailKey: _, ...contact }: ContactRow) {
  return contact
}

function entry(email: string, overrides: Partial<UpsertEntry> = {}): UpsertEntry {
  return { id: randomUUID(), email, emailKey: email.toLowerCase(), createdAt: at(5), updatedAt: at(5), ...overrides }
}

const all = { words: [], page: 1, limit: 100 }

export function describeContacts(open: () => Promise<Store>): void {
  const start = useStore(open)

  describe('createContact', () => {
    it('returns the contact with all eight fields', async () => {
      const { store, ours } = await start()
      const contact = newContact('Ada', { phone: '+47 1', mid: 'm', wid: '+471' })
      expect(await store.createContact(ours, contact)).toEqual(toContact(contact))
      expect(await store.findContact({ ...ours, contactId: contact.id })).toEqual(toContact(contact))
    })

    it('returns who has an email only within the same bot', async () => {
      const { store, ours, sibling, otherOrganization } = await start()
      const ada = newContact('Ada')
      await store.createContact(ours, ada)
      const repeated = () => newContact('Another', { email: ada.email })
      expect(await store.createContact(ours, repeated())).toEqual({ taken: { contactId: ada.id } })
      expect(await store.createContact(sibling, repeated())).toEqual({ taken: {} })
      expect(await store.createContact(otherOrganization, repeated())).toMatchObject({ name: 'Another' })
    })

    it('lets only one of a hundred concurrent contacts have the email', async () => {
      const { store, ours } = await start()
      const email = 'race@example.com'
      const results = await Promise.all(
        Array.from({ length: 100 }, () => store.createContact(ours, newContact('Ada', { email }))),
      )
      expect(results.filter(result => typeof result === 'object' && 'taken' in result)).toHaveLength(99)
    })

    it('does not find the bot of another organization', async () => {
      const { store, ours, otherOrganization } = await start()
      const mixed = { organizationId: otherOrganization.organizationId, botId: ours.botId }
      const contact = newContact('Ada')
      expect(await store.createContact(mixed, contact)).toBe('not_found')
      expect(await store.upsertContacts(mixed, [entry('a@example.com', { name: 'A' })])).toBe('not_found')
      expect(await store.searchContacts(mixed, all)).toBe('not_found')
      expect(await store.searchContacts(ours, all)).toEqual({ contacts: [], total: 0 })
    })
  })

  describe('findContactByEmail', () => {
    it('finds the contact of the bot with that key, and nobody else', async () => {
      const { store, ours, sibling, otherOrganization } = await start()
      const ada = newContact('Ada')
      await store.createContact(ours, ada)
      await store.createContact(ours, newContact('Grace', { email: `x${ada.email}` }))
      expect(await store.findContactByEmail(ours, ada.emailKey)).toEqual(toContact(ada))
      expect(await store.findContactByEmail(ours, `y${ada.emailKey}`)).toBeNull()
      expect(await store.findContactByEmail(sibling, ada.emailKey)).toBeNull()
      expect(await store.findContactByEmail(otherOrganization, ada.emailKey)).toBeNull()
    })
  })

  describe('updateContact', () => {
    it('changes only the given fields', async () => {
      const { store, ours } = await start()
      const ada = newContact('Ada', { phone: '123', wid: '+471' })
      await store.createContact(ours, ada)
      const scope = { ...ours, contactId: ada.id }
      const changed = { ...toContact(ada), name: 'Countess', phone: '', updatedAt: at(8) }
      expect(await store.updateContact(scope, { name: 'Countess', phone: '', updatedAt: at(8) })).toEqual(changed)
      expect(await store.findContact(scope)).toEqual(changed)
    })

    it('changes nothing, including updatedAt, when no field is given', async () => {
      const { store, ours } = await start()
      const ada = newContact('Ada')
      await store.createContact(ours, ada)
      expect(await store.updateContact({ ...ours, contactId: ada.id }, { updatedAt: at(8) })).toEqual(toContact(ada))
    })

    it('changes nothing, including updatedAt, when every field is as it was', async () => {
      const { store, ours } = await start()
      const ada = newContact('Ada', { phone: '1' })
      await store.createContact(ours, ada)
      const scope = { ...ours, contactId: ada.id }
      const { name, email, emailKey, phone } = ada
      await store.updateContact(scope, { name, email, emailKey, phone, updatedAt: at(8) })
      await store.upsertContacts(ours, [entry(email, { name, phone, updatedAt: at(9) })])
      expect(await store.findContact(scope)).toEqual(toContact(ada))
      await store.upsertContacts(ours, [entry(email, { name, phone: '2', updatedAt: at(9) })])
      expect(await store.findContact(scope)).toEqual({ ...toContact(ada), phone: '2', updatedAt: at(9) })
    })

    it("refuses another contact's email and accepts the contact's own", async () => {
      const { store, ours, sibling } = await start()
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
      expect(await take(ada)).toMatchObject({ name: 'Changed' })
    })

    it('frees the former email', async () => {
      const { store, ours } = await start()
      const ada = newContact('Ada')
      await store.createContact(ours, ada)
      const moved = { email: 'new-place@example.com', emailKey: 'new-place@example.com', updatedAt: at(8) }
      await store.updateContact({ ...ours, contactId: ada.id }, moved)
      expect(await store.createContact(ours, newContact('Heir', { email: ada.email }))).toMatchObject({ name: 'Heir' })
    })

    it('finds no contact of another bot or organization', async () => {
      const { store, ours, sibling, otherOrganization } = await start()
      const ada = newContact('Ada')
      await store.createContact(ours, ada)
      for (const scope of [sibling, otherOrganization, { ...ours, organizationId: otherOrganization.organizationId }]) {
        const asked = { ...scope, contactId: ada.id }
        expect(await store.findContact(asked)).toBeNull()
        expect(await store.updateContact(asked, { name: 'Mine', updatedAt: at(8) })).toBe('not_found')
        expect(await store.deleteContact(asked, at(8))).toBe('not_found')
      }
      expect(await store.findContact({ ...ours, contactId: ada.id })).toEqual(toContact(ada))
    })
  })

  describe('upsertContacts', () => {
    it('creates and updates in order, including the same email twice', async () => {
      const { store, ours } = await start()
      const ada = newContact('Ada', { phone: '123' })
      await store.createContact(ours, ada)
      const fresh = entry('fresh@example.com', { name: 'Fresh' })
      const result = await store.upsertContacts(ours, [
        fresh,
        entry(ada.email, { wid: '+471' }),
        entry('FRESH@example.com', { phone: '9' }),
      ])
      expect(result).toEqual({ ids: [fresh.id, ada.id, fresh.id], replayed: false })
      const found = await store.findContact({ ...ours, contactId: fresh.id })
      expect(found).toMatchObject({ name: 'Fresh', email: 'FRESH@example.com', phone: '9', mid: '', createdAt: at(5) })
      expect(await store.findContact({ ...ours, contactId: ada.id })).toEqual({
        ...toContact(ada),
        wid: '+471',
        updatedAt: at(5),
      })
    })

    it('writes nothing when an entry is invalid, and reports each invalid entry', async () => {
      const { store, ours, sibling } = await start()
      const alan = newContact('Alan')
      await store.createContact(sibling, alan)
      const result = await store.upsertContacts(ours, [
        entry('first@example.com', { name: 'First' }),
        entry('nameless@example.com'),
        entry(alan.email, { name: 'Alan' }),
        entry('first@example.com'),
      ])
      expect(result).toEqual({
        problems: [
          { index: 1, reason: 'name_missing' },
          { index: 2, reason: 'email_taken' },
        ],
      })
      expect(await store.searchContacts(ours, all)).toEqual({ contacts: [], total: 0 })
    })

    it('does not change a contact when an entry has only its email', async () => {
      const { store, ours } = await start()
      const ada = newContact('Ada')
      await store.createContact(ours, ada)
      expect(await store.upsertContacts(ours, [entry(ada.email)])).toEqual({ ids: [ada.id], replayed: false })
      expect(await store.findContact({ ...ours, contactId: ada.id })).toEqual(toContact(ada))
    })

    it('never sets updatedAt back, nor before createdAt, however late a call comes to its turn', async () => {
      const { store, ours } = await start()
      const ada = newContact('Ada', { createdAt: at(8), updatedAt: at(8) })
      await store.createContact(ours, ada)
      const scope = { ...ours, contactId: ada.id }
      const timeOf = async () => (await store.findContact(scope))?.updatedAt
      await store.upsertContacts(ours, [entry(ada.email, { phone: '1', updatedAt: at(5) })])
      expect(await timeOf()).toBe(at(8))
      await store.updateContact(scope, { phone: '2', updatedAt: at(9) })
      await store.updateContact(scope, { phone: '3', updatedAt: at(7) })
      expect(await timeOf()).toBe(at(9))
      expect(await store.findContact(scope)).toMatchObject({ phone: '3' })
    })

    it('takes a thousand entries, and none', async () => {
      const { store, ours } = await start()
      const entries = Array.from({ length: 1000 }, (_, index) => entry(`many-${index}@example.com`, { name: 'One' }))
      expect(await store.upsertContacts(ours, entries)).toEqual({ ids: entries.map(({ id }) => id), replayed: false })
      expect(await store.upsertContacts(ours, [])).toEqual({ ids: [], replayed: false })
      expect(await store.searchContacts(ours, { ...all, limit: 1 })).toMatchObject({ total: 1000 })
      const some = { ...all, words: [{ name: 'many-77', rest: 'many-77' }] }
      expect(await store.searchContacts(ours, some)).toMatchObject({ total: 11 })
    })
  })
}
