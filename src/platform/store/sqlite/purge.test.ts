import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { uploadFile } from '../../testing/store/files.ts'
import { at, createTestTenants, newBot, visit } from '../../testing/store/storeTenants.ts'
import { createTemporaryFolder } from '../../testing/temporaryFolder.ts'
import { organizations } from '../queries/organizations.ts'
import { purge } from '../queries/purge.ts'
import { createDatabase, openDatabase } from './connection.ts'
import { migrate } from './migrations.ts'
import { createSqliteStore } from './sqliteStore.ts'

function open(file: string) {
  const db = openDatabase({ file, busyTimeoutMs: 1, durable: false })
  onTestFinished(() => db.close())
  return db
}

it('deletes no more of each kind in a step than the limit, and reports when nothing is left', async () => {
  const db = open(':memory:')
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
})

/** The file of a closed store with an anonymous conversation of 12 messages, each with a file. */
async function fill(): Promise<string> {
  const file = join(createTemporaryFolder(), 'natter.db')
  const store = await createSqliteStore({ file })
  const { hash, send } = await visit(store, (await createTestTenants(store)).ours)
  for (let count = 0; count < 12; count++)
    await send('', { files: [{ id: await uploadFile(store, { sessionHash: hash }), name: 'a.png' }] })
  await store.close()
  return file
}

it.each([
  ['of a session that has ended', { now: at(1e6), endedBefore: at(1e6) }],
  ['of an inactive conversation', { now: at(9), endedBefore: at(0), lastMessageBefore: at(9) }],
])('deletes five files at most in each transaction: %s', async (_, limits) => {
  const db = open(await fill())
  const { purgeSome } = purge(createDatabase(db), 500)
  const count = () => Number(db.prepare('SELECT count(*) AS n FROM attachments').get()?.['n'])
  const left = [count()]
  while (await purgeSome(limits)) left.push(count())
  left.push(count())
  expect(left.at(-1)).toBe(0)
  for (const [index, files] of left.entries()) expect((left[index - 1] ?? 12) - files).toBeLessThanOrEqual(5)
})
