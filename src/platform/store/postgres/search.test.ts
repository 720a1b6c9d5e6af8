import { describe, expect, it } from 'vitest'
import { execute } from '../../testing/postgresServer.ts'
import { search } from '../../testing/store/listingSuite.ts'
import { openNodes, openSession } from '../../testing/store/postgresNodes.ts'
import { newContact } from '../../testing/store/storeTenants.ts'
import type { BotScope } from '../store.ts'

const insert = `INSERT INTO contacts (id, organization_id, bot_id, email_key, name, email, phone, mid, wid, created_at,
  updated_at, name_text, rest_text, digits_text)`

/** Rows of contacts that differ in their ids and emails only. */
const rowsOf = ({ organizationId, botId }: BotScope, from: number, to: number): string =>
  `${insert} SELECT 'c' || n, '${organizationId}', '${botId}', 'e' || n, 'Ada', '', '', '', '', '', '', 'ada', '', ''
   FROM generate_series(${from}, ${to}) n`

describe('the maintained number of contacts', () => {
  it('makes no writer wait for another one that has not committed', async () => {
    const { store, ours, url } = await openNodes()
    await store.createContact(ours, newContact('Ada'))
    const other = await openSession(url, `BEGIN; ${rowsOf(ours, 1, 3)}`)
    expect(await store.createContact(ours, newContact('Grace'))).toMatchObject({ value: { name: 'Grace' } })
    expect((await search(store, ours)).total).toBe(2)
    await other.query('COMMIT')
    expect((await search(store, ours)).total).toBe(5)
  })

  it('takes no more rows than there are writers at once', async () => {
    const { store, ours, url } = await openNodes()
    for (let n = 0; n < 5; n++) await store.createContact(ours, newContact('Ada'))
    expect(await execute(url, 'SELECT contacts::int FROM contact_counts')).toEqual([{ contacts: 5 }])
  })

  it('includes rows that another program has written or deleted', async () => {
    const { store, ours, sibling, url } = await openNodes()
    await execute(url, `${rowsOf(ours, 1, 5)}; ${rowsOf(sibling, 6, 8)}`)
    await execute(url, `DELETE FROM contacts WHERE id IN ('c1', 'c7', 'c8')`)
    expect([(await search(store, ours)).total, (await search(store, sibling)).total]).toEqual([4, 1])
  })
})

it('the full-text index is asked for a part of a name or of another field', async () => {
  const { url } = await openNodes()
  // A table as small as this one is otherwise read as a whole.
  const client = await openSession(url, 'SET enable_seqscan = off; SET enable_indexscan = off')
  const { rows: plan } = await client.query(
    "EXPLAIN SELECT id FROM contacts WHERE name_text LIKE '%lovelace%' OR rest_text LIKE '%lovelace%'",
  )
  expect(JSON.stringify(plan)).toContain('contacts_search')
})
