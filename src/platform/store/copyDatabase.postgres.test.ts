import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, describe, expect, inject, it } from 'vitest'
import { createDatabase, execute } from '../testing/postgresServer.ts'
import { readFile, uploadFile } from '../testing/store/files.ts'
import {
  at,
  createTestTenants,
  newContact,
  newMessage,
  newRequest,
  newSession,
  signIn,
} from '../testing/store/storeTenants.ts'
import { copyDatabase } from './copyDatabase.ts'
import { tables } from './moves/tables.ts'
import { searchColumnsOf } from './postgres/copiedRows.ts'
import { createPostgresStore } from './postgres/postgresStore.ts'
import { openSqliteMoveDatabase } from './sqlite/moveDatabase.ts'
import { createSqliteStore } from './sqlite/sqliteStore.ts'
import type { Store } from './store.ts'

const fileId = '33333333-3333-4333-8333-333333333333'
const folder = mkdtempSync(join(tmpdir(), 'natter-copy-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** A file with rows in every table. */
async function createFile(name: string) {
  const file = join(folder, name)
  const store = await createSqliteStore({ file })
  const { ours, otherOrganization } = await createTestTenants(store)
  await store.updateBot(ours.botId, {
    events: { url: 'https://example.com', secret: 'whsec_a' },
    limits: { turnsPerDay: 5 },
  })
  const token = { hash: 'h', prefix: 'o_12345678', organizationId: ours.organizationId, dev: true }
  await store.createOrganizationToken({ ...token, createdAt: at(0), lastUsedAt: at(1), revokedAt: null })
  const ada = await signIn(store, ours)
  const visitor = newSession()
  await store.createVisitorSession(ours.botId, visitor)
  await store.setContactAttributes(ada.scope, { plan: 'pro “1”', vip: true })
  for (const hash of [ada.hash, visitor.hash])
    await store.appendVisitorMessage(hash, {
      ...newMessage('“hello” 👩‍🚀\n\\'),
      claimed: { cart: 3, 'page.path': '/é' },
    })
  await uploadFile(store, { sessionHash: ada.hash }, fileId)
  await store.appendVisitorMessage(ada.hash, { ...newMessage('See'), files: [{ id: fileId, name: 'a.png' }] })
  await store.leaseTurns('me', at(4), at(9), 1)
  const reply = newMessage('a\0b', {
    author: 'agent',
    quickReplies: ['Yes', 'No'],
    sources: [{ title: 'A', url: 'https://a.example/' }],
  })
  await store.appendAgentMessage(ours, { conversationId: ada.conversationId, newConversationId: '' }, reply, at(99))
  const request = newRequest()
  const polish = newContact('Łukasz')
  await store.createContact(otherOrganization, polish, request)
  const entries = Array.from({ length: 1000 }, (_, index) => newContact(`N${index}`))
  for (let n = 0; n < 3; n++)
    await store.upsertContacts(
      ours,
      entries.map(row => ({ ...row, id: `${n}${row.id}`, emailKey: `${n}${row.emailKey}` })),
    )
  await store.endSession(ours.botId, visitor.hash, 'logged_out', at(7))
  await store.close()
  return { file, ours, otherOrganization, ada, visitor, request, polish }
}

async function withStore<Result>(store: Promise<Store>, use: (store: Store) => Promise<Result>): Promise<Result> {
  const opened = await store
  try {
    return await use(opened)
  } finally {
    await opened.close()
  }
}

const server = inject('postgres')

describe('copyDatabase', () => {
  it('copies everything, and a server of the copy continues where the file ended', async () => {
    const { file, ours, otherOrganization, ada, visitor, request, polish } = await createFile('whole.db')
    const url = await createDatabase(server)
    const progress: string[] = []
    const rows = await copyDatabase({
      from: file,
      to: url,
      onProgress: ({ table, copied, total }) => void progress.push(`${table} ${copied}/${total}`),
      onWait() {},
    })
    expect(rows).toBeGreaterThan(3010)
    expect(progress).toEqual(expect.arrayContaining(['contacts 1000/3002', 'contacts 3002/3002', 'organizations 2/2']))
    const seen = (store: Store) =>
      Promise.all([
        store.listOrganizations(),
        store.listBots(),
        store.listOrganizationTokens(),
        store.exportContact(ada.scope),
        store.findSession(visitor.hash),
        store.findFile({ sessionHash: ada.hash }, fileId),
        readFile(store, ada.conversationId, fileId).then(bytes => bytes.toString('hex')),
        store.listConversations(ours, { limit: 9 }),
        store.searchContacts(ours, { text: { name: '', rest: '' }, page: 2, limit: 5 }),
        store.searchContacts(otherOrganization, { text: { name: 'lukasz', rest: 'lukasz' }, page: 1, limit: 9 }),
        store.searchContacts(ours, { text: { name: 'n99', rest: 'n99' }, page: 2, limit: 20 }),
      ])
    const before = await withStore(createSqliteStore({ file }), seen)
    const after = await withStore(createPostgresStore({ url }), async store => {
      const seenThere = await seen(store)
      expect(await store.createContact(otherOrganization, newContact('Ł'), request)).toMatchObject({
        replayed: { id: polish.id },
      })
      await store.appendVisitorMessage(ada.hash, newMessage('again', { createdAt: at(100) }))
      expect(await store.leaseTurns('me', at(100), at(109), 9)).toHaveLength(2)
      const limits = { all: 99, perBot: 99, except: [] }
      const types = (await store.leaseDeliveries('me', at(200), at(300), limits)).map(({ event }) => event.type)
      expect(types).toEqual([
        ...['conversation.created', 'message.created', 'conversation.created', 'message.created', 'message.created'],
        ...['session.ended', 'message.created'],
      ])
      return seenThere
    })
    expect(after).toEqual(JSON.parse(JSON.stringify(before).replaceAll('\\u0000', '\ufffd')))
  })

  it('knows every column of every table', async () => {
    const url = await createDatabase(server)
    await (await createPostgresStore({ url })).close()
    const there = await execute(
      url,
      `SELECT table_name || '.' || column_name AS name FROM information_schema.columns
       WHERE table_schema = 'public' AND table_name NOT IN ('natter_schema', 'quotas', 'organization_moves', 'contact_counts')`,
    )
    const known = tables.flatMap(table =>
      [...table.columns, ...searchColumnsOf(table)].map(column => `${table.name}.${column}`),
    )
    expect(there.map(({ name }) => name).sort()).toEqual(known.sort())
  })

  it('knows every column of every table of a file', async () => {
    const file = join(folder, 'columns.db')
    await (await createSqliteStore({ file })).close()
    const db = new DatabaseSync(file, { readOnly: true })
    const there = db
      .prepare(
        `SELECT m.name || '.' || c.name AS name FROM sqlite_schema m JOIN pragma_table_info(m.name) c
         WHERE m.type = 'table' AND m.name NOT LIKE 'contact_search%' AND m.name <> 'search_index_queue'
           AND m.name NOT LIKE 'sqlite_%' AND m.name <> 'organization_moves'`,
      )
      .all()
      .map(({ name }) => String(name))
    db.close()
    // Made anew in the database that is copied to.
    const derived = ['bots.number', 'bots.contact_count', 'contacts.number']
    const known = tables.flatMap(({ name, columns }) => columns.map(column => `${name}.${column}`))
    expect(there.sort()).toEqual([...known, ...derived].sort())
  })

  it('leaves the file unchanged', async () => {
    const { file } = await createFile('untouched.db')
    // Opening it as a store would change it immediately.
    const db = new DatabaseSync(file)
    db.exec('PRAGMA journal_mode = DELETE')
    db.close()
    const before = readFileSync(file)
    await copyDatabase({ from: file, to: await createDatabase(server), onProgress() {}, onWait() {} })
    expect(readFileSync(file).equals(before)).toBe(true)
  })

  it('refuses a file that is not a Natter database', async () => {
    const file = join(folder, 'other.db')
    writeFileSync(file, '')
    const copied = copyDatabase({ from: file, to: await createDatabase(server), onProgress() {}, onWait() {} })
    await expect(copied).rejects.toThrow(`Cannot open the database ${file}: This file is no database of Natter.`)
    expect(readFileSync(file)).toHaveLength(0)
  })

  it('rolls back if a row does not arrive unchanged', async () => {
    const { file } = await createFile('changed.db')
    const url = await createDatabase(server)
    await (await createPostgresStore({ url })).close()
    await execute(
      url,
      `CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN new.text := 'other'; RETURN new; END $$;
       CREATE TRIGGER spoil BEFORE INSERT ON messages FOR EACH ROW EXECUTE FUNCTION spoil()`,
    )
    await expect(copyDatabase({ from: file, to: url, onProgress() {}, onWait() {} })).rejects.toThrow(
      /messages is not what was/,
    )
    expect(await execute(url, 'SELECT 1 FROM organizations')).toEqual([])
  })

  it('has no time limit, whatever the limits of the role or the database', async () => {
    const { file } = await createFile('slow.db')
    const url = await createDatabase(server)
    await (await createPostgresStore({ url })).close()
    await execute(
      url,
      `CREATE TABLE limits AS SELECT name, setting FROM pg_settings LIMIT 0;
       CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         INSERT INTO limits SELECT name, setting FROM pg_settings WHERE name LIKE '%_timeout' AND source = 'session';
         RETURN new;
       END $$;
       CREATE TRIGGER note BEFORE INSERT ON bots FOR EACH ROW EXECUTE FUNCTION note()`,
    )
    await copyDatabase({ from: file, to: url, onProgress() {}, onWait() {} })
    const limits = await execute(url, `SELECT DISTINCT name FROM limits WHERE setting <> '0'`)
    expect(limits).toEqual([])
    expect(await execute(url, 'SELECT DISTINCT name FROM limits ORDER BY name')).toEqual(
      ['idle_in_transaction_session_timeout', 'lock_timeout', 'statement_timeout'].map(name => ({ name })),
    )
  })

  it('copies a file that a killed move has left, and refuses one with an organization that is being moved', async () => {
    const { file, ours } = await createFile('moved.db')
    const database = openSqliteMoveDatabase(file)
    await database.setState(ours.organizationId, 'copying', 0)
    await database.guardTables()
    await copyDatabase({ from: file, to: await createDatabase(server), onProgress() {}, onWait() {} })
    await database.setState(ours.organizationId, 'copied')
    await database.close()
    const copied = copyDatabase({ from: file, to: await createDatabase(server), onProgress() {}, onWait() {} })
    await expect(copied).rejects.toThrow('An organization of it is being moved')
  })

  it('refuses a database that is not empty', async () => {
    const { file } = await createFile('twice.db')
    const url = await createDatabase(server)
    await withStore(createPostgresStore({ url }), createTestTenants)
    const { host, pathname } = new URL(url)
    const message = `The database ${host}${pathname} holds data already. Copy into an empty one.`
    await expect(copyDatabase({ from: file, to: url, onProgress() {}, onWait() {} })).rejects.toThrow(message)
  })
})
