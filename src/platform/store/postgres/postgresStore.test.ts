import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { scale } from '../../../testScale.ts'
import {
  countDeadlocks,
  countLockWaits,
  createDatabase,
  createStoreDatabase,
  execute,
  startPostgres,
} from '../../testing/postgresServer.ts'
import { maxCounted } from '../../testing/store/listingSuite.ts'
import { describeStore } from '../../testing/store/storeSuite.ts'
import { at, createTestTenants, newContact, newMessage, shuffled, signIn } from '../../testing/store/storeTenants.ts'
import { createTcpProxy } from '../../testing/tcpProxy.ts'
import { monotonicMs, runInContext } from '../callContext.ts'
import { defaultSearchLimits } from '../database.ts'
import { type Store, StoreBusyError, StoreUnavailableError, type UpsertEntry } from '../store.ts'
import { createPostgresStore } from './postgresStore.ts'

const server = inject('postgres')
const newUrl = () => createStoreDatabase(server)

describeStore('createPostgresStore', async () =>
  createPostgresStore({ url: await newUrl(), searchLimits: { ...defaultSearchLimits, maxCounted } }),
)

/** That many nodes on one database. */
async function openNodes(count: number, url?: string): Promise<[Store, ...Store[]]> {
  const shared = url ?? (await newUrl())
  const nodes = await Promise.all(Array.from({ length: count }, () => createPostgresStore({ url: shared })))
  onTestFinished(async () => {
    await Promise.all(nodes.map(node => node.close()))
  })
  return nodes as [Store, ...Store[]]
}

/** Runs the function that many times concurrently, on the nodes in turn. */
function spread<Result>(
  nodes: [Store, ...Store[]],
  count: number,
  run: (node: Store, index: number) => Promise<Result>,
): Promise<Result[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => run(nodes[index % nodes.length] ?? nodes[0], index)))
}

function entry(email: string): UpsertEntry {
  return { id: randomUUID(), name: 'Ada', email, emailKey: email, createdAt: at(5), updatedAt: at(5) }
}

describe('nodes on one PostgreSQL', () => {
  it('can all start concurrently on an empty database', async () => {
    const nodes = await openNodes(8, await createDatabase(server))
    await Promise.all(nodes.map((node, index) => node.createOrganization({ id: `${index}`, name: 'N', createdAt: '' })))
    expect(await nodes[0].listOrganizations()).toHaveLength(8)
  })

  it('let only one of a hundred contacts have an email, on whichever node they are created', async () => {
    const nodes = await openNodes(2)
    const { ours } = await createTestTenants(nodes[0])
    const email = 'race@example.com'
    const results = await spread(nodes, 100, node => node.createContact(ours, newContact('Ada', { email })))
    const winner = await nodes[0].searchContacts(ours, { words: [{ name: 'ada', rest: 'ada' }], page: 1, limit: 9 })
    if (winner === 'not_found') throw new Error(winner)
    expect(winner.total).toBe(1)
    const taken = results.filter(result => typeof result === 'object' && 'taken' in result)
    expect(taken).toEqual(Array(99).fill({ taken: { contactId: winner.contacts[0]?.id } }))
  })

  it('can upsert the same contacts concurrently in any order, without a deadlock', async () => {
    const url = await newUrl()
    const nodes = await openNodes(2, url)
    const { ours } = await createTestTenants(nodes[0])
    const { upserts, entries } = scale.concurrentUpserts
    const emails = Array.from({ length: entries * 1.5 }, (_, index) => `${index}@example.com`)
    const results = await spread(nodes, upserts, (node, index) =>
      node.upsertContacts(ours, shuffled(emails, index).slice(0, entries).map(entry)),
    )
    for (const result of results) expect(result).toMatchObject({ replayed: false })
    const all = { words: [], page: 1, limit: 1 }
    expect(await nodes[0].searchContacts(ours, all)).toMatchObject({ total: emails.length })
    await Promise.all(nodes.map(node => node.close()))
    expect(await countDeadlocks(url)).toBe(0)
  })

  it('number the messages of a conversation without gaps, and answer each turn once', async () => {
    const nodes = await openNodes(3)
    const { ours } = await createTestTenants(nodes[0])
    const { hash, conversationId } = await signIn(nodes[0], ours)
    await spread(nodes, 60, (node, index) => node.appendVisitorMessage(hash, newMessage(`${index}`)))
    const messages = await nodes[0].listMessages(conversationId, { limit: 100 })
    expect(messages.map(({ seq }) => seq)).toEqual(Array.from({ length: 60 }, (_, index) => index + 1))
    const leased = await Promise.all(nodes.map((node, index) => node.leaseTurns(`${index}`, at(4), at(9), 5)))
    expect(leased.flat()).toHaveLength(1)
  })

  it('see immediately that a session has ended', async () => {
    const [one, two = one] = await openNodes(2)
    const { ours } = await createTestTenants(one)
    const { hash } = await signIn(one, ours)
    await two.endSession(ours.botId, hash, 'revoked', at(5))
    expect(await one.appendVisitorMessage(hash, newMessage('hello'))).toBe('ended')
  })
})

describe('an agent who writes while the contact is being deleted or changed', () => {
  /** What a node does to the contact's row, before it commits. */
  async function holdContact(url: string, contactId: string, text: string): Promise<Client> {
    const client = new Client({ connectionString: url })
    await client.connect()
    await client.query('BEGIN')
    await client.query(text, [contactId])
    return client
  }
  const which = (contactId: string) => ({ contactId, newConversationId: randomUUID() })
  const newAnswer = () => newMessage('hello', { author: 'agent' })

  it('does not wait for that transaction, which may wait for the conversation; and neither does a purge', async () => {
    const url = await newUrl()
    const [node] = await openNodes(1, url)
    const { ours } = await createTestTenants(node)
    const { contact, conversationId } = await signIn(node, ours)
    const holder = await holdContact(url, contact.id, 'SELECT id FROM contacts WHERE id = $1 FOR UPDATE')
    onTestFinished(() => holder.end())
    const sent = await node.appendAgentMessage(ours, which(contact.id), newAnswer(), at(9))
    expect(sent).toMatchObject({ conversationId, repeated: false })
    await node.purge({ now: at(20), endedBefore: at(0), lastMessageBefore: at(10) })
    expect(await node.listMessages(conversationId, { limit: 9 })).toEqual([])
  })

  it('finds no conversation once the contact is deleted', async () => {
    const url = await newUrl()
    const [node] = await openNodes(1, url)
    const { ours } = await createTestTenants(node)
    const contact = newContact('Ada')
    await node.createContact(ours, contact)
    const holder = await holdContact(url, contact.id, 'DELETE FROM contacts WHERE id = $1')
    onTestFinished(() => holder.end())
    const sent = node.appendAgentMessage(ours, which(contact.id), newAnswer(), at(9))
    await expect.poll(() => countLockWaits(url)).toBe(1)
    await holder.query('COMMIT')
    expect(await sent).toBe('not_found')
  })
})

describe('createPostgresStore', () => {
  it('reports that it is unavailable while PostgreSQL is, and recovers by itself with all acknowledged writes', async () => {
    const postgres = await startPostgres({ isDurable: true })
    onTestFinished(postgres.remove)
    const url = await createDatabase(postgres.url)
    const [store] = await openNodes(1, url)
    const { ours } = await createTestTenants(store)
    const { hash, conversationId } = await signIn(store, ours)
    const acknowledged: string[] = []
    let killed: Promise<void> | undefined
    const write = async () => {
      for (;;) {
        const message = newMessage('hello')
        await store.appendVisitorMessage(hash, message)
        if (acknowledged.push(message.id) === 100) killed = postgres.kill()
      }
    }
    const outcomes = await Promise.allSettled([write(), write(), write()])
    for (const outcome of outcomes)
      expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(StoreUnavailableError) })
    await expect(store.ping()).rejects.toThrow(StoreUnavailableError)
    await killed
    await postgres.start()
    await store.ping()
    const stored = (await store.listMessages(conversationId, { limit: 1000 })).map(({ id }) => id)
    expect(stored).toEqual(expect.arrayContaining(acknowledged))
    expect(await store.appendVisitorMessage(hash, newMessage('again'))).toMatchObject({ repeated: false })
  })

  it('gives up on a stalled connection, and recovers when it works again', async () => {
    const line = await createTcpProxy(await newUrl())
    onTestFinished(line.close)
    const store = await createPostgresStore({ url: line.url })
    onTestFinished(store.close)
    const { ours } = await createTestTenants(store)
    const { hash, conversationId } = await signIn(store, ours)
    line.cut()
    const message = newMessage('hello')
    const lost = runInContext({ owner: 'o', deadline: monotonicMs() + 1_000 }, () => [
      store.appendVisitorMessage(hash, message),
      store.findSession(hash),
      store.ping(),
    ])
    for (const outcome of await Promise.allSettled(lost))
      expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(StoreUnavailableError) })
    line.mend()
    expect(await store.appendVisitorMessage(hash, message)).toMatchObject({ message: { seq: 1 } })
    expect(await store.listMessages(conversationId, { limit: 9 })).toHaveLength(1)
  })

  it('delays an organization with very many calls, but neither others nor the sweep', async () => {
    const [store] = await openNodes(1)
    const { ours, otherOrganization } = await createTestTenants(store)
    const search = { words: [{ name: 'ada', rest: 'ada' }], page: 1, limit: 1 }
    let answered = 0
    const greedy = Promise.allSettled(
      Array.from({ length: 200 }, () => store.searchContacts(ours, search).then(() => answered++)),
    )
    const live = { conversations: [], hashes: ['h'], now: at(5) }
    const answers = [store.searchContacts(otherOrganization, search), store.sweep(live)]
    for (const answer of answers) expect(await answer.then(() => answered)).toBeLessThan(20)
    const refused = (await greedy).flatMap(outcome => (outcome.status === 'rejected' ? [outcome.reason] : []))
    expect(refused.length).toBeGreaterThan(90)
    for (const error of refused) expect(error).toBeInstanceOf(StoreBusyError)
  })

  it('refuses a database of another program, and shows no password', async () => {
    const [theirs, newer] = [await createDatabase(server), await newUrl()]
    await execute(theirs, 'CREATE TABLE contacts (id int)')
    await expect(createPostgresStore({ url: theirs })).rejects.toThrow(/relation "contacts" already exists/)
    await (await createPostgresStore({ url: newer })).close()
    await execute(newer, 'UPDATE natter_schema SET version = 999')
    await expect(createPostgresStore({ url: newer })).rejects.toThrow(/newer version/)
    const nowhere = createPostgresStore({ url: 'postgres://natter:geheim@127.0.0.1:1/none' })
    await expect(nowhere).rejects.toThrow(/127\.0\.0\.1:1\/none/)
    await expect(nowhere).rejects.not.toThrow(/geheim/)
  })
})
