import { randomUUID } from 'node:crypto'
import { describe, expect } from 'vitest'
import type { EmailLimits, Store } from '../../store/store.ts'
import {
  at,
  collectEvents,
  joinDesk,
  newAnswer,
  newHash,
  signIn,
  smallLimits,
  storeTests,
  takeEvents,
  waitingEvents,
} from './storeTenants.ts'

const minute = 60
const answerAt = (second: number) => newAnswer('private', { createdAt: at(second) })

export function describeUnread(open: () => Promise<Store>): void {
  const base = storeTests(open)
    /** Reports, at this second, what has been unread for ten minutes. */
    .extend('notice', ({ store }) => (second: number, emails?: EmailLimits) => {
      const unreadBefore = at(second - 10 * minute)
      return store.enqueueUnreadNotices({ now: at(second), unreadBefore, absentBefore: at(second - minute), emails })
    })
    .extend('notices', ({ store, ours }) => async () => {
      return (await takeEvents(store, ours)).flatMap(event => (event.type === 'message.unread' ? [event] : []))
    })
  const it = base
  base.beforeEach(async ({ store, ours, notice }) => {
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
        const limits = { all: 1000, perQueue: 1000, except: [], emails: true }
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

    describe('with emails', () => {
      const limits = { most: 2, pauseMs: 15 * minute * 1000, messagesAfter: at(0) }
      /** An answer that has been unread for ten minutes; resolves to the emails that were due and sent. */
      const it = base.extend('tell', ({ store, ours, notice, ada }) => async (time: number, sends = true) => {
        await ada.answer(answerAt((time - 10) * minute))
        await notice(time * minute, limits)
        const emails = (await waitingEvents(store, ours, at(time * minute))).filter(
          ({ type }) => type === 'email.unread',
        )
        for (const { id } of sends ? emails : []) {
          await store.beginUnreadEmail(ada.conversationId, { hash: newHash(), at: at(time * minute) })
          await store.endDelivery(id, 'me')
        }
        return emails.length
      })
      it.beforeEach(async ({ store, ours }) => {
        await store.updateBot(ours.botId, { siteUrl: 'https://shop.example/' })
      })

      it('asks for one, and for others with pauses and up to a limit, until the contact reads or writes', async ({
        store,
        tell,
        notices,
        ada,
      }) => {
        expect([await tell(11), await tell(22), await tell(26), await tell(60)]).toEqual([1, 0, 1, 0])
        // The organization is told once until the contact reads.
        expect(await notices()).toHaveLength(1)
        await store.markRead(ada.hash, 4, at(9))
        // Not so soon after the last one, but then.
        expect([await tell(72), await tell(99), await tell(120)]).toEqual([1, 1, 0])
        await ada.send('Hello?')
        expect([await tell(140), await tell(160)]).toEqual([1, 0])
        expect(await notices()).toHaveLength(1)
      })

      it('asks for none after the pause if the contact has a page open by then', async ({
        store,
        tell,
        notice,
        ours,
        ada,
      }) => {
        expect([await tell(11), await tell(22)]).toEqual([1, 0])
        await store.recordPresence([ada.conversationId], at(26 * minute))
        await notice(26 * minute, limits)
        expect(await waitingEvents(store, ours, at(26 * minute))).not.toContainEqual(
          expect.objectContaining({ type: 'email.unread' }),
        )
      })

      it('waits for the pause if the contact has read meanwhile, and takes it back if it reads again', async ({
        store,
        tell,
        notice,
        ours,
        ada,
      }) => {
        expect(await tell(11)).toBe(1)
        await store.markRead(ada.hash, 1, at(9))
        expect(await tell(23)).toBe(0)
        const due = async (time: number) =>
          (await waitingEvents(store, ours, at(time * minute))).filter(({ type }) => type === 'email.unread')
        expect(await due(25)).toEqual([])
        expect(await due(26)).toHaveLength(1)
        // A second one is not asked for while this one waits.
        await ada.answer(answerAt(30 * minute))
        await notice(41 * minute, limits)
        expect(await due(41)).toHaveLength(1)
        await store.markRead(ada.hash, 3, at(9))
        expect(await due(99)).toEqual([])
      })

      it('asks for none if the messages are old, the bot has no site, or the contact wants none', async ({
        store,
        ours,
        notice,
        tell,
        ada,
      }) => {
        await ada.answer(answerAt(3))
        await notice(11 * minute, { ...limits, messagesAfter: at(4) })
        await store.updateBot(ours.botId, { siteUrl: '' })
        expect(await tell(20)).toBe(0)
        await store.updateBot(ours.botId, { siteUrl: 'https://shop.example/' })
        await store.setEmailsEnded({ conversationId: ada.conversationId }, 'unsubscribed')
        await store.markRead(ada.hash, 2, at(9))
        expect(await tell(40)).toBe(0)
        await store.setEmailsEnded({ conversationId: ada.conversationId }, null)
        await store.markRead(ada.hash, 3, at(9))
        expect(await tell(60)).toBe(1)
      })
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

  describe('beginUnreadEmail', () => {
    it('tells the last unread messages, and neither notes nor what was read or removed', async ({
      store,
      ours,
      ada,
    }) => {
      const removed = answerAt(3)
      for (const text of ['read', 'a', 'b', 'c', 'd', 'e', 'f']) await ada.answer(newAnswer(text, { createdAt: at(3) }))
      await ada.answer(removed)
      await store.markRead(ada.hash, 1, at(4))
      await store.deleteMessage(ada.scope, { conversationId: ada.conversationId }, removed.id, at(5))
      const note = { id: randomUUID(), text: 'a note', at: at(5) }
      await store.appendNote(ours, ada.conversationId, await joinDesk(store, ours.organizationId), note)
      const email = await store.beginUnreadEmail(ada.conversationId, { hash: newHash(), at: at(6) })
      expect(email).toMatchObject({ to: ada.contact.email, unread: 6 })
      expect(email?.messages.map(({ text }) => text)).toEqual(['b', 'c', 'd', 'e', 'f'])
      await store.markRead(ada.hash, 99, at(7))
      expect(await store.beginUnreadEmail(ada.conversationId, { hash: newHash(), at: at(8) })).toBeNull()
    })

    it('stores the link, which leads to the contact until that is erased', async ({ store, ada, visitor }) => {
      const [hash, ofVisitor] = [newHash(), newHash()]
      await visitor.answer(answerAt(3))
      expect(await store.beginUnreadEmail(visitor.conversationId, { hash: ofVisitor, at: at(6) })).toBeNull()
      await ada.answer(answerAt(3))
      await store.beginUnreadEmail(ada.conversationId, { hash, at: at(6) })
      const { id } = ada.contact
      expect(await store.findUnsubscribeLink(ofVisitor)).toBeNull()
      expect(await store.findUnsubscribeLink(hash)).toMatchObject({
        conversationId: ada.conversationId,
        botId: ada.scope.botId,
        emailsEnded: null,
      })
      await store.setEmailsEnded({ conversationId: ada.conversationId }, 'refused', 'another@example.com')
      expect(await store.findUnsubscribeLink(hash)).toMatchObject({ emailsEnded: null })
      await store.setEmailsEnded({ conversationId: ada.conversationId }, 'refused', ada.contact.email)
      const scope = { ...ada.scope, contactId: id }
      const change = (changes: object) => store.updateContact(scope, { ...changes, updatedAt: at(9) })
      await change({ name: 'Countess' })
      expect(await store.exportContact(scope)).toMatchObject({ emailsEnded: 'refused' })
      const email = `${id}@new.example`
      await change({ email, emailKey: email })
      expect(await store.findUnsubscribeLink(hash)).toMatchObject({ emailsEnded: null })
      await store.deleteContact(scope, at(10))
      expect(await store.findUnsubscribeLink(hash)).toBeNull()
    })
  })
}
