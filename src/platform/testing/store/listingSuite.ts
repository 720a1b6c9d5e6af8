import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect } from 'vitest'
import { scale } from '../../../testScale.ts'
import { normalizeQuery } from '../../search/searchNormalization.ts'
import type { BotScope, ContactRow, Search, Store, UpsertEntry } from '../../store/store.ts'
import { at, createTestTenants, newContact, smallLimits, storeTests } from './storeTenants.ts'

/** Reads the list to its end; `beforeEachPage` runs before each page but the first. */
export async function walk(
  store: Store,
  scope: BotScope,
  { query = '', limit }: { query?: string; limit: number },
  beforeEachPage: () => Promise<unknown> = async () => {},
): Promise<string[]> {
  const ids: string[] = []
  for (let after = {}; ; ) {
    const page = await store.listContacts(scope, { ...normalizeQuery(query), ...after, limit })
    if (page === 'not_found') throw new Error(page)
    expect(page.contacts.length).toBeLessThanOrEqual(limit)
    ids.push(...page.contacts.map(({ id }) => id))
    if (!page.next) return ids
    after = { after: page.next }
    await beforeEachPage()
  }
}

const toEntry = ({ phone, mid, wid, ...row }: ContactRow): UpsertEntry => row

/** A page of a search, or of all contacts. */
export async function search(store: Store, scope: BotScope, query = '', page: Partial<Search> = {}) {
  const found = await store.searchContacts(scope, { ...normalizeQuery(query), page: 1, limit: 100, ...page })
  if (found === 'not_found') throw new Error(found)
  return found
}

/** Eight people who may be contacts of one of two bots. */
const person = fc.integer({ min: 0, max: 7 })
const bot = fc.constantFrom('ours' as const, 'sibling' as const)
const operation = fc.oneof(
  fc.record({ kind: fc.constant('create' as const), bot, person }),
  fc.record({ kind: fc.constant('delete' as const), bot, person }),
  fc.record({ kind: fc.constant('upsert' as const), bot, people: fc.array(person, { maxLength: 6 }) }),
)

const { maxCounted } = smallLimits

/** Totals and lists of contacts, of stores with small limits. */
export function describeListing(open: () => Promise<Store>): void {
  const it = storeTests(open)

  it('the total is the number of contacts, whatever is written and deleted at once', async ({ store }) => {
    const emailOf = (person: number) => `person${person}@example.com`
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(operation, { maxLength: 6 }), { maxLength: 5 }), async batches => {
        const tenants = await createTestTenants(store)
        const run = async (operation: (typeof batches)[number][number]): Promise<unknown> => {
          const scope = tenants[operation.bot]
          if (operation.kind === 'create')
            return store.createContact(scope, newContact('New', { email: emailOf(operation.person) }))
          if (operation.kind === 'upsert') {
            const rows = operation.people.map(person => newContact('Upserted', { email: emailOf(person) }))
            return store.upsertContacts(scope, rows.map(toEntry))
          }
          const found = await store.findContactByEmail(scope, emailOf(operation.person))
          return found && store.deleteContact({ ...scope, contactId: found.id }, at(9))
        }
        for (const batch of batches) {
          await Promise.all(batch.map(run))
          for (const scope of [tenants.ours, tenants.sibling]) {
            const rows = await walk(store, scope, { limit: 100 })
            expect(await search(store, scope)).toMatchObject({ total: rows.length, contacts: rows.map(id => ({ id })) })
          }
        }
      }),
      { numRuns: 15, seed: scale.seed },
    )
  })

  describe('listContacts', () => {
    it('gives every contact that exists throughout exactly once, while others come and go', async ({ store }) => {
      const second = fc.integer({ min: 0, max: 9 })
      const changes = fc.array(fc.record({ second, gone: fc.nat({ max: 99 }) }), { maxLength: 3 })
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.record({ second, matches: fc.boolean() }), { maxLength: 30 }),
          fc.array(changes, { maxLength: 6 }),
          fc.constantFrom('', 'match', 'ma'),
          fc.integer({ min: 1, max: 7 }),
          async (rows, rounds, query, limit) => {
            const { ours } = await createTestTenants(store)
            const contacts = rows.map(({ second, matches }) =>
              newContact(matches ? 'Match' : 'Other', { email: `${randomUUID()}@x.test`, createdAt: at(second) }),
            )
            if (contacts.length > 0) await store.upsertContacts(ours, contacts.map(toEntry))
            const deleted = new Set<string>()
            const left = [...rounds]
            const change = () =>
              Promise.all(
                (left.shift() ?? []).map(async ({ second, gone }) => {
                  await store.createContact(ours, newContact('Match', { createdAt: at(second) }))
                  const contact = contacts[gone % Math.max(1, contacts.length)]
                  if (!contact) return
                  deleted.add(contact.id)
                  await store.deleteContact({ ...ours, contactId: contact.id }, at(10))
                }),
              )
            const ids = await walk(store, ours, { query, limit }, change)
            expect(new Set(ids).size).toBe(ids.length)
            const isMatch = ({ name }: ContactRow) => query === '' || name === 'Match'
            const sought = contacts.filter(contact => isMatch(contact) && !deleted.has(contact.id))
            expect(sought.filter(({ id }) => !ids.includes(id))).toEqual([])
            expect(contacts.filter(contact => !isMatch(contact) && ids.includes(contact.id))).toEqual([])
          },
        ),
        { numRuns: 25, seed: scale.seed },
      )
    })

    it('lists newest first, and only the own bot', async ({ store, ours, sibling, mismatched }) => {
      const rows = Array.from({ length: 7 }, (_, index) => newContact('Ada', { createdAt: at(index) }))
      for (const row of rows) await store.createContact(ours, row)
      await store.createContact(sibling, newContact('Ada'))
      const newestFirst = rows.map(({ id }) => id).reverse()
      for (const query of ['', 'ada', 'a']) expect(await walk(store, ours, { query, limit: 3 })).toEqual(newestFirst)
      expect(await store.listContacts(mismatched, { words: [], limit: 3 })).toBe('not_found')
      const nothing = { contacts: [], next: null }
      expect(await store.listContacts(ours, { ...normalizeQuery('a\0'), limit: 3 })).toEqual(nothing)
    })
  })

  it('a search counts no further than its limit, but lists to the end', async ({ store, ours }) => {
    const rows = Array.from({ length: maxCounted + 1 }, (_, index) =>
      newContact('Ada Lovelace', { createdAt: at(index) }),
    )
    await store.upsertContacts(ours, rows.map(toEntry))
    const newest = await search(store, ours, 'lovelace', { limit: 2 })
    expect(newest).toMatchObject({ total: maxCounted, totalIsExact: false })
    expect(newest).toMatchObject({ contacts: [{ createdAt: at(maxCounted) }, { createdAt: at(maxCounted - 1) }] })
    // The last page ends with the last contact that is counted.
    const last = await search(store, ours, 'lovelace', { page: 4, limit: 30 })
    expect(last.total).toBe(maxCounted)
    expect(last.contacts.at(-1)?.createdAt).toBe(at(1))
    expect(last.contacts).toHaveLength(10)
    expect(await walk(store, ours, { query: 'lovelace', limit: 30 })).toHaveLength(maxCounted + 1)
    // One less, and the total is exact.
    await store.deleteContact({ ...ours, contactId: rows[0]?.id ?? '' }, at(maxCounted * 2))
    const exact = await search(store, ours, 'lovelace', { limit: 1 })
    expect(exact).toEqual({ total: maxCounted, contacts: [expect.objectContaining({ createdAt: at(maxCounted) })] })
    expect(await search(store, ours, '', { limit: 1 })).toMatchObject({ total: maxCounted })
  })
}
