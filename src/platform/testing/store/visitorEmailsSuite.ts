import { describe, expect } from 'vitest'
import type { Store } from '../../store/store.ts'
import { at, newHash, storeTests, visit } from './storeTenants.ts'

const day = 24 * 60 * 60

export function describeVisitorEmails(open: () => Promise<Store>): void {
  const it = storeTests(open)
    /** What the addresses of a test begin with. */
    .extend('prefix', () => newHash())
    .extend('leave', ({ store, prefix }) => ({ hash }: { hash: string }, local = '', seconds = 5) => {
      const email = `${local}@example.com`
      const hashes = { emailHash: prefix + local, mailboxHash: prefix + local.replace(/\+.*/, '') }
      return store.leaveEmail(hash, { email, ...hashes, locale: 'de', at: at(seconds) })
    })
    /** A visitor who has sent a message. */
    .extend('visitor', ({ store, ours }) => begun(store, ours))
    /** Takes the test's emails that wait, and begins them. Resolves to where they go, with the hash of the link of each. */
    .extend('begin', ({ store, prefix }) => async (seconds = 6) => {
      const now = at(seconds)
      const leased = await store.leaseDeliveries('me', now, now, { all: 99, perQueue: 99, except: [], emails: true })
      const begun: { hash: string; to: string }[] = []
      for (const { event } of leased) {
        if (event.type !== 'email.confirmation' || !event.data.emailHash.startsWith(prefix)) continue
        const hash = newHash()
        const confirmation = await store.beginConfirmation(event.data, { hash, at: now })
        if (confirmation) begun.push({ hash, to: confirmation.to })
        await store.endDelivery(event.id, 'me')
      }
      return begun
    })
    .extend('confirm', ({ store }) => (link: { hash: string } | undefined, since = at(0)) => {
      return store.confirmEmail(link?.hash ?? '', { at: at(7), since })
    })
    .extend('emailOf', ({ store }) => async ({ conversationId }: { conversationId: string }) => {
      return (await store.findPerson(conversationId, at(9)))?.email
    })

  describe('an address that an anonymous visitor leaves', () => {
    it('is claimed until its owner uses the link, which works once', async ({
      store,
      ours,
      visitor,
      leave,
      begin,
      confirm,
      emailOf,
    }) => {
      const { conversationId } = visitor
      expect(await leave(visitor, 'ada')).toBe('left')
      const address = 'ada@example.com'
      expect(await emailOf(visitor)).toEqual({ address, isConfirmed: false })
      expect(await visitor.found()).toMatchObject({ email: address, locale: 'de' })
      const [sent, ...others] = await begin()
      expect([sent?.to, others]).toEqual([address, []])
      const link = { conversationId, botId: ours.botId, locale: 'de' }
      expect(await store.findConfirmationLink(sent?.hash ?? '', at(0))).toEqual(link)
      expect(await confirm(sent, at(6))).toBeNull()
      expect(await confirm({ hash: newHash() })).toBeNull()
      expect(await emailOf(visitor)).toEqual({ address, isConfirmed: false })
      expect(await confirm(sent)).toEqual(link)
      expect(await emailOf(visitor)).toEqual({ address, isConfirmed: true })
      expect(await confirm(sent)).toBeNull()
      expect(await store.findConfirmationLink(sent?.hash ?? '', at(0))).toBeNull()
      expect(await store.findUnsubscribeLink(sent?.hash ?? '')).toBeNull()
      // The same address again stays confirmed.
      await leave(visitor, 'ada')
      expect(await emailOf(visitor)).toEqual({ address, isConfirmed: true })
    })

    it('gets one email, whoever leaves it, and another one after 30 days', async ({
      store,
      ours,
      visitor,
      leave,
      begin,
    }) => {
      const other = await begun(store, ours, { expiresAt: at(1e8) })
      for (const who of [visitor, other, other]) expect(await leave(who)).toBe('left')
      expect(await begin()).toHaveLength(1)
      for (const [days, expected] of [
        [29, 0],
        [31, 1],
      ] as const) {
        await store.purge({ now: at(days * day), endedBefore: at(0) })
        await leave(other, '', days * day)
        expect(await begin(days * day)).toHaveLength(expected)
      }
    })

    it('gets no second email in another spelling, which is not confirmed with it', async ({
      store,
      ours,
      visitor,
      leave,
      begin,
      confirm,
      emailOf,
    }) => {
      await leave(visitor, 'ada')
      const [sent] = await begin()
      await confirm(sent)
      for (const who of [await begun(store, ours), visitor]) await leave(who, 'ada+shop')
      expect(await begin()).toEqual([])
      expect(await emailOf(visitor)).toEqual({ address: 'ada+shop@example.com', isConfirmed: false })
    })

    it('causes no email if so many were left for the bot in a day, and is taken only after a message', async ({
      store,
      ours,
      leave,
      begin,
    }) => {
      const fresh = await visit(store, ours)
      expect(await leave(fresh, 'fresh')).toBe('not_found')
      let sent = 0
      for (let number = 0; number < 200; number++) {
        await leave(await begun(store, ours), `a${number}`)
        sent += (await begin()).length
      }
      expect(sent).toBe(200)
      const visitor = await begun(store, ours, { expiresAt: at(1e8) })
      expect(await leave(visitor, 'next')).toBe('left')
      expect(await begin()).toEqual([])
      await leave(visitor, 'tomorrow', 5 + day + 1)
      expect(await begin(6 + day)).toHaveLength(1)
    })

    it('is one of three for which a visitor causes emails', async ({ visitor, leave, begin }) => {
      const sent = []
      for (const local of ['a', 'b', 'c', 'd']) {
        await leave(visitor, local)
        sent.push(...(await begin()))
      }
      expect(sent.map(({ to }) => to)).toEqual(['a', 'b', 'c'].map(local => `${local}@example.com`))
    })

    it('gives way to the one that is left last, whose link alone works', async ({
      visitor,
      leave,
      begin,
      confirm,
      emailOf,
    }) => {
      await leave(visitor, 'first')
      const [first] = await begin()
      await leave(visitor, 'second')
      expect(await confirm(first)).toBeNull()
      const [second] = await begin()
      expect(await confirm(second)).not.toBeNull()
      await leave(visitor, 'third')
      await leave(visitor, 'fourth')
      expect(await emailOf(visitor)).toEqual({ address: 'fourth@example.com', isConfirmed: false })
      // It was not sent: it is the fourth.
      expect(await begin()).toEqual([])
    })

    it('is erased with its conversation, and so are the email that waits and its link', async ({
      store,
      ours,
      leave,
      begin,
      confirm,
    }) => {
      const [before, after] = [await begun(store, ours), await begun(store, ours)]
      await leave(after, 'after')
      const [sent] = await begin()
      await leave(before, 'before')
      for (const { conversationId } of [before, after]) await store.deleteGuest(ours, conversationId, at(7))
      expect(await begin()).toEqual([])
      expect(await confirm(sent)).toBeNull()
    })

    it('is not taken from a contact, nor from a session that has ended', async ({
      store,
      ours,
      ada,
      visitor,
      leave,
      begin,
    }) => {
      expect(await leave(ada)).toBe('not_found')
      await store.endSession(ours.botId, visitor.hash, 'logged_out', at(4))
      expect(await leave(visitor)).toBe('ended')
      expect(await begin()).toEqual([])
    })
  })
}

async function begun(...given: Parameters<typeof visit>) {
  const visitor = await visit(...given)
  await visitor.send()
  return visitor
}
