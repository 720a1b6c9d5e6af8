import { expect, it } from 'vitest'
import { newBot } from '../../testing/store/storeTenants.ts'
import { organizations } from '../queries/organizations.ts'
import { purge } from '../queries/purge.ts'
import { createDatabase, openDatabase } from './connection.ts'
import { migrate } from './migrations.ts'

it('deletes no more of each kind in a step than the limit, and reports when nothing is left', async () => {
  const db = openDatabase({ file: ':memory:', busyTimeoutMs: 1, durable: false })
  migrate(db)
  const bot = newBot('acme')
  const database = createDatabase(db)
  const { createOrganization, createBot } = organizations(database)
  await createOrganization({ id: 'acme', name: 'Acme', createdAt: '' })
  await createBot(bot)
  const numbers = 'WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 25)'
  db.exec(`
    ${numbers} INSERT INTO sessions (hash, bot_id, conversation_id, created_at, expires_at)
      SELECT 'hash' || n, '${bot.id}', 'conversation' || n, '', '2029-01-01' FROM numbers;
    ${numbers} INSERT INTO idempotency (bot_id, key_hash, body_hash, attempt, expires_at)
      SELECT '${bot.id}', 'key' || n, '', 0, '2030-01-01' FROM numbers;
    ${numbers} INSERT INTO turn_log (bot_id, conversation_id, begun_at, of_day)
      SELECT '${bot.id}', '', '2029-01-01', n FROM numbers;
  `)
  const tables = ['sessions', 'idempotency', 'turn_log']
  const left = () => tables.map(table => db.prepare(`SELECT count(*) AS count FROM ${table}`).get()?.['count'])
  const { purgeSome } = purge(database, 10)
  const step = () => purgeSome({ now: '2031-01-01T00:00:00.000Z', endedBefore: '2030-12-01T00:00:00.000Z' })
  expect([await step(), left()]).toEqual([true, [15, 15, 15]])
  expect([await step(), left()]).toEqual([true, [5, 5, 5]])
  expect([await step(), left()]).toEqual([false, [0, 0, 0]])
  db.close()
})
