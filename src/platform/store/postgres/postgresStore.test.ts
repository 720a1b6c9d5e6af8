import { describe, expect, inject, it, onTestFinished } from 'vitest'
import { scale } from '../../../testScale.ts'
import {
  countDeadlocks,
  countLockWaits,
  createDatabase,
  createStoreDatabase,
  startPostgres,
} from '../../testing/postgresServer.ts'
import { search } from '../../testing/store/listingSuite.ts'
import { newEntry, openNodes, openSession, spread } from '../../testing/store/postgresNodes.ts'
import { describeStore } from '../../testing/store/storeSuite.ts'
import {
  at,
  createTestTenants,
  newAnswer,
  newContact,
  newMessage,
  sendAsAgent,
  shuffled,
  signIn,
  smallLimits,
} from '../../testing/store/storeTenants.ts'
import { createTcpProxy } from '../../testing/tcpProxy.ts'
import { monotonicMs, runInContext } from '../callContext.ts'
import { StoreBusyError, StoreUnavailableError } from '../store.ts'
import { createPostgresStore } from './postgresStore.ts'

const newUrl = () => createStoreDatabase(inject('postgres'))
const unavailable = { status: 'rejected', reason: expect.any(StoreUnavailableError) }

describeStore('createPostgresStore', async () => createPostgresStore({ url: await newUrl(), limits: smallLimits }))

describe('nodes on one PostgreSQL', () => {
  it('let only one of a hundred contacts have an email, on whichever node they are created', async () => {
    const { nodes, store, ours } = await openNodes(2)
    const email = 'race@example.com'
    const results = await spread(nodes, 100, node => node.createContact(ours, newContact('Ada', { email })))
    const { contacts, total } = await search(store, ours)
    expect(total).toBe(1)
    const taken = results.filter(result => typeof result === 'object' && 'taken' in result)
    expect(taken).toEqual(Array(99).fill({ taken: { contactId: contacts[0]?.id } }))
  })

  it('can upsert the same contacts concurrently in any order, without a deadlock', async () => {
    const { url, nodes, store, ours, close } = await openNodes(2)
    const { upserts, entries } = scale.concurrentUpserts
    const emails = Array.from({ length: entries * 1.5 }, (_, index) => `${index}@example.com`)
    const results = await spread(nodes, upserts, (node, index) =>
      node.upsertContacts(ours, shuffled(emails, index).slice(0, entries).map(newEntry)),
    )
    for (const result of results) expect(result).toMatchObject({ replayed: false })
    expect((await search(store, ours)).total).toBe(emails.length)
    await close()
    expect(await countDeadlocks(url)).toBe(0)
  })

  it('number the messages of a conversation without gaps, and answer each turn once', async () => {
    const { nodes, store, ours } = await openNodes(3)
    const { hash, messages } = await signIn(store, ours)
    await spread(nodes, 60, (node, index) => node.appendVisitorMessage(hash, newMessage(`${index}`)))
    const seqs = (await messages()).map(({ seq }) => seq)
    expect(seqs).toEqual(Array.from({ length: 60 }, (_, index) => index + 1))
    const leased = await Promise.all(nodes.map((node, index) => node.leaseTurns(`${index}`, at(4), at(9), 5)))
    expect(leased.flat()).toHaveLength(1)
  })
})

describe('an agent who writes while the contact is being deleted or changed', () => {
  it('does not wait for that transaction, which may wait for the conversation; and neither does a purge', async () => {
    const { url, store, ours } = await openNodes()
    const { contact, conversationId, messages } = await signIn(store, ours)
    await openSession(url, `BEGIN; SELECT id FROM contacts WHERE id = '${contact.id}' FOR UPDATE`)
    const sent = await sendAsAgent(store, ours, { contactId: contact.id }, newAnswer(), at(9))
    expect(sent).toMatchObject({ value: { conversationId, repeated: false } })
    await store.purge({ now: at(20), endedBefore: at(0), lastMessageBefore: at(10) })
    expect(await messages()).toEqual([])
  })

  it('finds no conversation once the contact is deleted', async () => {
    const { url, store, ours } = await openNodes()
    const contact = newContact('Ada')
    await store.createContact(ours, contact)
    const contactId = contact.id
    const holder = await openSession(url, `BEGIN; DELETE FROM contacts WHERE id = '${contactId}'`)
    const sent = sendAsAgent(store, ours, { contactId }, newAnswer(), at(9))
    await expect.poll(() => countLockWaits(url)).toBe(1)
    await holder.query('COMMIT')
    expect(await sent).toBe('not_found')
  })
})

describe('createPostgresStore', () => {
  it('reports that it is unavailable while PostgreSQL is, and recovers by itself with all acknowledged writes', async () => {
    const postgres = await startPostgres({ isDurable: true })
    onTestFinished(postgres.remove)
    const store = await createPostgresStore({ url: await createDatabase(postgres.url) })
    onTestFinished(store.close)
    const { hash, messages, send } = await signIn(store, (await createTestTenants(store)).ours)
    const acknowledged: string[] = []
    let killed: Promise<void> | undefined
    const write = async () => {
      for (;;) {
        const message = newMessage('hello')
        await store.appendVisitorMessage(hash, message)
        if (acknowledged.push(message.id) === 100) killed = postgres.kill()
      }
    }
    expect(await Promise.allSettled([write(), write(), write()])).toMatchObject(Array(3).fill(unavailable))
    await expect(store.ping()).rejects.toThrow(StoreUnavailableError)
    await killed
    await postgres.start()
    await store.ping()
    const stored = (await messages()).map(({ id }) => id)
    expect(stored).toEqual(expect.arrayContaining(acknowledged))
    expect(await send('again')).toMatchObject({ repeated: false })
  })

  it('gives up on a stalled connection, and recovers when it works again', async () => {
    const line = await createTcpProxy(await newUrl())
    onTestFinished(line.close)
    const store = await createPostgresStore({ url: line.url })
    onTestFinished(store.close)
    const { hash, messages, send } = await signIn(store, (await createTestTenants(store)).ours)
    line.cut()
    const message = newMessage('hello')
    const lost = runInContext({ owner: 'o', deadline: monotonicMs() + 1_000 }, () => [
      send('', message),
      store.findSession(hash),
      store.ping(),
    ])
    expect(await Promise.allSettled<unknown>(lost)).toMatchObject(Array(3).fill(unavailable))
    line.mend()
    expect(await send('', message)).toMatchObject({ message: { seq: 1 } })
    expect(await messages()).toHaveLength(1)
  })

  it('delays an organization with very many calls, but neither others nor the sweep', async () => {
    const { store, ours, otherOrganization } = await openNodes()
    let answered = 0
    const greedy = Promise.allSettled(
      Array.from({ length: 200 }, () => search(store, ours, 'ada').then(() => answered++)),
    )
    const live = { conversations: [], hashes: ['h'], now: at(5) }
    const answers = [search(store, otherOrganization, 'ada'), store.sweep(live)]
    for (const answer of answers) expect(await answer.then(() => answered)).toBeLessThan(20)
    const refused = (await greedy).flatMap(outcome => (outcome.status === 'rejected' ? [outcome.reason] : []))
    expect(refused.length).toBeGreaterThan(90)
    for (const error of refused) expect(error).toBeInstanceOf(StoreBusyError)
  })

  it('names a database that it cannot open, and shows no password', async () => {
    const nowhere = createPostgresStore({ url: 'postgres://natter:geheim@127.0.0.1:1/none' })
    await expect(nowhere).rejects.toThrow(/127\.0\.0\.1:1\/none/)
    await expect(nowhere).rejects.not.toThrow(/geheim/)
  })
})
