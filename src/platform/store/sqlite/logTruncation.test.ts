import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { at, newBot, newContact } from '../../testing/store/storeTenants.ts'
import { createTemporaryFolder } from '../../testing/temporaryFolder.ts'
import { methodsOf } from '../queries/methods.ts'
import { createDatabase, openDatabase } from './connection.ts'
import { sqliteDialect } from './dialect.ts'
import { createLogTruncation } from './logTruncation.ts'
import { migrate } from './migrations.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('removes deleted data from the log some seconds later, or as soon as nobody reads it any more', async () => {
  const file = join(createTemporaryFolder(), 'store.db')
  const database = { file, busyTimeoutMs: 1, durable: true }
  const db = openDatabase(database)
  migrate(db)
  const bot = newBot('acme')
  const scope = { organizationId: 'acme', botId: bot.id }
  const { createOrganization, createBot, createContact, deleteContact } = methodsOf(createDatabase(db), sqliteDialect())
  await createOrganization({ id: 'acme', name: 'Acme', createdAt: '' })
  await createBot(bot)
  const holdsText = () => [file, `${file}-wal`].some(path => readFileSync(path).includes('Qjkpflm'))
  const log = createLogTruncation(database)
  const contact = newContact('Zyxwvu Qjkpflm')
  await createContact(scope, contact)
  await deleteContact({ ...scope, contactId: contact.id }, at(5))
  log.truncateSoon()
  vi.advanceTimersByTime(4_999)
  expect(holdsText()).toBe(true)
  const reader = openDatabase(database, true)
  reader.exec('BEGIN')
  reader.prepare('SELECT count(*) FROM contacts').get()
  vi.advanceTimersByTime(60_000)
  expect(readFileSync(`${file}-wal`).length).toBeGreaterThan(0)
  reader.exec('COMMIT')
  vi.advanceTimersByTime(5_000)
  expect([holdsText(), readFileSync(`${file}-wal`).length]).toEqual([false, 0])
  reader.close()
  log.finish()
  db.close()
})
