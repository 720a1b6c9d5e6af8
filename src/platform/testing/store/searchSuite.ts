import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect } from 'vitest'
import type { Contact } from '../../../contract/index.ts'
import { scale } from '../../../testScale.ts'
import { normalizeName, normalizeQuery, normalizeRest } from '../../search/searchNormalization.ts'
import type { BotScope, ContactRow, Search, Store } from '../../store/store.ts'
import { search, walk } from './listingSuite.ts'
import { at, createTestTenants, newContact, storeTests, toContact } from './storeTenants.ts'

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
  const it = storeTests(open)

  async function fill(store: Store, scope: BotScope, contacts: ContactRow[]): Promise<Contact[]> {
    await Promise.all(contacts.map(row => store.createContact(scope, row)))
    return contacts.map(toContact)
  }
  const namesOf = async (store: Store, scope: BotScope, query: string) =>
    (await search(store, scope, query)).contacts.map(({ name }) => name).sort()

  describe('searchContacts', () => {
    it('finds the same contacts as a full scan, in the same order, page by page', async ({ store }) => {
      const asked = fc.tuple(query, fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 8 }))
      await fc.assert(
        fc.asyncProperty(
          fc.array(contact, { maxLength: 25 }),
          fc.array(asked, { minLength: 8, maxLength: 8 }),
          async (fields, searches) => {
            const { ours, sibling, otherOrganization } = await createTestTenants(store)
            const rows = fields.map(({ local, second, ...fields }, index) =>
              newContact(fields.name, { ...fields, email: `${local}.${index}@Example.com`, createdAt: at(second) }),
            )
            const contacts = await fill(store, ours, rows)
            const others = () => rows.map(row => ({ ...row, id: randomUUID(), emailKey: randomUUID() }))
            await Promise.all([fill(store, sibling, others()), fill(store, otherOrganization, others())])
            for (const [text, page, limit] of searches) {
              const wanted = { ...normalizeQuery(text), page, limit }
              const found = await search(store, ours, text, { page, limit })
              expect(found, JSON.stringify(text)).toEqual(searchNaively(contacts, wanted))
              const everything = searchNaively(contacts, { ...wanted, page: 1, limit: 100 }).contacts
              const walked = await walk(store, ours, { query: text, limit })
              expect(walked, JSON.stringify(text)).toEqual(everything.map(({ id }) => id))
            }
          },
        ),
        { numRuns: 25, seed: scale.seed },
      )
    })

    it('matches any part of every field but the times, as people write it', async ({ store, ours }) => {
      const long = 'abcdefghij'.repeat(25)
      const fields = { email: 'first@example.com', phone: '(47) 55.1', mid: 'Mid~1', wid: '+4799887766' }
      const [ada] = await fill(store, ours, [
        newContact('Ada Lovelace', fields),
        newContact('Ümit  İstanbul', { email: 'umit@example.com', phone: '+47 22-33-44' }),
        newContact('Seán O’Brien', { email: "o'brien@example.com" }),
        newContact('Jean\u2011Luc Picard'),
        newContact('Łukasz Ørsted', { email: 'lukasz@example.com' }),
        newContact('Plain', { email: 'anne@b\u00fccher.example' }),
        newContact('Phone', { phone: '(555) 12-34' }),
        newContact('WhatsApp', { wid: '+4755512' }),
        newContact(`${long}x`),
        newContact(`${long}y`),
      ])
      for (const [name, terms] of [
        [
          'Ada Lovelace',
          ['love', 'A lovel', 'FIRST@', 'st@example.co', '(47) 55.1', 'mid~', '+4799', ada?.id.slice(3, 23)],
        ],
        ['Ümit  İstanbul', ['istanbul umit', 'umit istanbul', 'istan umit@example', 'istanbul 2233', '22-33 istanbul']],
        ['Ümit  İstanbul', ['\u202a22\u201133\u201144\u202c']],
        ['Seán O’Brien', ["o'brien", 'O’Brien@example', "o'brien sean"]],
        ['Jean\u2011Luc Picard', ['jean-luc', 'picard jean\u2013luc']],
        ['Łukasz Ørsted', ['lukasz', 'ØRSTED', 'orsted', 'lu\u212aasz']],
        ['Plain', ['b\u00fccher']],
        ['Phone', ['5512.34']],
        [`${long}y`, [`${long}Y`]],
      ] as const)
        for (const term of terms) expect(await namesOf(store, ours, term ?? ''), term).toEqual([name])
      expect(await namesOf(store, ours, '555-12')).toEqual(['Phone', 'WhatsApp'])
      const wrong = ['lovelacefirst', at(1).slice(0, 10), 'ada byron', 'a@ada', 'istanbul ankara', 'umit brien']
      for (const term of [...wrong, 'istanbul 2299', 'bucher', 'lu\u212aasz@', 'z55512', '\ufdfa'.repeat(256)])
        expect(await search(store, ours, term), term).toEqual({ contacts: [], total: 0 })
    })

    it('has an empty page after the last one', async ({ store, ours }) => {
      const rows = Array.from({ length: 25 }, (_, index) => newContact(`N${index}`, { createdAt: at(index) }))
      await fill(store, ours, rows)
      for (const term of ['', 'n', 'example.com'])
        for (const page of [4, 1001, 999_999_999_999_999])
          expect(await search(store, ours, term, { page, limit: 10 }), term).toEqual({ total: 25, contacts: [] })
    })

    it('finds current values, not old ones, and nobody who was deleted', async ({ store, ours, ada, grace }) => {
      for (const name of ['Byron', 'Lovelace']) await store.updateContact(ada.scope, { name, updatedAt: at(8) })
      expect(await namesOf(store, ours, 'byron')).toEqual([])
      expect(await namesOf(store, ours, 'lovelace')).toEqual(['Lovelace'])
      await store.deleteContact(ada.scope, at(9))
      expect(await namesOf(store, ours, 'lovelace')).toEqual([])
      expect(await search(store, ours)).toEqual({ contacts: [grace.contact], total: 1 })
    })
  })
}
