import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, inject, it } from 'vitest'
import { createDatabase, execute } from '../testing/postgresServer.ts'
import { readFile, uploadFile } from '../testing/store/files.ts'
import { search } from '../testing/store/listingSuite.ts'
import {
  at,
  collectEvents,
  createTestTenants,
  newAnswer,
  newContact,
  newMessage,
  newRequest,
  newToken,
  signIn,
  visit,
} from '../testing/store/storeTenants.ts'
import { createTemporaryFolder } from '../testing/temporaryFolder.ts'
import { copiedTables, copyDatabase } from './copyDatabase.ts'
import { createPostgresStore } from './postgres/postgresStore.ts'
import { createSqliteStore } from './sqlite/sqliteStore.ts'
import type { Store } from './store.ts'

const fileId = '33333333-3333-4333-8333-333333333333'
const folder = createTemporaryFolder()

/** A file with rows in every table. */
async function createFile(name: string, thousandContacts = 3) {
  const file = join(folder, name)
  const store = await createSqliteStore({ file })
  const { ours, otherOrganization } = await createTestTenants(store)
  await collectEvents(store, ours)
  await store.updateBot(ours.botId, { limits: { turnsPerDay: 5 } })
  await store.createOrganizationToken(newToken(ours.organizationId, { dev: true, lastUsedAt: at(1) }))
  const [ada, visitor] = [await signIn(store, ours), await visit(store, ours)]
  await store.setContactAttributes(ada.scope, { plan: 'pro “1”', vip: true })
  for (const { send } of [ada, visitor]) await send('“hello” 👩‍🚀\n\\', { claimed: { cart: 3, 'page.path': '/é' } })
  await uploadFile(store, { sessionHash: ada.hash }, fileId)
  await ada.send('See', { files: [{ id: fileId, name: 'a.png' }] })
  await store.leaseTurns('me', at(4), at(9), 1)
  const sources = [{ title: 'A', url: 'https://a.example/' }]
  await ada.answer(newAnswer('a\0b', { quickReplies: ['Yes', 'No'], sources }), at(99))
  const request = newRequest()
  const polish = newContact('Łukasz')
  await store.createContact(otherOrganization, polish, request)
  const entries = Array.from({ length: 1000 }, (_, index) => newContact(`N${index}`))
  for (let n = 0; n < thousandContacts; n++)
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
  // It takes 25 s on a quiet machine.
  it('copies everything, among it 100 000 contacts, and a server of the copy continues where the file ended', {
    timeout: 180_000,
  }, async () => {
    const { file, ours, otherOrganization, ada, visitor, request, polish } = await createFile('whole.db', 100)
    const url = await createDatabase(server)
    const progress: string[] = []
    const rows = await copyDatabase({
      from: file,
      to: url,
      onTable: (table, count) => void progress.push(`${table} ${count}`),
    })
    expect(rows).toBeGreaterThan(100_010)
    expect(progress).toEqual(expect.arrayContaining(['contacts 100002', 'organizations 2']))
    const seen = (store: Store) =>
      Promise.all([
        store.listOrganizations(),
        store.listBots(),
        store.listOrganizationTokens(),
        store.exportContact(ada.scope),
        store.findSession(visitor.hash),
        store.findFile({ sessionHash: ada.hash }, fileId, at(9)),
        readFile(store, ada.conversationId, fileId).then(bytes => bytes.toString('hex')),
        store.listConversations(ours, { limit: 9 }),
        search(store, ours, '', { page: 2, limit: 5 }),
        search(store, otherOrganization, 'lukasz', { limit: 9 }),
        search(store, ours, 'n99', { page: 2, limit: 20 }),
      ])
    const before = await withStore(createSqliteStore({ file }), seen)
    const after = await withStore(createPostgresStore({ url }), async store => {
      const seenThere = await seen(store)
      expect(await store.createContact(otherOrganization, newContact('Ł'), request)).toMatchObject({
        value: { id: polish.id },
        replayed: true,
      })
      await store.appendVisitorMessage(ada.hash, newMessage('again', { createdAt: at(100) }))
      expect(await store.leaseTurns('me', at(100), at(109), 9)).toHaveLength(2)
      const limits = { all: 99, perQueue: 99, except: [], emails: true }
      const types = (await store.leaseDeliveries('me', at(200), at(300), limits)).map(({ event }) => event.type)
      expect(types).toEqual([
        ...['conversation.created', 'message.created', 'conversation.created', 'message.created', 'message.created'],
        ...['session.ended', 'message.created'],
      ])
      return seenThere
    })
    expect(after).toEqual(JSON.parse(JSON.stringify(before).replaceAll('\\u0000', '\ufffd')))
  })

  it('knows every table, and finds in the file every column that it does not compute', async () => {
    const url = await createDatabase(server)
    await (await createPostgresStore({ url })).close()
    const there = await execute(
      url,
      `SELECT table_name AS name, column_name AS "column" FROM information_schema.columns
       WHERE table_schema = 'public' AND table_name NOT IN ('natter_schema', 'contact_counts')`,
    )
    expect(new Set(there.map(({ name }) => name))).toEqual(new Set(copiedTables))
    const file = join(folder, 'columns.db')
    await (await createSqliteStore({ file })).close()
    const db = new DatabaseSync(file, { readOnly: true })
    const known = copiedTables.flatMap(name => {
      const columns = db.prepare('SELECT name FROM pragma_table_info(?)').all(name)
      return columns.map(column => `${name}.${column['name']}`)
    })
    db.close()
    // The number by which the file finds a contact.
    const ofFile = ['contacts.number']
    const copied = there.map(({ name, column }) => `${name}.${column}`)
    expect([...copied, ...ofFile].sort()).toEqual(known.sort())
  })

  it('leaves the file unchanged', async () => {
    const { file } = await createFile('untouched.db')
    // Opening it as a store would change it immediately.
    const db = new DatabaseSync(file)
    db.exec('PRAGMA journal_mode = DELETE')
    db.close()
    const before = readFileSync(file)
    await copyDatabase({ from: file, to: await createDatabase(server) })
    expect(readFileSync(file).equals(before)).toBe(true)
  })

  it('refuses a file that is not a Natter database', async () => {
    const file = join(folder, 'other.db')
    writeFileSync(file, '')
    const copied = copyDatabase({ from: file, to: await createDatabase(server) })
    await expect(copied).rejects.toThrow(`Cannot open the database ${file}: This file is no database of Natter.`)
    expect(readFileSync(file)).toHaveLength(0)
  })

  it('keeps nothing if a row does not arrive', async () => {
    const { file } = await createFile('changed.db')
    const url = await createDatabase(server)
    await (await createPostgresStore({ url })).close()
    await execute(
      url,
      `CREATE FUNCTION drop_row() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
       CREATE TRIGGER drop_row BEFORE INSERT ON sessions FOR EACH ROW WHEN (new.contact_id IS NULL) EXECUTE FUNCTION drop_row()`,
    )
    await expect(copyDatabase({ from: file, to: url })).rejects.toThrow(/Only \d of \d rows of sessions have arrived/)
    expect(await execute(url, 'SELECT 1 FROM organizations')).toEqual([])
  })

  it('refuses a database that is not empty', async () => {
    const { file } = await createFile('twice.db')
    const url = await createDatabase(server)
    await withStore(createPostgresStore({ url }), createTestTenants)
    const { host, pathname } = new URL(url)
    const message = `The database ${host}${pathname} holds data already. Copy into an empty one.`
    await expect(copyDatabase({ from: file, to: url })).rejects.toThrow(message)
  })
})
