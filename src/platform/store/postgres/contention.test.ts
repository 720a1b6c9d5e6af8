import { randomUUID } from 'node:crypto'
import type { Client } from 'pg'
import { describe, expect, inject, it } from 'vitest'
import { countDeadlocks, countLockWaits, createStoreDatabase, execute } from '../../testing/postgresServer.ts'
import { attemptOf, fileBytes, newUpload, storedAs } from '../../testing/store/files.ts'
import { describeOverload } from '../../testing/store/overloadSuite.ts'
import { newEntry, openNodes, openSession, spread } from '../../testing/store/postgresNodes.ts'
import {
  at,
  newContact,
  newMessage,
  newRequest,
  newSession,
  shuffled,
  signIn,
  visit,
} from '../../testing/store/storeTenants.ts'
import { monotonicMs, runInContext } from '../callContext.ts'
import type { Queries } from '../database.ts'
import { type Store, StoreUnavailableError } from '../store.ts'
import { postgresDialect } from './dialect.ts'
import { createPostgresStore } from './postgresStore.ts'

describeOverload('createPostgresStore while another session holds a lock', async () => {
  const url = await createStoreDatabase(inject('postgres'))
  return {
    // With three connections, one large upsert of an organization runs at a time.
    store: await createPostgresStore({ url: `${url}?connections=3` }),
    async block() {
      const other = await openSession(url, 'BEGIN; LOCK TABLE contacts IN EXCLUSIVE MODE')
      return () => other.end()
    },
  }
})

it('carries out no write of a single statement whose caller has been refused', async () => {
  const { url, store, ours } = await openNodes()
  const [existing, visitor] = [await visit(store, ours), newSession()]
  const other = await openSession(url, 'BEGIN; LOCK TABLE sessions, organizations IN EXCLUSIVE MODE')
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
  const url = await createStoreDatabase(inject('postgres'))
  const open = async () => {
    const client = await openSession(url)
    const lock = (mode: 'shared' | 'exclusive') =>
      postgresDialect().lockEmails(queriesOf(client), { organizationId: 'o', botId: 'b' }, mode)
    return { client, lock }
  }
  const [first, mover, second] = [await open(), await open(), await open()]
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
    const { url, nodes, ours, close } = await openNodes(2)
    const emails = Array.from({ length: 12 }, (_, n) => `moving-${n}@example.com`)
    const contacts = emails.map(email => newContact('Ada', { email }))
    for (const contact of contacts) await nodes[0].createContact(ours, contact)
    const move = async (node: Store, n: number) => {
      const email = n % 3 === 0 ? `away-${n}@example.com` : (emails[(n * 7) % 12] ?? '')
      const scope = { ...ours, contactId: contacts[n % 12]?.id ?? '' }
      return node.updateContact(scope, { email, emailKey: email, updatedAt: at(6) })
    }
    const moving = spread(nodes, 120, move)
    const upserts = spread(nodes, 96, (node, n) => node.upsertContacts(ours, shuffled(emails, n).map(newEntry)))
    for (const result of await upserts) expect(result).toMatchObject({ replayed: false })
    await moving
    await close()
    expect(await countDeadlocks(url)).toBe(0)
  })

  it('neither lease nor lock a turn of a bot that another transaction has locked, and lease those of others', async () => {
    const { url, store, ours, sibling } = await openNodes()
    const [visitor, other] = [await visit(store, ours), await visit(store, sibling)]
    for (const { send } of [visitor, other]) await send('first')
    // Another node that leases turns, or `setVisitors`, in two steps.
    const holder = await openSession(url, `BEGIN; SELECT id FROM bots WHERE id = '${ours.botId}' FOR NO KEY UPDATE`)
    const lease = () => store.leaseTurns('owner', at(20), at(30), 16)
    expect(await lease()).toMatchObject([{ botId: sibling.botId }])
    expect(await lease()).toEqual([])
    expect(await visitor.send('second')).toMatchObject({ repeated: false })
    await holder.query(`UPDATE sessions SET ended_at = '${at(20)}' WHERE bot_id = '${ours.botId}'; COMMIT`)
    expect(await lease()).toMatchObject([{ botId: ours.botId }])
  })

  it('do not keep a bot locked while they read the conversations of its turns', async () => {
    const { url, store, ours } = await openNodes()
    await (await visit(store, ours)).send('first')
    const holder = await openSession(url, 'BEGIN; LOCK TABLE contacts IN ACCESS EXCLUSIVE MODE')
    const leasing = store.leaseTurns('owner', at(20), at(30), 16)
    await expect.poll(() => execute(url, 'SELECT owner FROM turns')).toEqual([{ owner: 'owner' }])
    await holder.query('COMMIT')
    expect(await leasing).toMatchObject([{ botId: ours.botId, messages: [{ text: 'first' }] }])
  })

  it('repeat a token while its contact is being deleted, without a deadlock', async () => {
    const { url, nodes, ours, close } = await openNodes(2)
    for (let round = 0; round < 30; round++) {
      const { contact, scope } = await signIn(nodes[0], ours)
      const requests = [newRequest(), newRequest()]
      const create = (node: Store, n: number) =>
        node.createContactSession(ours, { contactId: contact.id }, newSession(), requests[n % 2])
      await spread(nodes, 2, create)
      const [deleted] = await Promise.all([nodes[0].deleteContact(scope, at(5)), spread(nodes, 8, create)])
      expect(deleted).not.toBe('not_found')
    }
    await close()
    expect(await countDeadlocks(url)).toBe(0)
  })

  it('do not confirm an address that the visitor leaves while the owner of another one uses the link', async () => {
    const { url, store, ours } = await openNodes()
    const { hash, conversationId, send } = await visit(store, ours)
    await send()
    const leave = (emailHash: string) =>
      store.leaveEmail(hash, { email: `${emailHash}@example.com`, emailHash, mailboxHash: emailHash, at: at(5) })
    await leave('own')
    const link = { hash: 'link', at: at(6) }
    await store.beginConfirmation({ conversationId, emailHash: 'own' }, link)
    const holder = await openSession(
      url,
      `BEGIN; SELECT id FROM conversations WHERE id = '${conversationId}' FOR UPDATE`,
    )
    const left = leave('stranger')
    await expect.poll(() => countLockWaits(url)).toBe(1)
    const confirmed = store.confirmEmail(link.hash, { at: at(7), since: at(0) })
    await expect.poll(() => countLockWaits(url)).toBe(2)
    await holder.query('COMMIT')
    expect([await left, await confirmed]).toEqual(['left', null])
    expect((await store.findPerson(conversationId, at(9)))?.email).toMatchObject({ isConfirmed: false })
  })

  it('store files and messages while contacts are deleted and uploads are purged, without a deadlock', async () => {
    const { url, nodes, ours, close } = await openNodes(2)
    const people = await Promise.all(Array.from({ length: 6 }, () => signIn(nodes[0], ours)))
    const send = async (node: Store, n: number): Promise<string> => {
      const { hash = '' } = people[n % 6] ?? {}
      const upload = newUpload({ limits: { ofConversation: 1e9, ofBot: 1e9 } })
      const begun = await node.beginUpload({ sessionHash: hash }, upload)
      if (typeof begun === 'string' || 'contentHash' in begun) return String(begun)
      const attempt = attemptOf(begun.conversationId, upload)
      await node.appendUpload(attempt, 0, fileBytes)
      await node.completeUpload({ sessionHash: hash }, attempt, storedAs(upload.id), at(4))
      const message = { ...newMessage(''), files: [{ id: upload.id, name: 'a.png' }] }
      const sent = await node.appendVisitorMessage(hash, message)
      return typeof sent === 'string' ? sent : 'sent'
    }
    const sent = spread(nodes, 120, send)
    const deleted = spread(nodes, 24, async (node, n) => {
      if (n % 4 > 0) return node.purge({ now: at(1e6), endedBefore: at(0) })
      for (let isIncomplete = true; isIncomplete; ) {
        const result = await node.deleteContact({ ...ours, contactId: people[n / 4]?.contact.id ?? '' }, at(5))
        isIncomplete = typeof result === 'object' && result.value.isIncomplete
      }
    })
    for (const outcome of await sent) expect(outcome).toMatch(/^(sent|ended|file_missing)$/)
    await deleted
    for (const table of ['attachments', 'attachment_parts'])
      expect(await execute(url, `SELECT count(*)::int AS n FROM ${table}`)).toEqual([{ n: 0 }])
    await close()
    expect(await countDeadlocks(url)).toBe(0)
  })
})
