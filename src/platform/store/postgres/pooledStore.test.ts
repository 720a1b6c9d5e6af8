import { randomUUID } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest'
import { createStoreDatabase } from '../../testing/postgresServer.ts'
import { fileBytes, readFile, uploadFile } from '../../testing/store/files.ts'
import {
  at,
  createTestTenants,
  newContact,
  newMessage,
  signIn,
  type TestTenants,
} from '../../testing/store/storeTenants.ts'
import { connect, type PostgresDatabase } from './connection.ts'
import { storeOf } from './postgresStore.ts'

// Behind a proxy that pools transactions, the next transaction may have the connection of another client. Every statement
// is then sent unprepared, and nothing may be left in a connection. The rest is the same as without a proxy.
describe('a store behind a proxy that pools transactions leaves nothing in a connection', () => {
  let db: PostgresDatabase
  let tenants: TestTenants
  beforeEach(async () => {
    db = await connect(`${await createStoreDatabase(inject('postgres'))}?connections=1&pooler=transaction`)
    tenants = await createTestTenants(storeOf(db))
  })
  afterEach(async () => {
    try {
      expect(
        await db.one(
          `SELECT (SELECT count(*) FROM pg_prepared_statements)::int AS statements,
             (SELECT count(*) FROM pg_settings WHERE source = 'session')::int AS settings,
             (SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'advisory')::int AS locks,
             (SELECT count(*) FROM pg_listening_channels())::int AS channels,
             (SELECT count(*) FROM pg_class WHERE relpersistence = 't')::int AS tables,
             (SELECT count(*) FROM pg_cursors WHERE is_holdable)::int AS cursors`,
        ),
      ).toEqual({ statements: 0, settings: 0, locks: 0, channels: 0, tables: 0, cursors: 0 })
    } finally {
      await db.close()
    }
  })

  it('after it has written, changed and deleted contacts', async () => {
    const { store, ours } = tenants
    const { emailKey: _, ...ada } = newContact('Ada')
    const entry = {
      id: ada.id,
      name: 'Ada L.',
      email: ada.email,
      emailKey: ada.email,
      createdAt: at(5),
      updatedAt: at(5),
    }
    expect(await store.upsertContacts(ours, [entry])).toMatchObject({ ids: [ada.id] })
    const scope = { ...ours, contactId: ada.id }
    expect(await store.updateContact(scope, { name: 'Ada', updatedAt: at(6) })).toMatchObject({ name: 'Ada' })
    expect(await store.createContact(ours, newContact('A', { email: ada.email }))).toEqual({
      taken: { contactId: ada.id },
    })
    expect(await store.deleteContact(scope, at(7))).toEqual({ ended: [], isIncomplete: false })
  })

  it('after searches, lists and exports, which plan anew', async () => {
    const { store, ours } = tenants
    const { contact, scope } = await signIn(store, ours)
    const words = [{ name: 'ada', rest: 'ada' }]
    expect(await store.searchContacts(ours, { words, page: 1, limit: 9 })).toMatchObject({ total: 1 })
    expect(await store.listContacts(ours, { words, limit: 9 })).toMatchObject({ contacts: [{ id: contact.id }] })
    expect(await store.exportContact(scope)).toMatchObject({ contact: { id: contact.id } })
  })

  it('after a conversation with an agent', async () => {
    const { store, ours } = tenants
    const { hash, conversationId } = await signIn(store, ours)
    await store.appendVisitorMessage(hash, newMessage('hello'))
    await store.requestHandover(hash, { at: at(4), until: at(9) })
    const answer = newMessage('good day', { author: 'agent' })
    await store.appendAgentMessage(ours, { conversationId, newConversationId: randomUUID() }, answer, null)
    expect((await store.listMessages(conversationId, { limit: 9 })).at(-1)).toMatchObject({ event: 'handed_back' })
    expect(await store.removeMessage(ours, { conversationId }, answer.id, at(9))).toMatchObject({ conversationId })
  })

  it('after a turn of a bot', async () => {
    const { store, ours } = tenants
    const { hash, conversationId } = await signIn(store, ours)
    await store.appendVisitorMessage(hash, newMessage('hello'))
    expect(await store.leaseTurns('me', at(4), at(9), 5)).toMatchObject([{ conversationId }])
    expect(await store.renewTurns([[conversationId, 'me']], at(10))).toEqual(['held'])
    const reply = { ...newMessage('hi'), author: 'bot' as const }
    expect(await store.endTurn(conversationId, 'me', { reply })).toMatchObject({ seq: 2 })
  })

  it('after it has stored and read a file', async () => {
    const { store, ours } = tenants
    const { hash, conversationId } = await signIn(store, ours)
    const id = await uploadFile(store, { sessionHash: hash })
    expect(await readFile(store, conversationId, id)).toEqual(fileBytes)
  })

  it('after deliveries to a webhook', async () => {
    const { store, ours } = tenants
    await store.updateBot(ours.botId, { events: { url: 'https://example.com', secret: 'whsec_a' } })
    const { hash } = await signIn(store, ours)
    await store.appendVisitorMessage(hash, newMessage('hello'))
    const [leased] = await store.leaseDeliveries('me', at(4), at(9), { all: 9, perBot: 9, except: [] })
    expect(leased?.event).toMatchObject({ botId: ours.botId })
    await store.endDelivery(leased?.event.id ?? '', 'me')
  })

  it('after sessions have ended and were purged, and after a sweep', async () => {
    const { store, ours } = tenants
    const { hash } = await signIn(store, ours)
    await store.endSession(ours.botId, hash, 'revoked', at(5))
    await store.sweep({ conversations: [], hashes: [hash], now: at(6) })
    await store.purge({ now: at(60), endedBefore: at(50) })
    expect(await store.findSession(hash)).toBeNull()
  })
})
