import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { newBot, newContact } from '../suite/fixtures.ts'
import { openDatabase } from './connection.ts'
import { contactWrites } from './contacts.ts'
import { migrate } from './migrations.ts'
import { organizationWrites } from './organizations.ts'
import { createUpkeep } from './upkeep.ts'

it('moves a long log into the database and brings every contact into the index, step by step', () => {
  const folder = mkdtempSync(join(tmpdir(), 'natter-test-'))
  const db = openDatabase({ file: join(folder, 'store.db'), busyTimeoutMs: 1, durable: true })
  migrate(db)
  const bot = newBot('acme')
  organizationWrites(db).createOrganization({ id: 'acme', name: 'Acme', createdAt: '' })
  organizationWrites(db).createBot(bot)
  const { createContact } = contactWrites(db)
  const upkeep = createUpkeep(db, true)
  const pages = () => {
    const row = db.prepare('PRAGMA wal_checkpoint(NOOP)').get()
    return Number(row?.['log']) - Number(row?.['checkpointed'])
  }
  for (let count = 0; pages() < 2000; count++)
    createContact({ organizationId: 'acme', botId: bot.id }, newContact(`Ada ${count}`))
  expect(upkeep.step()).toBe(true)
  expect(pages()).toBe(0)
  while (upkeep.step());
  expect(pages()).toBeLessThan(1000)
  expect(db.prepare('SELECT count(*) AS n FROM unindexed').get()?.['n']).toBe(0)
  expect(upkeep.isBehind()).toBe(false)
  db.close()
  rmSync(folder, { recursive: true })
})
