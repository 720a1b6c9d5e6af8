import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, describe, expect, inject, it, onTestFinished } from 'vitest'
import { createDatabase, execute } from '../../testing/postgresServer.ts'
import { fillOrganization, readOrganization } from '../../testing/store/fillOrganization.ts'
import {
  at,
  createTestTenants,
  newContact,
  newMessage,
  newRequest,
  newSession,
  signIn,
} from '../../testing/store/storeTenants.ts'
import { isPostgres } from '../postgres/address.ts'
import { openPostgresMoveDatabase } from '../postgres/moveDatabase.ts'
import { createPostgresStore } from '../postgres/postgresStore.ts'
import { openSqliteMoveDatabase } from '../sqlite/moveDatabase.ts'
import { createSqliteStore } from '../sqlite/sqliteStore.ts'
import { OrganizationMovingError, type Store } from '../store.ts'
import { abandonMove, copyOrganization, finishMove, type OrganizationMove } from './moveOrganization.ts'
import { tables } from './tables.ts'

const folder = mkdtempSync(join(tmpdir(), 'natter-copy-'))
afterAll(() => rmSync(folder, { recursive: true }))
let files = 0
const newFile = async () => join(folder, `${++files}.db`)
const newAddress = () => createDatabase(inject('postgres'))
const ignore = (): void => {}

async function openStore(database: string): Promise<Store> {
  const store = await (isPostgres(database)
    ? createPostgresStore({ url: database })
    : createSqliteStore({ file: database }))
  onTestFinished(store.close)
  return store
}

/** Runs with both databases, as a command does. */
async function withDatabases<Result>(
  { from, to, organizationId }: Record<'from' | 'to' | 'organizationId', string>,
  use: (move: OrganizationMove) => Promise<Result>,
): Promise<Result> {
  const open = async (side: string) =>
    isPostgres(side) ? openPostgresMoveDatabase(side, ignore) : openSqliteMoveDatabase(side)
  const move = { organizationId, from: await open(from), to: await open(to) }
  try {
    return await use(move)
  } finally {
    await Promise.all([move.from.close(), move.to.close()])
  }
}

async function select(database: string, sql: string): Promise<unknown[]> {
  if (isPostgres(database)) return (await execute(database, sql)).flatMap(Object.values)
  const db = new DatabaseSync(database, { readOnly: true })
  try {
    return db.prepare(sql).all().flatMap(Object.values)
  } finally {
    db.close()
  }
}

/** How many rows of the organization each table holds. */
async function countRows(database: string, organizationId: string): Promise<Record<string, number>> {
  const counts = tables.map(async ({ name, ofOrganization }) => {
    const where = ofOrganization.replace('$1', `'${organizationId}'`)
    const [count] = await select(database, `SELECT count(*) AS count FROM ${name} WHERE ${where}`)
    return [name, Number(count)] as const
  })
  return Object.fromEntries(await Promise.all(counts))
}

const guards = (database: string) =>
  select(
    database,
    isPostgres(database)
      ? `SELECT tgname FROM pg_trigger WHERE tgname LIKE 'natter_guard%'`
      : `SELECT name FROM sqlite_schema WHERE name LIKE 'natter_guard%'`,
  )

describe.each([
  { name: 'a file into a file', newSource: newFile, newTarget: newFile },
  { name: 'a file into PostgreSQL', newSource: newFile, newTarget: newAddress },
  { name: 'PostgreSQL into PostgreSQL', newSource: newAddress, newTarget: newAddress },
  { name: 'PostgreSQL into a file', newSource: newAddress, newTarget: newFile },
])('an organization that is moved from $name', ({ newSource, newTarget }) => {
  async function setUp() {
    const [from, to] = [await newSource(), await newTarget()]
    const source = await openStore(from)
    const { ours, otherOrganization } = await createTestTenants(source)
    const filled = await fillOrganization(source, ours)
    const other = await fillOrganization(source, otherOrganization)
    return { source, filled, other, where: { from, to, organizationId: ours.organizationId } }
  }

  it('takes everything along and nothing of others, and is open where it went', async () => {
    const { source, filled, other, where } = await setUp()
    const before = await readOrganization(source, filled)
    const counts = await countRows(where.from, where.organizationId)
    for (const [table, count] of Object.entries(counts)) expect(count, table).toBeGreaterThan(0)
    const said: string[] = []
    const rows = await withDatabases(where, move =>
      copyOrganization(move, {
        onProgress: ({ table, copied, total }) => void said.push(`${table} ${copied}/${total}`),
      }),
    )
    expect(rows).toBe(Object.values(counts).reduce((sum, count) => sum + count, 0))
    expect(said).toEqual(expect.arrayContaining(['contacts 1000/1003', 'contacts 1003/1003', 'organizations 1/1']))
    expect(await countRows(where.to, where.organizationId)).toEqual(counts)
    expect(await select(where.to, 'SELECT id FROM organizations')).toEqual([where.organizationId])

    const target = await openStore(where.to)
    expect(await readOrganization(target, filled)).toEqual(before)
    for (const closed of [source, target]) {
      const late = closed.appendVisitorMessage(filled.person.hash, newMessage('late'))
      await expect(late).rejects.toBeInstanceOf(OrganizationMovingError)
      expect(await readOrganization(closed, filled)).toEqual(before)
    }
    await source.appendVisitorMessage(other.person.hash, newMessage('meanwhile'))

    await withDatabases(where, move => finishMove(move, ignore))
    expect(await target.createContact(filled.scope, newContact('Grace'), filled.request)).toMatchObject({
      replayed: { id: filled.grace.id },
    })
    const { keyedUpsert, erased } = filled
    expect(await target.upsertContacts(filled.scope, keyedUpsert.entries, keyedUpsert.request)).toMatchObject({
      replayed: true,
    })
    expect(await target.createContact(filled.scope, erased.contact, erased.request)).toBe('not_found')
    expect(await target.appendVisitorMessage(filled.person.hash, newMessage('again'))).toMatchObject({
      repeated: false,
    })
    expect(await target.leaseTurns('me', at(100), at(109), 9)).toHaveLength(2)
    expect(Object.values(await countRows(where.from, where.organizationId)).every(count => count === 0)).toBe(true)
    expect((await readOrganization(source, other)).contact?.messages).toHaveLength(3)
    for (const database of [where.from, where.to]) expect(await guards(database)).toEqual([])
    if (isPostgres(where.from))
      expect(
        await select(where.from, 'SELECT number FROM contact_counts WHERE bot_id NOT IN (SELECT id FROM bots)'),
      ).toEqual([])
  })

  it('refuses every kind of write while reading, purging and the work for others go on', async () => {
    const { source, filled, other, where } = await setUp()
    await withDatabases(where, move => copyOrganization(move, { onProgress: ignore }))
    const { scope, person, visitor, waiting, token } = filled
    const { id } = person.contact
    const writes = {
      createContact: () => source.createContact(scope, newContact('Ada')),
      updateContact: () => source.updateContact(person.scope, { name: 'B', updatedAt: at(9) }),
      upsertContacts: () => source.upsertContacts(scope, [newContact('Ada')]),
      deleteContact: () => source.deleteContact(person.scope, at(9)),
      createContactSession: () => source.createContactSession(scope, { contactId: id }, newSession()),
      createVisitorSession: () => source.createVisitorSession(scope.botId, newSession()),
      endSession: () => source.endSession(scope.botId, visitor.hash, 'logged_out', at(9)),
      appendVisitorMessage: () => source.appendVisitorMessage(person.hash, newMessage('late')),
      markRead: () => source.markRead(person.hash, 1, at(9)),
      handBack: () => source.handBack(scope, { conversationId: waiting.conversationId }, at(9)),
      requestHandover: () => source.requestHandover(visitor.hash, { at: at(9), until: at(99) }),
      refusedWithKey: () => source.createContact(scope, newContact('X', { email: person.contact.email }), newRequest()),
      updateBot: () => source.updateBot(scope.botId, { name: 'B' }),
      revokeOrganizationTokens: () => source.revokeOrganizationTokens({ prefix: token.prefix }, at(9)),
    }
    for (const [name, write] of Object.entries(writes))
      await expect(write(), name).rejects.toThrow('The organization is being moved to another database.')
    await source.touchOrganizationToken(token.hash, at(9))
    await source.extendSession(visitor.hash, at(2000), at(9))
    expect((await source.leaseTurns('me', at(100), at(109), 1)).map(({ botId }) => botId)).toEqual([other.scope.botId])
    const limits = { all: 99, perBot: 99, except: [] }
    const bots = (await source.leaseDeliveries('me', at(200), at(300), limits)).map(({ event }) => event.botId)
    expect(new Set(bots)).toEqual(new Set([other.scope.botId]))
    expect(await source.expireHandovers(at(500), 9)).toEqual([other.waiting.conversationId])
    await source.purge({ now: at(5000), endedBefore: at(5000), lastMessageBefore: at(5000) })
    expect(await source.listMessages(person.conversationId, { limit: 9 })).toEqual([])
  })

  it('stays where it was after --abandon, which deletes the copy', async () => {
    const { source, filled, where } = await setUp()
    const before = await readOrganization(source, filled)
    await withDatabases(where, move => copyOrganization(move, { onProgress: ignore }))
    await withDatabases(where, move => abandonMove(move, ignore))
    expect(await select(where.to, 'SELECT id FROM contacts')).toEqual([])
    expect(await readOrganization(source, filled)).toEqual(before)
    expect(await source.markRead(filled.person.hash, 1, at(9))).toBe(1)
    for (const database of [where.from, where.to]) expect(await guards(database)).toEqual([])
    await expect(withDatabases(where, move => finishMove(move, ignore))).rejects.toThrow('holds no copied organization')
    await withDatabases(where, move => copyOrganization(move, { onProgress: ignore }))
  })

  it('leaves nothing behind where another row has an id of its own, and takes writes as before', async () => {
    const { source, filled, where } = await setUp()
    const target = await openStore(where.to)
    const theirs = await createTestTenants(target)
    await target.createVisitorSession(theirs.ours.botId, newSession({ conversationId: filled.person.conversationId }))
    const copied = withDatabases(where, move => copyOrganization(move, { onProgress: ignore }))
    await expect(copied).rejects.toThrow('holds a row in conversations with the id of one that is to be copied')
    expect(await countRows(where.to, where.organizationId)).toMatchObject({ organizations: 0, contacts: 0, bots: 0 })
    expect(await source.markRead(filled.person.hash, 1, at(9))).toBe(1)
    await signIn(target, theirs.ours)
  })

  it('takes writes again when a copy that was killed has not been heard of', async () => {
    const { source, filled, where } = await setUp()
    await withDatabases(where, async ({ organizationId, from, to }) => {
      await to.setState(organizationId, 'arriving')
      await to.guardTables()
      await from.setState(organizationId, 'copying', 600_000)
      await from.guardTables()
    })
    const again = withDatabases(where, move => copyOrganization(move, { onProgress: ignore }))
    await expect(again).rejects.toThrow('Try again in a minute')
    // The lease ends: nobody renews it.
    await withDatabases(where, ({ organizationId, from }) => from.setState(organizationId, 'copying', 1))
    await expect
      .poll(() => source.markRead(filled.person.hash, 1, at(9)).catch(error => error.name), { timeout: 20_000 })
      .toBe(1)
    await withDatabases(where, move => copyOrganization(move, { onProgress: ignore }))
  })

  it('leaves no state and no guard after a killed copy, once servers have purged both databases', async () => {
    const { source, filled, where } = await setUp()
    await withDatabases(where, async ({ organizationId, from, to }) => {
      await to.setState(organizationId, 'arriving')
      await to.guardTables()
      await from.setState(organizationId, 'copying', 0)
      await from.guardTables()
    })
    for (const store of [source, await openStore(where.to)]) await store.purge({ now: at(0), endedBefore: at(0) })
    for (const database of [where.from, where.to]) {
      expect(await select(database, 'SELECT state FROM organization_moves')).toEqual([])
      expect(await guards(database)).toEqual([])
    }
    expect(await source.markRead(filled.person.hash, 1, at(9))).toBe(1)
  })

  it('stays closed when servers purge both databases of a copy that is done', async () => {
    const { source, filled, where } = await setUp()
    await withDatabases(where, move => copyOrganization(move, { onProgress: ignore }))
    const target = await openStore(where.to)
    for (const store of [source, target]) {
      await store.purge({ now: at(0), endedBefore: at(0) })
      await expect(store.markRead(filled.person.hash, 1, at(9))).rejects.toBeInstanceOf(OrganizationMovingError)
    }
  })
})
