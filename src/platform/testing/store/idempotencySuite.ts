import { randomUUID } from 'node:crypto'
import { describe, expect } from 'vitest'
import type { BotScope, ConversationKey, IdempotentRequest, Store, UpsertEntry } from '../../store/store.ts'
import { at, newAnswer, newContact, newRequest, newSession, sendAsAgent, signIn, storeTests } from './storeTenants.ts'

function entry(name: string): UpsertEntry {
  const email = `${randomUUID()}@example.com`
  return { id: randomUUID(), name, email, emailKey: email, createdAt: at(2), updatedAt: at(2) }
}

const all = { words: [], page: 1, limit: 100 }
const replayedIds = { value: [expect.any(String)], replayed: true }

interface Tenant {
  store: Store
  ours: BotScope
  ada: Awaited<ReturnType<typeof signIn>>
}
/** A write, and what it gets at first, when it is repeated, and when it is repeated after Ada has been deleted. */
type Case = [
  method: keyof Store,
  write: (tenant: Tenant, request: IdempotentRequest) => Promise<unknown>,
  results: { first: object; repeated?: unknown; afterDeletion?: unknown },
]
const cases: Case[] = [
  [
    'updateContact',
    ({ store, ada }, request) => store.updateContact(ada.scope, { phone: '1', updatedAt: at(5) }, request),
    { first: { value: undefined } },
  ],
  [
    'setContactAttributes',
    ({ store, ada }, request) => store.setContactAttributes(ada.scope, { plan: 'free' }, request),
    { first: { value: undefined } },
  ],
  [
    'deleteContact',
    ({ store, ada }, request) => store.deleteContact(ada.scope, at(5), request),
    { first: { value: { ended: [{ reason: 'contact_deleted' }] } }, afterDeletion: { replayed: true } },
  ],
  [
    'endContactSessions',
    ({ store, ada }, request) => store.endContactSessions(ada.scope, 'revoked', at(5), request),
    { first: { value: [{ reason: 'revoked' }] }, repeated: { value: [], replayed: true } },
  ],
  [
    'upsertContacts',
    ({ store, ours, ada: { contact } }, request) =>
      store.upsertContacts(ours, [{ ...contact, emailKey: contact.email }], request),
    { first: {}, repeated: replayedIds, afterDeletion: replayedIds },
  ],
  [
    'createContactSession',
    ({ store, ours, ada }, request) =>
      store.createContactSession(ours, { contactId: ada.contact.id }, newSession(), request),
    { first: { value: [] }, repeated: { value: [{ reason: 'revoked' }], replayed: true } },
  ],
  [
    'changeState',
    ({ store, ours, ada }, request) =>
      store.changeState(ours, { contactId: ada.contact.id }, 'handed_back', { at: at(5) }, request),
    { first: { value: null }, repeated: { value: null, replayed: true } },
  ],
  [
    'appendAgentMessage',
    ({ ada }, request) => ada.answer(newAnswer('Done', { id: request.keyHash }), null, request),
    { first: { value: { repeated: false } }, repeated: { value: { repeated: true }, replayed: true } },
  ],
]

export function describeIdempotency(open: () => Promise<Store>): void {
  const it = storeTests(open)

  describe('a request under a key', () => {
    it.for(cases)(
      'of %s is known again, and carried out for no earlier attempt, other body or deleted contact',
      async ([, write, { first, repeated = { replayed: true }, afterDeletion = 'not_found' }], {
        store,
        ours,
        ada,
      }) => {
        const request = newRequest({ attempt: 2 })
        const send = (changes: Partial<IdempotentRequest> = {}) =>
          write({ store, ours, ada }, { ...request, ...changes })
        expect([await send(), await send({ attempt: 3 })]).toMatchObject([{ ...first, replayed: false }, repeated])
        // The attempt that was replayed has been answered, too: only it can be repeated.
        for (const attempt of [1, 2]) expect(await send({ attempt })).toBe('superseded')
        expect(await send({ attempt: 3, bodyHash: 'other' })).toBe('key_reused')
        await store.deleteContact(ada.scope, at(6))
        expect([await send({ attempt: 3 })]).toMatchObject([afterDeletion])
        expect(await store.searchContacts(ours, all)).toMatchObject({ total: 0 })
      },
    )

    it('has no effect after a later attempt that was refused', async ({ store, ours, ada, grace }) => {
      const [alan, late, later] = [await signIn(store, ours), newContact('Late'), newContact('Later')]
      const { email } = ada.contact
      const { email: emailKey } = grace.contact
      const { name: _, ...nameless } = entry('Ada')
      const scope = { ...ours, contactId: late.id }
      const calls: [(request: IdempotentRequest) => Promise<unknown>, refused: unknown, carriedOut: unknown][] = [
        [
          request => store.createContact(ours, newContact('Heir', { email }), request),
          { taken: {} },
          { value: { email } },
        ],
        [
          request => store.updateContact(alan.scope, { email: emailKey, emailKey, updatedAt: at(5) }, request),
          { taken: {} },
          { replayed: false },
        ],
        [request => store.upsertContacts(ours, [nameless], request), { problems: [{}] }, { replayed: false }],
        [request => store.deleteContact(scope, at(7), request), 'not_found', { value: { ended: [] } }],
        [
          request => store.createContactSession(ours, { contactId: later.id }, newSession(), request),
          'not_found',
          { value: [] },
        ],
      ]
      const requests = calls.map(() => newRequest({ attempt: 5 }))
      const run = (changes: Partial<IdempotentRequest> = {}) =>
        Promise.all(calls.map(([call], index) => call({ ...newRequest(), ...requests[index], ...changes })))
      expect(await run()).toMatchObject(calls.map(([, refused]) => refused))
      // Now each of them could be carried out.
      for (const person of [ada, grace]) await store.deleteContact(person.scope, at(6))
      for (const row of [late, later, newContact('Ada', { email: nameless.email })])
        await store.createContact(ours, row)
      expect(await run({ attempt: 3 })).toEqual(calls.map(() => 'superseded'))
      expect(await store.findContact(scope)).toMatchObject({ name: 'Late' })
      expect(await run({ bodyHash: 'other' })).toMatchObject(calls.map(([, , carriedOut]) => carriedOut))
    })

    it('accepts attempts that are numbered by the time in milliseconds', async ({ store, ours, ada }) => {
      const [request, now] = [newRequest(), Date.UTC(2026, 0)]
      const results = []
      for (const attempt of [now, now - 1, now + 1])
        results.push(
          await store.createContactSession(ours, { contactId: ada.contact.id }, newSession(), { ...request, attempt }),
        )
      expect(results).toMatchObject([{ replayed: false }, 'superseded', { value: [{}], replayed: true }])
    })
  })

  describe('createContact under a key', () => {
    it('returns the first response for a repetition, until the key has expired', async ({ store, ours }) => {
      const [ada, request] = [newContact('Ada'), newRequest()]
      const created = (await store.createContact(ours, ada, request)) as object
      expect(created).toMatchObject({ value: { id: ada.id } })
      await store.updateContact({ ...ours, contactId: ada.id }, { name: 'Countess', updatedAt: at(5) })
      const repeat = (changes: Partial<IdempotentRequest>) =>
        store.createContact(ours, newContact('Grace'), { ...request, ...changes })
      expect(await repeat({ at: at(101) })).toEqual({ ...created, replayed: true })
      expect(await repeat({ bodyHash: 'other' })).toBe('key_reused')
      expect(await store.searchContacts(ours, all)).toMatchObject({ total: 1 })
      const later = { bodyHash: 'other', at: at(102), expiresAt: at(202) }
      const grace = (await repeat(later)) as object
      expect(grace).toMatchObject({ value: { name: 'Grace' } })
      expect(await repeat(later)).toEqual({ ...grace, replayed: true })
    })

    it('does not bring a deleted contact back when the request arrives again', async ({ store, ours }) => {
      const [ada, request] = [newContact('Ada'), newRequest({ attempt: 2 })]
      const create = (changes: Partial<IdempotentRequest>) =>
        store.createContact(ours, newContact('Ada'), { ...request, ...changes })
      await store.createContact(ours, ada, request)
      await store.deleteContact({ ...ours, contactId: ada.id }, at(5))
      for (const again of [{}, { attempt: 3 }, { bodyHash: 'other' }]) expect(await create(again)).toBe('not_found')
      expect(await create({ attempt: 1 })).toBe('superseded')
      expect(await store.searchContacts(ours, all)).toMatchObject({ total: 0 })
      expect(await create({ at: at(102), expiresAt: at(202) })).toMatchObject({ value: { name: 'Ada' } })
    })
  })

  describe('a repetition does not undo what has been written since', () => {
    it('of an update, an upsert and of attributes', async ({ store, ours, ada }) => {
      const { id, email, createdAt } = ada.contact
      const { scope } = ada
      const [update, upsert, set] = [newRequest(), newRequest(), newRequest()]
      const write = async (phone: string, keyed: boolean) => {
        const row = { id, createdAt, email, emailKey: email, mid: phone, updatedAt: at(3) }
        await store.updateContact(scope, { phone, updatedAt: at(3) }, keyed ? update : undefined)
        await store.upsertContacts(ours, [row], keyed ? upsert : undefined)
        await store.setContactAttributes(scope, { phone }, keyed ? set : undefined)
      }
      await write('111', true)
      await write('222', false)
      await write('111', true)
      expect(await store.findContact(scope)).toMatchObject({ phone: '222', mid: '222' })
      expect(await store.findContactAttributes(scope)).toEqual({ phone: '222' })
    })

    it('of a sign-out: sessions that have begun since stay open', async ({ store, ours, ada }) => {
      const [request, later] = [newRequest(), newSession()]
      const signOut = () => store.endContactSessions(ada.scope, 'revoked', at(5), request)
      expect(await signOut()).toMatchObject({ value: [{ hash: ada.hash }] })
      await store.createContactSession(ours, { contactId: ada.contact.id }, later)
      expect(await signOut()).toEqual({ value: [], replayed: true })
      expect((await store.findSession(later.hash))?.ended).toBeNull()
    })

    it('of a hand-back: the pause of an agent who writes again goes on', async ({ store, ours, ada, grace }) => {
      const { conversationId } = ada
      const silent = newContact('Alan')
      await store.createContact(ours, silent)
      const handBacks: [ConversationKey, endedIn: string | null][] = [
        [{ conversationId }, conversationId],
        [{ contactId: grace.contact.id }, grace.conversationId],
        [{ contactId: silent.id }, null],
      ]
      for (const [which, endedIn] of handBacks) {
        const request = newRequest()
        const write = () => sendAsAgent(store, ours, which, newAnswer(), at(99))
        const handBack = () => store.changeState(ours, which, 'handed_back', { at: at(5) }, request)
        if (endedIn) await write()
        expect(await handBack()).toEqual({ value: endedIn, replayed: false })
        await write()
        expect(await handBack()).toEqual({ value: null, replayed: true })
      }
      const paused = { pausedUntil: at(99) }
      expect(await store.listConversations(ours, { limit: 9 })).toMatchObject([paused, paused, paused])
      expect(
        await store.changeState(ours, { contactId: randomUUID() }, 'handed_back', { at: at(6) }, newRequest()),
      ).toBe('not_found')
    })

    it('of a message that has handed back: it hands back once', async ({ store, ada }) => {
      await store.requestHandover(ada.hash, { at: at(2), timeoutMs: 88_000 })
      const [request, message] = [newRequest(), newAnswer('Done')]
      expect(await ada.answer(message, null, request)).toMatchObject({ value: { repeated: false, isHandedBack: true } })
      await ada.answer(newAnswer(), at(90))
      expect(await ada.answer(message, null, request)).toMatchObject({ value: { repeated: true, isHandedBack: false } })
    })
  })

  describe('createContactSession under a key', () => {
    it('ends the session of an earlier attempt on a repetition, and creates another', async ({ store, ours, ada }) => {
      const request = newRequest()
      const [first, second, third] = [newSession(), newSession({ createdAt: at(7) }), newSession()]
      const create = (session: typeof first, attempt = 0) =>
        store.createContactSession(ours, { contactId: ada.contact.id }, session, { ...request, attempt })
      expect(await create(first)).toEqual({ value: [], replayed: false })
      const { conversationId } = ada
      const replaced = [{ hash: first.hash, conversationId, reason: 'revoked' }]
      expect(await create(second, 2)).toEqual({ value: replaced, replayed: true })
      expect((await store.findSession(first.hash))?.ended).toEqual({ reason: 'revoked', at: at(7) })
      expect(await create(third, 1)).toBe('superseded')
      expect(await store.findSession(third.hash)).toBeNull()
      expect((await store.findSession(second.hash))?.ended).toBeNull()
      await store.endSession(ours.botId, second.hash, 'logged_out', at(8))
      expect(await create(third, 3)).toEqual({ value: [], replayed: true })
      expect((await store.findSession(second.hash))?.ended?.reason).toBe('logged_out')
    })

    it('uses the contact of the first request, even if another one has the email now', async ({ store, ours, ada }) => {
      const { contact, scope } = ada
      const request = newRequest()
      const create = (session = newSession()) =>
        store.createContactSession(ours, { emailKey: contact.email }, session, request)
      await create()
      await store.updateContact(scope, { email: 'moved@example.com', emailKey: randomUUID(), updatedAt: at(5) })
      await store.createContact(ours, newContact('Heir', { email: contact.email }))
      const [repeated, late] = [newSession(), newSession()]
      expect(await create(repeated)).toMatchObject({ value: [{}], replayed: true })
      expect((await store.findSession(repeated.hash))?.contact?.id).toBe(contact.id)
      await store.deleteContact(scope, at(6))
      expect(await create(late)).toBe('not_found')
      expect(await store.findSession(late.hash)).toBeNull()
    })
  })
}
