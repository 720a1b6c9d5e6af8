import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { scale } from '../../../testScale.ts'
import { normalizeQuery } from '../../search/searchNormalization.ts'
import type { BotScope, ContactRow, Store, UpsertEntry } from '../../store/store.ts'
import { at, newContact, useStore } from './storeTenants.ts'

const all = { words: [] }

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

function toEntry({ phone, mid, wid, ...row }: ContactRow): UpsertEntry {
  return { ...row }
}

/** Eight people who may be contacts of one of two bots. */
const person = fc.integer({ min: 0, max: 7 })
const bot = fc.constantFrom('ours' as const, 'sibling' as const)
const operation = fc.oneof(
  fc.record({ kind: fc.constant('create' as const), bot, person }),
  fc.record({ kind: fc.constant('delete' as const), bot, person }),
  fc.record({ kind: fc.constant('upsert' as const), bot, people: fc.array(person, { maxLength: 6 }) }),
)

/** How many matches the stores of these tests count, so that few contacts are enough to exceed it. */
export const maxCounted = 100

/** Totals and lists of contacts. Stores whose limits are small need few contacts to compare instead of looking up. */
export function describeListing(open: () => Promise<Store>): void {
  const start = useStore(open)

  describe('the total of all contacts', () => {
    it('is their number, whatever is created, upserted and deleted at once', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(fc.array(operation, { maxLength: 6 }), { maxLength: 5 }), async batches => {
          const { store, ...scopes } = await start()
          const emailOf = (person: number) => `person${person}@example.com`
          const run = async (operation: (typeof batches)[number][number]): Promise<unknown> => {
            const scope = scopes[operation.bot]
            if (operation.kind === 'create')
              return store.createContact(scope, newContact('New', { email: emailOf(operation.person) }))
            if (operation.kind === 'upsert')
              return store.upsertContacts(
                scope,
                operation.people.map(person => toEntry(newContact('Upserted', { email: emailOf(person) }))),
              )
            const found = await store.findContactByEmail(scope, emailOf(operation.person))
            return found && store.deleteContact({ ...scope, contactId: found.id }, at(9))
          }
          for (const batch of batches) {
            await Promise.all(batch.map(run))
            for (const scope of [scopes.ours, scopes.sibling]) {
              const found = await store.searchContacts(scope, { ...all, page: 1, limit: 100 })
              const rows = await walk(store, scope, { limit: 100 })
              expect(found).toMatchObject({ total: rows.length, contacts: rows.map(id => ({ id })) })
            }
          }
        }),
        { numRuns: 15, seed: scale.seed },
      )
    })
  })

  describe('listContacts', () => {
    it('gives every contact that exists throughout exactly once, while others come and go', async () => {
      const changes = fc.array(
        fc.array(fc.record({ second: fc.integer({ min: 0, max: 9 }), gone: fc.nat({ max: 99 }) }), { maxLength: 3 }),
        { maxLength: 6 },
      )
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.record({ second: fc.integer({ min: 0, max: 9 }), matches: fc.boolean() }), { maxLength: 30 }),
          changes,
          fc.constantFrom('', 'match', 'ma'),
          fc.integer({ min: 1, max: 7 }),
          async (rows, rounds, query, limit) => {
            const { store, ours } = await start()
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
            const isSought = ({ name, id }: ContactRow) => !deleted.has(id) && (query === '' || name === 'Match')
            const missing = contacts.filter(contact => isSought(contact) && !ids.includes(contact.id))
            expect(missing).toEqual([])
            if (query !== '') {
              const others = contacts.filter(({ name, id }) => name !== 'Match' && ids.includes(id))
              expect(others).toEqual([])
            }
          },
        ),
        { numRuns: 25, seed: scale.seed },
      )
    })

    it('lists newest first, only the own bot, and nothing for the bot of another organization', async () => {
      const { store, ours, sibling, otherOrganization } = await start()
      const rows = Array.from({ length: 7 }, (_, index) => newContact('Ada', { createdAt: at(index) }))
      for (const row of rows) await store.createContact(ours, row)
      await store.createContact(sibling, newContact('Ada'))
      const newestFirst = rows.map(({ id }) => id).reverse()
      for (const query of ['', 'ada', 'a']) expect(await walk(store, ours, { query, limit: 3 })).toEqual(newestFirst)
      const mixed = { ...ours, organizationId: otherOrganization.organizationId }
      expect(await store.listContacts(mixed, { ...all, limit: 3 })).toBe('not_found')
      expect(await store.listContacts(ours, { ...normalizeQuery('a\0'), limit: 3 })).toEqual({
        contacts: [],
        next: null,
      })
    })
  })

  describe('a search with more matches than are counted', () => {
    it('counts no further, its pages end there, and its list goes on to the end', async () => {
      const { store, ours } = await start()
      const rows = Array.from({ length: maxCounted + 1 }, (_, index) =>
        newContact('Ada Lovelace', { createdAt: at(index) }),
      )
      await store.upsertContacts(ours, rows.map(toEntry))
      const lovelace = normalizeQuery('lovelace')
      const newest = await store.searchContacts(ours, { ...lovelace, page: 1, limit: 2 })
      expect(newest).toMatchObject({ total: maxCounted, totalIsExact: false })
      expect(newest).toMatchObject({ contacts: [{ createdAt: at(maxCounted) }, { createdAt: at(maxCounted - 1) }] })
      // The last page ends with the last contact that is counted.
      const last = await store.searchContacts(ours, { ...lovelace, page: 4, limit: 30 })
      expect(last).toMatchObject({ total: maxCounted })
      expect(last !== 'not_found' && last.contacts.map(({ createdAt }) => createdAt).at(-1)).toBe(at(1))
      expect(last !== 'not_found' && last.contacts.length).toBe(10)
      expect(await walk(store, ours, { query: 'lovelace', limit: 30 })).toHaveLength(maxCounted + 1)
      // One less, and the total is exact.
      const [oldest] = await store
        .searchContacts(ours, { ...all, page: maxCounted + 1, limit: 1 })
        .then(found => (found === 'not_found' ? [] : found.contacts))
      await store.deleteContact({ ...ours, contactId: oldest?.id ?? '' }, at(maxCounted * 2))
      const exact = await store.searchContacts(ours, { ...lovelace, page: 1, limit: 1 })
      expect(exact).toEqual({ total: maxCounted, contacts: [expect.objectContaining({ createdAt: at(maxCounted) })] })
      expect(await store.searchContacts(ours, { ...all, page: 1, limit: 1 })).toMatchObject({ total: maxCounted })
    })
  })
}
