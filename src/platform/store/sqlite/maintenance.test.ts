import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Contact } from '../../../contract/index.ts'
import { at, newBot, newContact } from '../../testing/store/storeTenants.ts'
import { methodsOf } from '../queries/methods.ts'
import { openDatabase } from './connection.ts'
import { createDatabase } from './database.ts'
import { sqliteDialect } from './dialect.ts'
import { createMaintenance } from './maintenance.ts'
import { migrate } from './migrations.ts'

async function open() {
  const folder = mkdtempSync(join(tmpdir(), 'natter-test-'))
  const file = join(folder, 'store.db')
  const db = openDatabase({ file, busyTimeoutMs: 1, durable: true })
  migrate(db)
  const bot = newBot('acme')
  const { createOrganization, createBot, createContact, deleteContact } = methodsOf(createDatabase(db), sqliteDialect())
  await createOrganization({ id: 'acme', name: 'Acme', createdAt: '' })
  await createBot(bot)
  let now = 0
  return {
    db,
    file,
    maintenance: createMaintenance(db, () => now),
    advance(ms: number) {
      now += ms
    },
    scope: { organizationId: 'acme', botId: bot.id },
    write: async (name = 'Ada') =>
      (await createContact({ organizationId: 'acme', botId: bot.id }, newContact(name))) as Contact,
    deleteContact,
    /** How many pages of the log are not yet in the database. */
    pages() {
      const row = db.prepare('PRAGMA wal_checkpoint(NOOP)').get()
      return Number(row?.['log']) - Number(row?.['checkpointed'])
    },
    close() {
      db.close()
      rmSync(folder, { recursive: true })
    },
  }
}

it('stops trying to move a log that is still being read', async () => {
  const { file, write, maintenance, pages, close } = await open()
  const reader = openDatabase({ file, busyTimeoutMs: 1, durable: true }, true)
  reader.exec('BEGIN')
  reader.prepare('SELECT count(*) FROM contacts').get()
  while (pages() < 2000) await write()
  let steps = 0
  while (maintenance.step() && steps < 1000) steps++
  expect(steps).toBeLessThan(1000)
  reader.exec('COMMIT')
  expect(maintenance.step()).toBe(true)
  expect(pages()).toBe(0)
  reader.close()
  close()
})

it('moves a long log into the database, step by step', async () => {
  const { write, maintenance, pages, close } = await open()
  while (pages() < 2000) await write()
  expect(maintenance.step()).toBe(true)
  expect(pages()).toBe(0)
  while (maintenance.step());
  expect(pages()).toBeLessThan(1000)
  expect(maintenance.hasBacklog()).toBe(false)
  close()
})

it('removes deleted data from the log some seconds later, or as soon as nobody reads it any more', async () => {
  const { file, write, deleteContact, scope, maintenance, advance, close } = await open()
  const holds = (text: string) => [file, `${file}-wal`].some(path => readFileSync(path).includes(text))
  const contact = await write('Zyxwvu Qjkpflm')
  while (maintenance.step());
  await deleteContact({ ...scope, contactId: contact.id }, at(5))
  while (maintenance.step());
  expect([holds('Qjkpflm'), maintenance.isWaiting(), maintenance.hasBacklog()]).toEqual([true, true, false])
  const reader = openDatabase({ file, busyTimeoutMs: 1, durable: true }, true)
  reader.exec('BEGIN')
  reader.prepare('SELECT count(*) FROM contacts').get()
  advance(20_000)
  expect([maintenance.step(), maintenance.isWaiting(), maintenance.hasBacklog()]).toEqual([false, true, true])
  reader.exec('COMMIT')
  expect(maintenance.step()).toBe(true)
  expect([holds('Qjkpflm'), maintenance.isWaiting(), maintenance.hasBacklog()]).toEqual([false, false, false])
  reader.close()
  close()
})
