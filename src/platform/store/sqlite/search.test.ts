import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { describeListing } from '../../testing/store/listingSuite.ts'
import { readSearchTerms } from '../../testing/store/readSearchTerms.ts'
import { describeSearch } from '../../testing/store/searchSuite.ts'
import { at, createTestTenants, newContact, smallLimits } from '../../testing/store/storeTenants.ts'
import { createTemporaryFolder } from '../../testing/temporaryFolder.ts'
import { createSqliteStore } from './sqliteStore.ts'

// Bots as small as those of tests are compared as a whole; these are searched as the largest are.
for (const rowsPerLookup of [0.1, 4])
  describe(`createSqliteStore that looks up ${1 / rowsPerLookup} contacts for each of the bot`, () => {
    const open = () => createSqliteStore({ file: ':memory:', limits: { ...smallLimits, scanned: 0, rowsPerLookup } })
    describeSearch(open)
    describeListing(open)
  })

it('indexes what contacts hold, and after a purge nothing of old values or of deleted contacts', async () => {
  const file = join(createTemporaryFolder(), 'store.db')
  const store = await createSqliteStore({ file })
  const { ours } = await createTestTenants(store)
  const rows = Array.from({ length: 90 }, (_, index) => newContact(`Ada Byron ${index}`))
  await Promise.all(rows.map(row => store.createContact(ours, row)))
  for (const [index, { id }] of rows.entries()) {
    const scope = { ...ours, contactId: id }
    if (index % 3 === 0) await store.deleteContact(scope, at(5))
    if (index % 3 === 1) await store.updateContact(scope, { name: `Grace Hopper ${index}`, updatedAt: at(5) })
  }
  const changed = rows.filter((_, index) => index % 3 === 2)
  await store.upsertContacts(
    ours,
    changed.map(({ mid: _, ...row }) => ({ ...row, phone: '+4799887766', name: 'Wvu', updatedAt: at(6) })),
  )
  await store.purge({ now: at(7), endedBefore: at(0) })
  await store.close()
  const db = new DatabaseSync(file)
  // Throws if the index holds anything but the texts of the contacts.
  db.exec(`INSERT INTO contact_search (contact_search, rank) VALUES ('integrity-check', 1)`)
  db.exec(`INSERT INTO message_search (message_search, rank) VALUES ('integrity-check', 1)`)
  const terms = readSearchTerms(db)
  expect(['gra', 'wvu', '998'].filter(term => !terms.has(term))).toEqual([])
  expect(terms.has('byr')).toBe(false)
  db.close()
})
