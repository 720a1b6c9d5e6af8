import { Client } from 'pg'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { createStoreDatabase, execute } from '../../testing/postgresServer.ts'
import { describeListing, maxCounted } from '../../testing/store/listingSuite.ts'
import { describeSearch } from '../../testing/store/searchSuite.ts'
import { createTestTenants, newContact, type TestTenants } from '../../testing/store/storeTenants.ts'
import { defaultSearchLimits } from '../database.ts'
import type { BotScope } from '../store.ts'
import { createPostgresStore } from './postgresStore.ts'

async function open(): Promise<TestTenants & { url: string }> {
  const url = await createStoreDatabase(inject('postgres'))
  const store = await createPostgresStore({ url })
  onTestFinished(() => store.close())
  return { ...(await createTestTenants(store)), url }
}

describe('createPostgresStore with small limits', () => {
  const openLimited = async () => {
    const url = await createStoreDatabase(inject('postgres'))
    return createPostgresStore({ url, searchLimits: { ...defaultSearchLimits, step: 4, maxCounted } })
  }
  describeSearch(openLimited)
  describeListing(openLimited)
})

const all = { words: [], page: 1, limit: 1 }
const insert = `INSERT INTO contacts (id, organization_id, bot_id, email_key, name, email, phone, mid, wid, created_at,
  updated_at, name_text, rest_text, digits_text)`

/** Rows of contacts that differ in their ids and emails only. */
const rowsOf = ({ organizationId, botId }: BotScope, from: number, to: number): string =>
  `${insert} SELECT 'c' || n, '${organizationId}', '${botId}', 'e' || n, 'Ada', '', '', '', '', '', '', 'ada', '', ''
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

describe('the full-text index', () => {
  it('is asked for a part of a name or of another field', async () => {
    const { url } = await open()
    const client = new Client({ connectionString: url })
    await client.connect()
    // A table as small as this one is otherwise read as a whole.
    await client.query('SET enable_seqscan = off; SET enable_indexscan = off')
    const { rows: plan } = await client.query(
      "EXPLAIN SELECT id FROM contacts WHERE name_text LIKE '%lovelace%' OR rest_text LIKE '%lovelace%'",
    )
    await client.end()
    expect(JSON.stringify(plan)).toContain('contacts_search')
  })
})
