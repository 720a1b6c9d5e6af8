import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { countDeadlocks, countLockWaits, createStoreDatabase, execute } from '../../testing/postgresServer.ts'
import { fileBytes, newUpload, storedAs } from '../../testing/store/files.ts'
import { describeOverload } from '../../testing/store/overloadSuite.ts'
import {
  at,
  createTestTenants,
  newContact,
  newMessage,
  newRequest,
  newSession,
  shuffled,
  signIn,
} from '../../testing/store/storeTenants.ts'
import { monotonicMs, runInContext } from '../callContext.ts'
import type { Queries } from '../database.ts'
import { type Store, StoreUnavailableError, type UpsertEntry } from '../store.ts'
import { postgresDialect } from './dialect.ts'
import { createPostgresStore } from './postgresStore.ts'

const newUrl = () => createStoreDatabase(inject('postgres'))

describeOverload('createPostgresStore while another session holds a lock', async () => {
  const url = await newUrl()
  return {
    // With three connections, one large upsert of an organization runs at a time.
    store: await createPostgresStore({ url: `${url}?connections=3` }),
    async block() {
      const other = new Client({ connectionString: url })
      await other.connect()
      await other.query('BEGIN; LOCK TABLE contacts IN EXCLUSIVE MODE')
      return () => other.end()
    },
  }
})

/** Two nodes on one database. */
async function openNodes(url: string): Promise<[Store, Store]> {
  const nodes = [await createPostgresStore({ url }), await createPostgresStore({ url })] as [Store, Store]
  onTestFinished(async () => {
    await Promise.all(nodes.map(node => node.close()))
  })
  return nodes
}

/** Does it so many times at the same moment, on one node after the other. */
function spread<Result>(
  nodes: [Store, Store],
  count: number,
  run: (node: Store, n: number) => Promise<Result>,
): Promise<Result[]> {
  return Promise.all(Array.from({ length: count }, (_, n) => run(nodes[n % nodes.length] ?? nodes[0], n)))
}

function entry(email: string): UpsertEntry {
  return { id: randomUUID(), name: 'Ada', email, emailKey: email, createdAt: at(5), updatedAt: at(5) }
}

it('carries out no write of a single statement whose caller has been refused', async () => {
  const url = await newUrl()
  const store = await createPostgresStore({ url })
  onTestFinished(() => store.close())
  const { ours } = await createTestTenants(store)
  const [existing, visitor] = [newSession(), newSession()]
  await store.createVisitorSession(ours.botId, existing)
  const other = new Client({ connectionString: url })
  await other.connect()
  await other.query('BEGIN; LOCK TABLE sessions, organizations IN EXCLUSIVE MODE')
  const id = randomUUID()
  const refused = runInContext({ owner: 'o', deadline: monotonicMs() + 300 }, () => [
    store.createVisitorSession(ours.botId, visitor),
    store.extendSession(existing.hash, at(5000), at(6)),
    store.endSession(ours.botId, existing.hash, 'revoked', at(6)),
    store.createOrganization({ id, name: 'Late', createdAt: at(6) }),
  ]).map(call => expect(call).rejects.toThrow(StoreUnavailableError))
  await Promise.all(refused)
  await other.end()
  const busy = `SELECT count(*)::int AS n FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'natter' AND state <> 'idle'`
  await expect.poll(() => execute(url, busy)).toEqual([{ n: 0 }])
  expect(await store.findSession(visitor.hash)).toBeNull()
  expect(await store.findSession(existing.hash)).toMatchObject({ expiresAt: existing.expiresAt, ended: null })
  expect((await store.listOrganizations()).filter(organization => organization.id === id)).toEqual([])
})

it('lets a change of an email have its turn though one upsert after the other shares the lock', async () => {
  const url = await newUrl()
  const [first, mover, second] = await Promise.all(
    Array.from({ length: 3 }, async () => {
      const client = new Client({ connectionString: url })
      await client.connect()
      onTestFinished(() => client.end())
      await client.query('BEGIN')
      const order = (mode: 'shared' | 'exclusive') =>
        postgresDialect().lockEmails(queriesOf(client), { organizationId: 'o', botId: 'b' }, mode)
      return { client, lock: order }
    }),
  )
  if (!first || !mover || !second) throw new Error('There is no client.')
  const waiting = (count: number) => expect.poll(() => countLockWaits(url)).toBe(count)
  const granted: string[] = []
  await first.lock('shared')
  const moved = mover.lock('exclusive').then(() => granted.push('mover'))
  await waiting(1)
  const upserted = second.lock('shared').then(() => granted.push('second upsert'))
  await waiting(2)
  await first.client.query('COMMIT')
  await moved
  expect(granted).toEqual(['mover'])
  await mover.client.query('COMMIT')
  await upserted
})

/** Statements of a connection of its own. */
function queriesOf(client: Client): Queries {
  const all = async <Row extends object>(text: string, values: unknown[] = []) =>
    (await client.query(text, values)).rows as Row[]
  return { all, one: async (text, values) => (await all(text, values))[0] as never }
}

describe('nodes that write the same contacts on one PostgreSQL', () => {
  it('upsert emails that move between contacts meanwhile, without a deadlock or a refusal', async () => {
    const url = await newUrl()
    const nodes = await openNodes(url)
    const { ours } = await createTestTenants(nodes[0])
    const emails = Array.from({ length: 12 }, (_, n) => `moving-${n}@example.com`)
    const contacts = emails.map(email => newContact('Ada', { email }))
    for (const contact of contacts) await nodes[0].createContact(ours, contact)
    const move = async (node: Store, n: number) => {
      const email = n % 3 === 0 ? `away-${n}@example.com` : (emails[(n * 7) % 12] ?? '')
      const scope = { ...ours, contactId: contacts[n % 12]?.id ?? '' }
      return node.updateContact(scope, { email, emailKey: email, updatedAt: at(6) })
    }
    const moving = spread(nodes, 120, move)
    const upserts = spread(nodes, 96, (node, n) => node.upsertContacts(ours, shuffled(emails, n).map(entry)))
    for (const result of await upserts) expect(result).toMatchObject({ replayed: false })
    await moving
    for (const node of nodes) await node.close()
    expect(await countDeadlocks(url)).toBe(0)
  })

  it('neither lease nor lock a turn of a bot that another transaction has locked, and lease those of others', async () => {
    const url = await newUrl()
    const [node] = await openNodes(url)
    const { ours, sibling } = await createTestTenants(node)
    const [session, other] = [newSession(), newSession()]
    await node.createVisitorSession(ours.botId, session)
    await node.createVisitorSession(sibling.botId, other)
    await node.appendVisitorMessage(session.hash, newMessage('first'))
    await node.appendVisitorMessage(other.hash, newMessage('to the other bot'))
    // Another node that leases turns, or `setVisitors`, in two steps.
    const holder = new Client({ connectionString: url })
    await holder.connect()
    onTestFinished(() => holder.end())
    await holder.query(`BEGIN; SELECT id FROM bots WHERE id = '${ours.botId}' FOR NO KEY UPDATE`)
    expect(await node.leaseTurns('owner', at(20), at(30), 16)).toMatchObject([{ botId: sibling.botId }])
    expect(await node.leaseTurns('owner', at(20), at(30), 16)).toEqual([])
    expect(await node.appendVisitorMessage(session.hash, newMessage('second'))).toMatchObject({ repeated: false })
    await holder.query(`UPDATE sessions SET ended_at = '${at(20)}' WHERE bot_id = '${ours.botId}'; COMMIT`)
    expect(await node.leaseTurns('owner', at(20), at(30), 16)).toMatchObject([{ botId: ours.botId }])
  })

  it('do not keep a bot locked while they read the conversations of its turns', async () => {
    const url = await newUrl()
    const [node] = await openNodes(url)
    const { ours } = await createTestTenants(node)
    const session = newSession()
    await node.createVisitorSession(ours.botId, session)
    await node.appendVisitorMessage(session.hash, newMessage('first'))
    const holder = new Client({ connectionString: url })
    await holder.connect()
    onTestFinished(() => holder.end())
    await holder.query('BEGIN; LOCK TABLE contacts IN ACCESS EXCLUSIVE MODE')
    const leasing = node.leaseTurns('owner', at(20), at(30), 16)
    await expect.poll(() => execute(url, 'SELECT owner FROM turns')).toEqual([{ owner: 'owner' }])
    await holder.query('COMMIT')
    expect(await leasing).toMatchObject([{ botId: ours.botId, messages: [{ text: 'first' }] }])
  })

  it('repeat a token while its contact is being deleted, without a deadlock', async () => {
    const url = await newUrl()
    const nodes = await openNodes(url)
    const { ours } = await createTestTenants(nodes[0])
    for (let round = 0; round < 30; round++) {
      const { contact, scope } = await signIn(nodes[0], ours)
      const requests = [newRequest(), newRequest()]
      const create = (node: Store, n: number) =>
        node.createContactSession(ours, { contactId: contact.id }, newSession(), requests[n % 2])
      await spread(nodes, 2, create)
      const [deleted] = await Promise.all([nodes[0].deleteContact(scope, at(5)), spread(nodes, 8, create)])
      expect(deleted).not.toBe('not_found')
    }
    for (const node of nodes) await node.close()
    expect(await countDeadlocks(url)).toBe(0)
  })

  it('store files and messages while contacts are deleted and uploads are purged, without a deadlock', async () => {
    const url = await newUrl()
    const nodes = await openNodes(url)
    const { ours } = await createTestTenants(nodes[0])
    const people = await Promise.all(Array.from({ length: 6 }, () => signIn(nodes[0], ours)))
    const send = async (node: Store, n: number): Promise<string> => {
      const { hash = '' } = people[n % 6] ?? {}
      const upload = newUpload({ limits: { ofConversation: 1e9, ofBot: 1e9 } })
      const begun = await node.beginUpload({ sessionHash: hash }, upload)
      if (typeof begun === 'string' || 'contentHash' in begun) return String(begun)
      const attempt = { ...begun, id: upload.id, attemptId: upload.attemptId }
      await node.appendUpload(attempt, 0, fileBytes)
      await node.completeUpload({ sessionHash: hash }, attempt, storedAs(upload.id), at(4))
      const sent = await node.appendVisitorMessage(hash, {
        ...newMessage(''),
        files: [{ id: upload.id, name: 'a.png' }],
      })
      return typeof sent === 'string' ? sent : 'sent'
    }
    const sent = spread(nodes, 120, send)
    const deleted = spread(nodes, 24, async (node, n) => {
      if (n % 4 > 0) return node.purge({ now: at(1e6), endedBefore: at(0) })
      for (let isIncomplete = true; isIncomplete; ) {
        const result = await node.deleteContact({ ...ours, contactId: people[n / 4]?.contact.id ?? '' }, at(5))
        isIncomplete = typeof result === 'object' && result.isIncomplete
      }
    })
    for (const outcome of await sent) expect(outcome).toMatch(/^(sent|ended|file_missing)$/)
    await deleted
    for (const table of ['attachments', 'attachment_parts'])
      expect(await execute(url, `SELECT count(*)::int AS n FROM ${table}`)).toEqual([{ n: 0 }])
    for (const node of nodes) await node.close()
    expect(await countDeadlocks(url)).toBe(0)
  })
})
