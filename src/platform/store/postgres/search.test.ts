import { Client } from 'pg'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { normalizeQuery } from '../../search/searchNormalization.ts'
import { createStoreDatabase, execute } from '../../testing/postgresServer.ts'
import { describeListing, maxCounted } from '../../testing/store/listingSuite.ts'
import { describeSearch } from '../../testing/store/searchSuite.ts'
import { at, createTestTenants, newContact, type TestTenants } from '../../testing/store/storeTenants.ts'
import type { BotScope } from '../store.ts'
import { createPostgresStore } from './postgresStore.ts'
import { defaultScanLimits, type ScanLimits } from './scanLimits.ts'

async function open(scanLimits: Partial<ScanLimits> = {}): Promise<TestTenants & { url: string }> {
  const url = await createStoreDatabase(inject('postgres'))
  const store = await createPostgresStore({ url, scanLimits: { ...defaultScanLimits, ...scanLimits } })
  onTestFinished(() => store.close())
  return { ...(await createTestTenants(store)), url }
}

// Bots as small as those of tests are compared as a whole; these are searched as the largest are.
describe('createPostgresStore that looks every search up', () => {
  const openLimited = async () => {
    const url = await createStoreDatabase(inject('postgres'))
    return createPostgresStore({ url, scanLimits: { ...defaultScanLimits, smallBot: 0, step: 4, maxCounted } })
  }
  describeSearch(openLimited)
  describeListing(openLimited)
})

const all = { text: { name: '', rest: '' }, page: 1, limit: 1 }
const insert = `INSERT INTO contacts (id, organization_id, bot_id, email_key, name, email, phone, mid, wid, created_at,
  updated_at, name_text, rest_text, digits_text, pieces)`

/** Rows of contacts that differ in their ids and emails only. */
const rowsOf = ({ organizationId, botId }: BotScope, from: number, to: number): string =>
  `${insert} SELECT 'c' || n, '${organizationId}', '${botId}', 'e' || n, 'Ada', '', '', '', '', '', '', 'ada', '', '', '{}'
   FROM generate_series(${from}, ${to}) n`

describe('the maintained number of contacts', () => {
  it('makes no writer wait for another one that has not committed', async () => {
    const { store, ours, url } = await open()
    await store.createContact(ours, newContact('Ada'))
    const other = new Client({ connectionString: url })
    await other.connect()
    await other.query('BEGIN')
    await other.query(rowsOf(ours, 1, 3))
    expect(await store.createContact(ours, newContact('Grace'))).toMatchObject({ name: 'Grace' })
    expect(await store.searchContacts(ours, all)).toMatchObject({ total: 2 })
    await other.query('COMMIT')
    await other.end()
    expect(await store.searchContacts(ours, all)).toMatchObject({ total: 5 })
  })

  it('takes no more rows than there are writers at once', async () => {
    const { store, ours, url } = await open()
    for (let n = 0; n < 5; n++) await store.createContact(ours, newContact('Ada'))
    expect(await execute(url, 'SELECT contacts::int FROM contact_counts')).toEqual([{ contacts: 5 }])
  })

  it('includes rows that another program has written or deleted', async () => {
    const { store, ours, sibling, url } = await open()
    await execute(url, `${rowsOf(ours, 1, 5)}; ${rowsOf(sibling, 6, 8)}`)
    await execute(url, `DELETE FROM contacts WHERE id IN ('c1', 'c7', 'c8')`)
    expect(await store.searchContacts(ours, all)).toMatchObject({ total: 4 })
    expect(await store.searchContacts(sibling, all)).toMatchObject({ total: 1 })
  })
})

describe('a search that the index cannot answer', () => {
  /** Fills a bot with 3000 people called Lovelace, and with older and newer ones that are not. */
  async function fill({ store, ours }: TestTenants): Promise<void> {
    for (const [name, count, second] of [
      ['Hopper', 1100, 0],
      ['Lovelace', 3000, 1],
      ['Hopper', 2100, 2],
    ] as const)
      for (let done = 0; done < count; done += 1000)
        await store.upsertContacts(
          ours,
          Array.from({ length: Math.min(1000, count - done) }, () => newContact(name, { createdAt: at(second) })),
        )
  }
  const search = (query: string) => ({ ...normalizeQuery(query), page: 1, limit: 1 })

  it('compares the newest contacts when looking up takes too long, and says that there may be more', async () => {
    const tenants = await open({ smallBot: 0, page: 4000, lookUpMs: 1 })
    await fill(tenants)
    expect(await tenants.store.searchContacts(tenants.ours, search('lovelace'))).toMatchObject({
      total: 1900,
      totalIsExact: false,
      contacts: [{ name: 'Lovelace' }],
    })
  })

  it('finds all of them by index, and short terms among the newest', async () => {
    const tenants = await open({ smallBot: 0, page: 4000 })
    await fill(tenants)
    const found = await tenants.store.searchContacts(tenants.ours, search('lovelace'))
    expect(found).toMatchObject({ total: 3000 })
    expect(found).not.toHaveProperty('totalIsExact')
    expect(await tenants.store.searchContacts(tenants.ours, search('zq'))).toMatchObject({
      total: 0,
      totalIsExact: false,
    })
    expect(await tenants.store.searchContacts(tenants.ours, search('ov'))).toMatchObject({
      total: 1900,
      totalIsExact: false,
    })
  })
})
