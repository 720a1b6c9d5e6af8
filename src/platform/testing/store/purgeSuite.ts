import { describe, expect } from 'vitest'
import { systemClock } from '../../clock.ts'
import { withDeadline } from '../../store/callContext.ts'
import type { PurgeCutoffs, Store } from '../../store/store.ts'
import {
  at,
  collectEvents,
  newAnswer,
  newContact,
  newRequest,
  newSession,
  newToken,
  smallLimits,
  storeTests,
  visit,
  waitingEvents,
} from './storeTenants.ts'

const day = 24 * 60 * 60
type Talk = Awaited<ReturnType<typeof visit>>

/** More rows than are deleted in one step. */
const many = smallLimits.rowsPerErasure + 1

const repeat = (count: number, call: () => Promise<unknown>) => Promise.all(Array.from({ length: count }, () => call()))

export function describePurge(open: () => Promise<Store>): void {
  const it = storeTests(open)
    /** Deletes what is inactive since `at(50)`, and nothing else. */
    .extend('purgeInactive', ({ store }) => (limits: Partial<PurgeCutoffs> = {}) => {
      return store.purge({ now: at(60), endedBefore: at(0), lastMessageBefore: at(50), ...limits })
    })

  describe('purge', () => {
    it('deletes what was over before the given time, and nothing else', async ({ store, ours, ada }) => {
      const [gone, open] = [
        await visit(store, ours, { expiresAt: at(10) }),
        await visit(store, ours, { expiresAt: at(100) }),
      ]
      for (const visitor of [gone, open]) await visitor.send()
      const [old, revoked] = [newSession({ expiresAt: at(10) }), newSession({ expiresAt: at(1e7) })]
      for (const session of [old, revoked])
        await store.createContactSession(ours, { contactId: ada.contact.id }, session)
      await store.endSession(ours.botId, ada.hash, 'revoked', at(51))
      await store.endSession(ours.botId, revoked.hash, 'revoked', at(49))
      const tokens = [at(10), at(60), null].map(revokedAt => newToken(ours.organizationId, { revokedAt }))
      for (const token of tokens) await store.createOrganizationToken(token)
      // As the platform calls it: a purge has no time limit.
      await withDeadline(store, { clock: systemClock, onSettled() {} }).purge({ now: at(60), endedBefore: at(50) })
      for (const { hash } of [gone, old, revoked]) expect(await store.findSession(hash)).toBeNull()
      expect([await gone.found(), await gone.messages()]).toEqual([null, []])
      expect(await ada.found()).not.toBeNull()
      // Revoked, but its client may still use it and must be told the reason.
      expect((await store.findSession(ada.hash))?.ended?.reason).toBe('revoked')
      expect(await store.findSession(open.hash)).not.toBeNull()
      expect(await open.messages()).toHaveLength(1)
      const left = (await store.listOrganizationTokens(ours.organizationId)).map(({ hash }) => hash)
      expect(left.sort()).toEqual([tokens[1]?.hash, tokens[2]?.hash].sort())
    })

    it('deletes expired idempotency keys, and no others', async ({ store, ours }) => {
      const [expired, kept] = [newRequest({ expiresAt: at(50) }), newRequest({ expiresAt: at(51) })]
      for (const request of [expired, kept]) await store.createContact(ours, newContact('Ada'), request)
      await store.purge({ now: at(50), endedBefore: at(0) })
      // Queried with an earlier time than the purge, so only deleted keys are unknown.
      expect(await store.createContact(ours, newContact('Ada'), expired)).toMatchObject({
        value: { name: 'Ada' },
        replayed: false,
      })
      expect(await store.createContact(ours, newContact('Ada'), kept)).toMatchObject({ replayed: true })
    })

    it('deletes after two days which turns were started', async ({ store, ada }) => {
      const begin = async (time: string) => {
        await ada.send()
        const turns = await store.leaseTurns('me', time, at(100 * day), 1000)
        await store.endTurn(ada.conversationId, 'me')
        return turns.find(turn => turn.conversationId === ada.conversationId)?.recentTurns.ofBotToday
      }
      expect([await begin(at(1)), await begin(at(2))]).toEqual([1, 2])
      await store.purge({ now: at(2 * day), endedBefore: at(0) })
      expect(await begin(at(3))).toBe(3)
      await store.purge({ now: at(2 * day + 4), endedBefore: at(0) })
      expect(await begin(at(3))).toBe(1)
    })

    it('drops events that no webhook has accepted for a week', async ({ store, ours }) => {
      await collectEvents(store, ours)
      const visitor = await visit(store, ours, { expiresAt: at(30 * day) })
      for (const createdAt of [at(0), at(7 * day), at(7 * day + 1)]) await visitor.send('hello', { createdAt })
      await store.purge({ now: at(14 * day), endedBefore: at(0) })
      expect((await waitingEvents(store, ours)).map(({ createdAt }) => createdAt)).toEqual([at(7 * day + 1)])
    })
  })

  describe('a purge of inactive conversations', () => {
    it('deletes all but their seqs', async ({ store, ours, purgeInactive, ada: inactive, grace: loud }) => {
      await collectEvents(store, ours)
      for (const person of [inactive, loud])
        for (const createdAt of [at(10), at(10), at(10)]) await person.send('old', { createdAt, locale: 'de' })
      await loud.send('new', { createdAt: at(20) })
      await store.purge({ now: at(60), endedBefore: at(0) })
      expect(await inactive.messages()).toHaveLength(3)
      await purgeInactive({ lastMessageBefore: at(20) })
      expect([await inactive.messages(), await inactive.dueTurns(at(70))]).toEqual([[], []])
      expect(await loud.messages()).toHaveLength(4)
      const events = await waitingEvents(store, ours)
      expect(events.map(({ data }) => data.conversationId)).toEqual(Array(5).fill(loud.conversationId))
      expect(await inactive.found()).toMatchObject({ lastSeq: 3, unread: 0, locale: null })
      expect(await loud.found()).toMatchObject({ locale: 'de' })
      expect(await store.listConversations(ours, { limit: 9 })).toMatchObject([{ id: loud.conversationId }])
      expect(await inactive.send('again', { createdAt: at(61) })).toMatchObject({ message: { seq: 4 } })
      // The organization has been told of this conversation.
      expect((await waitingEvents(store, ours)).slice(5)).toMatchObject([{ type: 'message.created' }])
      expect(await inactive.dueTurns(at(70))).toHaveLength(1)
    })

    it('no longer counts deleted messages as unread', async ({ store, purgeInactive, ada }) => {
      await repeat(many, () => ada.answer(newAnswer('hi', { createdAt: at(10) })))
      await store.markRead(ada.hash, 2, at(11))
      await purgeInactive()
      await ada.answer(newAnswer('hi', { createdAt: at(61) }))
      expect(await ada.found()).toMatchObject({ lastSeq: many + 1, unread: 1 })
    })

    it('deletes anonymous ones whose session is over', async ({ store, ours, purgeInactive, visitor: open }) => {
      const [over, ended] = [await visit(store, ours, { expiresAt: at(40) }), await visit(store, ours)]
      for (const visitor of [over, ended, open]) await visitor.send('old')
      await store.endSession(ours.botId, ended.hash, 'logged_out', at(40))
      await purgeInactive()
      const end = ({ hash }: Talk) => store.endSession(ours.botId, hash, 'logged_out', at(61))
      for (const visitor of [over, ended]) {
        expect(await visitor.found()).toBeNull()
        expect(await store.findSession(visitor.hash)).not.toBeNull()
        // With a clock that is set back there is nothing to delete.
        expect(await visitor.send('late')).toBe('ended')
      }
      expect(await end(over)).toMatchObject({ conversationId: over.conversationId, reason: 'logged_out' })
      expect(await end(ended)).toBeNull()
      expect([await open.found(), await open.messages()]).toMatchObject([{ lastSeq: 1 }, []])
      expect(await open.send('again')).toMatchObject({ message: { seq: 2 } })
    })
  })

  describe('what one step cannot delete', () => {
    it('is deleted in several steps when a contact is deleted, without a purge', async ({ store, ours, ada }) => {
      await collectEvents(store, ours)
      await repeat(many, ada.send)
      const steps: boolean[] = []
      do {
        const result = await store.deleteContact(ada.scope, at(9))
        if (typeof result === 'string') throw new Error(`The contact was ${result}`)
        steps.push(result.value.isIncomplete)
      } while (steps.at(-1))
      expect(steps).toEqual([true, true, false])
      expect(await ada.found()).toBeNull()
      expect(await store.deleteContact(ada.scope, at(9))).toBe('not_found')
      expect(await waitingEvents(store, ours)).toEqual([])
    })

    it('is found when the deletion was interrupted, and only then', async ({ store, ours, ada, grace }) => {
      await repeat(many, ada.send)
      await grace.send()
      await store.endSession(ours.botId, grace.hash, 'revoked', at(8))
      // Tests share the database.
      const interrupted = async () =>
        (await store.listInterruptedDeletions(1000)).filter(({ botId }) => botId === ours.botId)
      expect(await interrupted()).toEqual([])
      expect(await store.deleteContactOfSession(ada.scope, ada.hash, at(9))).toMatchObject({ isIncomplete: true })
      expect(await interrupted()).toEqual([ada.scope])
      while (typeof (await store.deleteContact(ada.scope, at(9))) !== 'string');
      expect(await interrupted()).toEqual([])
    })

    it('is deleted in several steps when a guest is erased, which is never a contact', async ({ store, ours, ada }) => {
      const guest = await visit(store, ours)
      await repeat(many, guest.send)
      await ada.send()
      const steps = []
      do steps.push(await store.deleteGuest(ours, guest.conversationId, at(9)))
      while (steps.at(-1)?.isIncomplete)
      expect(steps.map(({ isIncomplete }) => isIncomplete)).toEqual([true, false])
      expect(await guest.found()).toBeNull()
      expect((await store.findSession(guest.hash))?.ended).toEqual({ reason: 'contact_deleted', at: at(9) })
      const nothing = { ended: [], conversationId: null, isIncomplete: false }
      expect(await store.deleteGuest(ours, ada.conversationId, at(9))).toEqual(nothing)
      expect(await ada.said()).toEqual(['hello'])
    })

    it('is deleted by one purge', async ({ store, ours, ada, grace, purgeInactive }) => {
      await collectEvents(store, ours)
      const gone = await visit(store, ours, { expiresAt: at(10) })
      await repeat(many, gone.send)
      for (const { send } of [ada, grace]) await repeat(many, send)
      await purgeInactive({ endedBefore: at(50) })
      expect(await gone.found()).toBeNull()
      for (const person of [gone, ada, grace]) expect(await person.messages()).toEqual([])
      expect(await waitingEvents(store, ours)).toEqual([])
    })
  })
}
