import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Contact } from '../../../contract/index.ts'
import { scale } from '../../../testScale.ts'
import { normalizeName, normalizeQuery, normalizeRest } from '../../search/searchNormalization.ts'
import type { BotScope, ContactRow, Search, Store } from '../../store/store.ts'
import { walk } from './listingSuite.ts'
import { at, newContact, useStore } from './storeTenants.ts'

/** The search rules without an index: reads and compares every contact. */
function searchNaively(contacts: Contact[], { words, page, limit }: Search) {
  const holds = (stored: string, part = '') => part !== '' && stored.includes(part)
  const found = contacts.filter(({ id, name, email, phone, mid, wid }) => {
    const hasWord = (word: Search['words'][number]) =>
      holds(normalizeName(name), word.name) ||
      [id, email, phone, mid, wid].some(field => holds(normalizeRest(field), word.rest)) ||
      [phone, wid].some(field => holds(field.replace(/\D/g, ''), word.digits))
    return words.every(hasWord)
  })
  const compare = (a: string, b: string) => (a < b ? 1 : a > b ? -1 : 0)
  found.sort((a, b) => compare(a.createdAt, b.createdAt) || compare(a.id, b.id))
  const start = (page - 1) * limit
  return { contacts: found.slice(start, start + limit), total: found.length }
}

// Few different letters, so that terms often match, including letters with unusual folding.
const letter = fc.constantFrom(...'aAbBeEéÉſKkİıØøßẞæÆΣςσ ', 'e\u0301', '%', '_', '\\', '"', "'", '*', '😀', 'ﬁ', '한')
const name = fc.string({ unit: letter, minLength: 1, maxLength: 12 })
const digits = fc.string({ unit: fc.constantFrom(...'0123 -+()'), maxLength: 8 })
const contact = fc.record({
  name,
  phone: digits,
  wid: fc.string({ unit: fc.constantFrom(...'+0123'), maxLength: 8 }),
  mid: fc.string({ unit: fc.constantFrom(...'abAB%_"'), maxLength: 5 }),
  local: fc.string({ unit: fc.constantFrom(...'abAB%_'), minLength: 1, maxLength: 6 }),
  second: fc.integer({ min: 0, max: 3 }),
})
const query = fc.oneof(
  fc.string({ unit: letter, maxLength: 5 }),
  fc.array(fc.string({ unit: letter, minLength: 1, maxLength: 3 }), { maxLength: 3 }).map(words => words.join(' ')),
  digits,
  fc.constantFrom('', '@example', '.com', '\u0301', '-', '\u001f', 'a\u001fb', '\0'),
)

export function describeSearch(open: () => Promise<Store>): void {
  const start = useStore(open)

  async function fill(store: Store, scope: BotScope, contacts: ContactRow[]): Promise<Contact[]> {
    await Promise.all(contacts.map(row => store.createContact(scope, row)))
    return contacts.map(({ emailKey: _, ...rest }) => rest)
  }
  const names = (result: Awaited<ReturnType<Store['searchContacts']>>) =>
    result === 'not_found' ? [] : result.contacts.map(found => found.name).sort()
  const asked = (text: string) => ({ ...normalizeQuery(text), page: 1, limit: 100 })

  describe('searchContacts', () => {
    it('finds the same contacts as a full scan, in the same order, page by page', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(contact, { maxLength: 25 }),
          fc.array(fc.tuple(query, fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 8 })), {
            minLength: 8,
            maxLength: 8,
          }),
          async (fields, searches) => {
            const { store, ours, sibling, otherOrganization } = await start()
            const rows = fields.map(({ local, second, ...fields }, index) =>
              newContact(fields.name, { ...fields, email: `${local}.${index}@Example.com`, createdAt: at(second) }),
            )
            const contacts = await fill(store, ours, rows)
            const others = () => rows.map(row => ({ ...row, id: randomUUID(), emailKey: randomUUID() }))
            await Promise.all([fill(store, sibling, others()), fill(store, otherOrganization, others())])
            for (const [text, page, limit] of searches) {
              const search = { ...normalizeQuery(text), page, limit }
              expect(await store.searchContacts(ours, search), JSON.stringify(text)).toEqual(
                searchNaively(contacts, search),
              )
              const everything = searchNaively(contacts, { ...search, page: 1, limit: 100 }).contacts
              expect(await walk(store, ours, { query: text, limit }), JSON.stringify(text)).toEqual(
                everything.map(({ id }) => id),
              )
            }
          },
        ),
        { numRuns: 25, seed: scale.seed },
      )
    })

    it('matches every field except the timestamps, by any part of it', async () => {
      const { store, ours } = await start()
      const fields = { email: 'first@example.com', phone: '(47) 55.1', mid: 'Mid~1', wid: '+4799887766' }
      const [ada] = await fill(store, ours, [newContact('Ada Lovelace', fields)])
      const terms = ['love', 'A L', 'FIRST@', 'st@example.co', '(47) 55', 'mid~', '+4799', ada?.id.slice(3, 12) ?? '']
      for (const term of terms)
        expect(names(await store.searchContacts(ours, asked(term))), term).toEqual(['Ada Lovelace'])
      for (const term of ['lovelacefirst', at(1).slice(0, 10), 'ada byron', 'a@ada']) {
        expect(await store.searchContacts(ours, asked(term)), term).toEqual({ contacts: [], total: 0 })
      }
    })

    it('finds words in any order and any field, and whatever apostrophe, dash or space is between them', async () => {
      const { store, ours } = await start()
      await fill(store, ours, [
        newContact('Ümit  İstanbul', { email: 'umit@example.com', phone: '+47 22-33-44' }),
        newContact('Seán O’Brien', { email: "o'brien@example.com" }),
        newContact('Jean\u2011Luc Picard'),
      ])
      for (const [term, found] of [
        ['istanbul umit', 'Ümit  İstanbul'],
        ['umit istanbul', 'Ümit  İstanbul'],
        ['istan umit@example', 'Ümit  İstanbul'],
        ['istanbul 2233', 'Ümit  İstanbul'],
        ['22-33 istanbul', 'Ümit  İstanbul'],
        ['\u202a22\u201133\u201144\u202c', 'Ümit  İstanbul'],
        ["o'brien", 'Seán O’Brien'],
        ['O’Brien@example', 'Seán O’Brien'],
        ["o'brien sean", 'Seán O’Brien'],
        ['jean-luc', 'Jean\u2011Luc Picard'],
        ['picard jean\u2013luc', 'Jean\u2011Luc Picard'],
      ] as const)
        expect(names(await store.searchContacts(ours, asked(term))), term).toEqual([found])
      for (const term of ['istanbul ankara', 'umit brien', 'istanbul 2299'])
        expect(names(await store.searchContacts(ours, asked(term))), term).toEqual([])
    })

    it('folds accents only in names', async () => {
      const { store, ours } = await start()
      await fill(store, ours, [
        newContact('Łukasz Ørsted', { email: 'lukasz@example.com' }),
        newContact('Plain', { email: 'anne@b\u00fccher.example' }),
      ])
      for (const term of ['lukasz', 'ØRSTED', 'orsted']) {
        expect(names(await store.searchContacts(ours, asked(term))), term).toEqual(['Łukasz Ørsted'])
      }
      expect(names(await store.searchContacts(ours, asked('b\u00fccher')))).toEqual(['Plain'])
      expect(names(await store.searchContacts(ours, asked('bucher')))).toEqual([])
      expect(names(await store.searchContacts(ours, asked('lu\u212aasz')))).toEqual(['Łukasz Ørsted'])
      expect(names(await store.searchContacts(ours, asked('lu\u212aasz@')))).toEqual([])
    })

    it('matches phone and wid by digits only, from three digits on', async () => {
      const { store, ours } = await start()
      await fill(store, ours, [newContact('Ada', { phone: '(555) 12-34' }), newContact('Grace', { wid: '+4755512' })])
      expect(names(await store.searchContacts(ours, asked('555-12')))).toEqual(['Ada', 'Grace'])
      expect(names(await store.searchContacts(ours, asked('5512.34')))).toEqual(['Ada'])
      expect(names(await store.searchContacts(ours, asked('z55512')))).toEqual([])
    })

    it('finds terms far longer than a name', async () => {
      const { store, ours } = await start()
      const long = 'abcdefghij'.repeat(25)
      await fill(store, ours, [newContact(`${long}x`), newContact(`${long}y`)])
      expect(names(await store.searchContacts(ours, asked(`${long}Y`)))).toEqual([`${long}y`])
      expect(await store.searchContacts(ours, asked('\ufdfa'.repeat(256)))).toEqual({ contacts: [], total: 0 })
    })

    it('has an empty page after the last one', async () => {
      const { store, ours } = await start()
      const rows = Array.from({ length: 25 }, (_, index) => newContact(`N${index}`, { createdAt: at(index) }))
      await fill(store, ours, rows)
      for (const term of ['', 'n', 'example.com'])
        for (const page of [4, 1001, 999_999_999_999_999]) {
          const search = { ...normalizeQuery(term), page, limit: 10 }
          expect(await store.searchContacts(ours, search), term).toEqual({ total: 25, contacts: [] })
        }
    })

    it('finds a contact by its current values, not by its old ones', async () => {
      const { store, ours } = await start()
      const ada = newContact('Ada Byron')
      await fill(store, ours, [ada])
      await store.updateContact({ ...ours, contactId: ada.id }, { name: 'Ada Lovelace', updatedAt: at(8) })
      expect(names(await store.searchContacts(ours, asked('byron')))).toEqual([])
      expect(names(await store.searchContacts(ours, asked('lovelace')))).toEqual(['Ada Lovelace'])
    })
  })
}
