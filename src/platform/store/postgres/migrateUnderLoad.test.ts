import { randomUUID } from 'node:crypto'
import { expect, inject, it } from 'vitest'
import { createDatabase, execute } from '../../testing/postgresServer.ts'
import { nextVersion } from '../../testing/store/migrations.ts'
import { at, createTestTenants, newContact, newMessage, signIn } from '../../testing/store/storeTenants.ts'
import { migrate } from './migrate.ts'
import { createPostgresStore } from './postgresStore.ts'

const isLong = process.env['NATTER_TEST_LONG'] === '1'
const rows = isLong ? 1_000_000 : 20_000
/** The longest that a request may wait for a migration. */
const longestMs = 1_000

it(`keeps no request waiting while a table of ${rows} rows is migrated`, { timeout: 600_000 }, async () => {
  const url = await createDatabase(inject('postgres'))
  const store = await createPostgresStore({ url })
  const { ours } = await createTestTenants(store)
  const people = await Promise.all(Array.from({ length: 4 }, () => signIn(store, ours)))
  await execute(
    url,
    `INSERT INTO conversations (id, bot_id, created_at, last_seq)
     SELECT 'v' || n, '${ours.botId}', '${at(0)}', 100 FROM generate_series(1, ${rows / 100}) n;
     INSERT INTO messages (conversation_id, seq, id, author, text, format, created_at)
     SELECT 'v' || (n / 100 + 1), n % 100, n::text, 'visitor', repeat('a', n % 100), 'text', '${at(1)}'
     FROM generate_series(0, ${rows - 1}) n; ANALYZE`,
  )

  let [isOver, count, slowest] = [false, 0, { method: '', ms: 0 }]
  async function time(method: string, call: () => Promise<unknown>): Promise<void> {
    const began = performance.now()
    await call()
    const ms = performance.now() - began
    count++
    if (ms > slowest.ms) slowest = { method, ms }
  }
  const clients = people.map(async ({ hash, conversationId, scope }) => {
    for (let n = 1; !isOver; n++) {
      await time('appendVisitorMessage', () => store.appendVisitorMessage(hash, newMessage(`message ${n}`)))
      await time('listMessages', () => store.listMessages(conversationId, { limit: 20 }))
      await time('createContact', () => store.createContact(ours, newContact('Ada', { email: `${randomUUID()}@a.b` })))
      await time('exportContact', () => store.exportContact(scope))
    }
  })
  const began = performance.now()
  await migrate({ url, migrations: nextVersion, onProgress: () => {} })
  const seconds = Math.round((performance.now() - began) / 1000)
  isOver = true
  await Promise.all(clients)
  await store.close()
  if (isLong)
    console.log(`${seconds} s, ${count} calls; the slowest was ${slowest.method}: ${Math.round(slowest.ms)} ms`)
  expect(count).toBeGreaterThan(20)
  expect(slowest.ms, slowest.method).toBeLessThan(longestMs)
})
