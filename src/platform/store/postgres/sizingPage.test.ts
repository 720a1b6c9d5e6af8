import { readFileSync } from 'node:fs'
import { describe, expect, inject, it } from 'vitest'
import { createDatabase, execute } from '../../testing/postgresServer.ts'
import {
  at,
  createTestTenants,
  newContact,
  newHash,
  newMessage,
  newRequest,
  signIn,
} from '../../testing/store/storeTenants.ts'
import type { BotScope, Store } from '../store.ts'
import { tables } from './copy.ts'
import { createPostgresStore } from './postgresStore.ts'

const read = (file: string) => readFileSync(new URL(file, import.meta.url), 'utf8')
const page = read('../../../../demo/deploy/SIZING.md')

/** The rows of the table with this header, as cells. */
function rowsUnder(header: string): string[][] {
  const lines = page.slice(page.indexOf(header)).split('\n')
  const rows = lines.slice(2, lines.indexOf(''))
  return rows.map(row => row.split(' | ').map(cell => cell.replace(/^\| | \|$/g, '')))
}

const codeIn = (cell = ''): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(match => match[1] ?? '')

/** Rows of an organization in every table. */
async function fill(store: Store, scope: BotScope): Promise<void> {
  await store.updateBot(scope.botId, { events: { url: 'https://example.com', secret: 'whsec_a' } })
  const token = { hash: newHash(), prefix: 'o_12345678', organizationId: scope.organizationId, dev: false }
  await store.createOrganizationToken({ ...token, createdAt: at(0), lastUsedAt: null, revokedAt: null })
  await store.createContact(scope, newContact('Grace'), newRequest())
  const { hash } = await signIn(store, scope)
  await store.appendVisitorMessage(hash, newMessage('hello'))
  await store.leaseTurns('me', at(4), at(9), 1)
}

describe('SIZING.md', () => {
  it('names the files with SQL that a PostgreSQL-compatible database must support', () => {
    const rows = rowsUnder('| What | Where |')
    expect(rows.length).toBeGreaterThan(20)
    for (const [what, where] of rows) {
      const codes = codeIn(what)
      const files = codeIn(where).map(name => ({ name, text: read(name) }))
      for (const code of codes)
        expect(
          files.some(({ text }) => text.includes(code)),
          `${code} in ${where}`,
        ).toBe(true)
      for (const { name, text } of files)
        expect(
          codes.some(code => text.includes(code)),
          `${name} holds none of ${what}`,
        ).toBe(true)
    }
  })

  it('names every table, and its queries select all rows of an organization and no others', async () => {
    const url = await createDatabase(inject('postgres'))
    const store = await createPostgresStore({ url })
    const { ours, otherOrganization } = await createTestTenants(store)
    for (const scope of [ours, otherOrganization]) await fill(store, scope)
    await store.close()
    const rows = rowsUnder('| Table | Rows of an organization |').map(cells => cells.flatMap(codeIn))
    // In an order in which referenced rows are inserted first.
    expect(rows.map(([table]) => table)).toEqual(tables.map(({ name }) => name))
    for (const [table, condition = ''] of rows) {
      const count = async (where: string): Promise<number> =>
        (await execute(url, `SELECT count(*)::int AS count FROM ${table} WHERE ${where}`))[0]?.['count'] as number
      const [own, theirs] = await Promise.all(
        [ours, otherOrganization].map(scope => count(condition.replace('$1', `'${scope.organizationId}'`))),
      )
      expect(own, table).toBeGreaterThan(0)
      expect(theirs, table).toBe(own)
      expect(await count('true'), table).toBe(2 * (own ?? 0))
    }
  })
})
