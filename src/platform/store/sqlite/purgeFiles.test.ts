import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { uploadFile } from '../../testing/store/files.ts'
import { at, createTestTenants, newMessage, newSession } from '../../testing/store/storeTenants.ts'
import { purge } from '../queries/purge.ts'
import { createDatabase, openDatabase } from './connection.ts'
import { createSqliteStore } from './sqliteStore.ts'

/** The file of a closed store with an anonymous conversation of 12 messages, each with a file. */
async function fill(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'natter-purge-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'natter.db')
  const store = await createSqliteStore({ file })
  const { ours } = await createTestTenants(store)
  const session = newSession()
  await store.createVisitorSession(ours.botId, session)
  for (let count = 0; count < 12; count++) {
    const id = await uploadFile(store, { sessionHash: session.hash })
    await store.appendVisitorMessage(session.hash, { ...newMessage(''), files: [{ id, name: 'a.png' }] })
  }
  await store.close()
  return file
}

it.each([
  ['of a session that has ended', { now: at(1e6), endedBefore: at(1e6) }],
  ['of an inactive conversation', { now: at(9), endedBefore: at(0), lastMessageBefore: at(9) }],
])('each transaction of a purge deletes five files at most: %s', async (_, limits) => {
  const db = openDatabase({ file: await fill(), busyTimeoutMs: 1, durable: true })
  const { purgeSome } = purge(createDatabase(db))
  const count = () => Number(db.prepare('SELECT count(*) AS n FROM attachments').get()?.['n'])
  const left = [count()]
  while (await purgeSome(limits)) left.push(count())
  left.push(count())
  db.close()
  expect(left.at(-1)).toBe(0)
  for (const [index, files] of left.entries()) expect((left[index - 1] ?? 12) - files).toBeLessThanOrEqual(5)
})
