import { describe, expect } from 'vitest'
import type { Store } from '../../store/store.ts'
import { at, collectEvents, newAnswer, signIn, smallLimits, storeTests, takeEvents } from './storeTenants.ts'

const minute = 60
const answerAt = (second: number) => newAnswer('private', { createdAt: at(second) })

export function describeUnread(open: () => Promise<Store>): void {
  const it = storeTests(open)
    /** Reports, at this second, what has been unread for ten minutes. */
    .extend('notice', ({ store }) => (second: number) => {
      const unreadBefore = at(second - 10 * minute)
      return store.enqueueUnreadNotices({ now: at(second), unreadBefore, absentBefore: at(second - minute) })
    })
    .extend('notices', ({ store, ours }) => async () => {
      return (await takeEvents(store, ours)).flatMap(event => (event.type === 'message.unread' ? [event] : []))
    })
  it.beforeEach(async ({ store, ours, notice }) => {
    await collectEvents(store, ours)
    // What earlier tests have left unread.
    await notice(1e9)
  })

  describe('enqueueUnreadNotices', () => {
    it('tells of a contact who is away, once, with the number and without texts', async ({ notice, notices, ada }) => {
      for (const second of [3, 5 * minute]) await ada.answer(answerAt(second))
      await notice(10 * minute)
      expect(await notices()).toEqual([])
      expect(await Promise.all([notice(11 * minute), notice(11 * minute)])).toEqual([false, false])
      const { contact, conversationId } = ada
      const found = await notices()
      expect(found).toMatchObject([
        { createdAt: at(11 * minute), data: { conversationId, contact: { id: contact.id, name: 'Ada' }, unread: 2 } },
      ])
      expect(JSON.stringify(found)).not.toContain('private')
      await ada.answer(answerAt(12 * minute))
      await notice(40 * minute)
      expect(await notices()).toEqual([])
    })

    it('tells nothing of what was read in time, and then begins again', async ({ store, notice, notices, ada }) => {
      const read = (seq: number, time: number) => store.markRead(ada.hash, seq, at(time * minute))
      await ada.answer(answerAt(3))
      await read(1, 5)
      await notice(11 * minute)
      for (const time of [12, 13]) await ada.answer(answerAt(time * minute))
      // The contact reads one of two at minute 15. That is no reading of the rest, but the contact is there.
      await read(2, 15)
      await read(2, 16)
      await notice(24 * minute)
      expect(await notices()).toEqual([])
      await notice(26 * minute)
      expect(await notices()).toMatchObject([{ data: { unread: 1 } }])
      await read(3, 15)
      await ada.answer(answerAt(30 * minute))
      await notice(41 * minute)
      expect(await notices()).toHaveLength(1)
    })

    it('waits while the contact has a page open, and some time after that', async ({ store, notice, notices, ada }) => {
      await ada.answer(answerAt(3))
      await store.recordPresence([ada.conversationId, 'unknown'], at(11 * minute))
      await store.recordPresence([], at(11 * minute + 30))
      await notice(12 * minute - 1)
      expect(await notices()).toEqual([])
      await notice(12 * minute)
      expect(await notices()).toHaveLength(1)
    })

    it('tells of many with their numbers, and whether there are more', async ({ store, ours, notice, notices }) => {
      const people = await Promise.all(
        Array.from({ length: smallLimits.noticesPerStep + 1 }, () => signIn(store, ours)),
      )
      for (const [index, { answer }] of people.entries()) await answer(answerAt(3 + index))
      await people[0]?.answer(answerAt(5 * minute))
      expect([await notice(20 * minute), await notice(20 * minute)]).toEqual([true, false])
      const unread = Object.fromEntries((await notices()).map(({ data }) => [data.conversationId, data.unread]))
      const expected = people.map(({ conversationId }, index) => [conversationId, index === 0 ? 2 : 1])
      expect(unread).toEqual(Object.fromEntries(expected))
    })

    it('takes it back when nothing is left to read', async ({ store, ours, notice, ada: reading, grace: partly }) => {
      const [removed, leased] = [await signIn(store, ours), await signIn(store, ours)]
      for (const person of [reading, partly, leased])
        for (let count = 0; count < 2; count++) await person.answer(answerAt(3))
      const message = answerAt(3)
      await removed.answer(message)
      await notice(11 * minute)
      const deliveredTo = async (second: number) => {
        const limits = { all: 1000, perBot: 1000, except: [] }
        const deliveries = await store.leaseDeliveries('me', at(second), at(second + 100), limits)
        const events = deliveries.map(({ event }) => event).filter(({ botId }) => botId === ours.botId)
        return events.flatMap(({ type, data }) => (type === 'message.unread' ? [data.conversationId] : [])).sort()
      }
      await store.markRead(partly.hash, 1, at(11 * minute))
      await store.markRead(reading.hash, 2, at(11 * minute))
      await store.deleteMessage(ours, { conversationId: removed.conversationId }, message.id, at(11 * minute))
      const left = [partly, leased].map(({ conversationId }) => conversationId).sort()
      expect(await deliveredTo(11 * minute)).toEqual(left)
      // It is being delivered, and is not delivered again if that fails.
      await store.markRead(leased.hash, 2, at(11 * minute + 1))
      expect(await deliveredTo(11 * minute + 200)).toEqual([partly.conversationId])
    })

    it('tells nothing of visitors, and of removed messages', async ({ store, notice, notices, ada, visitor }) => {
      const message = answerAt(3)
      await visitor.answer(answerAt(3))
      await ada.answer(message)
      await store.deleteMessage(ada.scope, { conversationId: ada.conversationId }, message.id, at(4))
      await notice(11 * minute)
      expect(await notices()).toEqual([])
    })
  })
}
