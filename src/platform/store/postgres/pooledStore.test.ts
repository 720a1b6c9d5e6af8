import { expect, inject, it, onTestFinished } from 'vitest'
import { createStoreDatabase } from '../../testing/postgresServer.ts'
import { fileBytes, readFile, uploadFile } from '../../testing/store/files.ts'
import {
  at,
  collectEvents,
  createTestTenants,
  newAnswer,
  newContact,
  newMessage,
  signIn,
  waitingEvents,
} from '../../testing/store/storeTenants.ts'
import { connect } from './connection.ts'
import { storeOf } from './postgresStore.ts'

// Behind a proxy that pools transactions, the next transaction may have the connection of another client. Every statement
// is then sent unprepared, and nothing may be left in a connection. The rest is the same as without a proxy.
it('a store behind a proxy that pools transactions leaves nothing in a connection', async () => {
  const db = await connect(`${await createStoreDatabase(inject('postgres'))}?connections=1&pooler=transaction`)
  onTestFinished(db.close)
  const store = storeOf(db)
  const { ours } = await createTestTenants(store)
  await collectEvents(store, ours)
  const person = await signIn(store, ours)
  const { contact, scope, hash, conversationId } = person

  const steps: Record<string, () => Promise<void>> = {
    async 'contacts were written, changed and deleted'() {
      const grace = newContact('Grace')
      expect(await store.upsertContacts(ours, [grace])).toMatchObject({ value: [grace.id] })
      const graceScope = { ...ours, contactId: grace.id }
      await store.updateContact(graceScope, { name: 'G.', updatedAt: at(6) })
      expect(await store.findContact(graceScope)).toMatchObject({ name: 'G.' })
      const taken = await store.createContact(ours, newContact('A', { email: grace.email }))
      expect(taken).toEqual({ taken: { contactId: grace.id } })
      expect(await store.deleteContact(graceScope, at(7))).toMatchObject({ value: { ended: [], isIncomplete: false } })
    },
    async 'searches, lists and exports, which plan anew'() {
      const words = [{ name: 'ada', rest: 'ada' }]
      expect(await store.searchContacts(ours, { words, page: 1, limit: 9 })).toMatchObject({ total: 1 })
      expect(await store.listContacts(ours, { words, limit: 9 })).toMatchObject({ contacts: [{ id: contact.id }] })
      expect(await store.exportContact(scope)).toMatchObject({ contact: { id: contact.id } })
    },
    async 'a turn of a bot'() {
      await person.send()
      expect(await store.leaseTurns('me', at(4), at(9), 5)).toMatchObject([{ conversationId }])
      expect(await store.renewTurns([[conversationId, 'me']], at(10))).toEqual(['held'])
      const reply = newMessage('hi', { author: 'bot' })
      expect(await store.endTurn(conversationId, 'me', { reply })).toMatchObject({ seq: 2 })
    },
    async 'a conversation with an agent'() {
      await store.requestHandover(hash, { at: at(4), timeoutMs: 5000 })
      const answer = newAnswer('good day')
      await person.answer(answer)
      expect(await person.said()).toEqual(['hello', 'hi', 'handover_requested', 'good day', 'handed_back'])
      expect(await store.deleteMessage(ours, { conversationId }, answer.id, at(9))).toMatchObject({ conversationId })
    },
    async 'a file was stored and read'() {
      const id = await uploadFile(store, { sessionHash: hash })
      expect(await readFile(store, conversationId, id)).toEqual(fileBytes)
    },
    async 'deliveries to a webhook'() {
      const [event] = await waitingEvents(store, ours)
      expect(event).toMatchObject({ type: 'conversation.created' })
      await store.endDelivery(event?.id ?? '', 'me')
    },
    async 'sessions have ended and were purged, and a sweep'() {
      await store.endSession(ours.botId, hash, 'revoked', at(5))
      await store.sweep({ conversations: [], hashes: [hash], now: at(6) })
      await store.purge({ now: at(60), endedBefore: at(50) })
      expect(await store.findSession(hash)).toBeNull()
    },
  }
  for (const [step, run] of Object.entries(steps)) {
    await run()
    const left = await db.one(
      `SELECT (SELECT count(*) FROM pg_prepared_statements)::int AS statements,
         (SELECT count(*) FROM pg_settings WHERE source = 'session')::int AS settings,
         (SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'advisory')::int AS locks,
         (SELECT count(*) FROM pg_listening_channels())::int AS channels,
         (SELECT count(*) FROM pg_class WHERE relpersistence = 't')::int AS tables,
         (SELECT count(*) FROM pg_cursors WHERE is_holdable)::int AS cursors`,
    )
    expect(left, `after ${step}`).toEqual({ statements: 0, settings: 0, locks: 0, channels: 0, tables: 0, cursors: 0 })
  }
})
