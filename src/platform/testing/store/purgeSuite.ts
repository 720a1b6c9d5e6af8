import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { WebhookEvent } from '../../../contract/index.ts'
import { systemClock } from '../../clock.ts'
import { eraseBatchSize } from '../../store/queries/purge.ts'
import type { BotScope, Store } from '../../store/store.ts'
import { withDeadline } from '../../store/withDeadline.ts'
import { at, newContact, newHash, newMessage, newRequest, newSession, signIn, useStore } from './storeTenants.ts'

const day = 24 * 60 * 60

/** Writes more messages to a conversation than one transaction deletes. */
async function fillConversation(store: Store, hash: string): Promise<void> {
  for (let left = eraseBatchSize + 1; left > 0; left -= 50)
    await Promise.all(
      Array.from({ length: Math.min(left, 50) }, () => store.appendVisitorMessage(hash, newMessage('hello'))),
    )
}

const collectEvents = (store: Store, { botId }: BotScope) =>
  store.updateBot(botId, { events: { url: 'https://example.com/events', secret: 'whsec_a' } })

async function waitingEvents(store: Store, { botId }: BotScope): Promise<WebhookEvent[]> {
  const leased = await store.leaseDeliveries('me', at(1e9), at(2e9), { all: 1e4, perBot: 1e4, except: [] })
  return leased.map(({ event }) => event).filter(event => event.botId === botId)
}

export function describePurge(open: () => Promise<Store>): void {
  const start = useStore(open)

  describe('purge', () => {
    it('deletes when the platform calls it, for which a purge has no time limit', async () => {
      const { store, ours } = await start()
      const gone = newSession({ expiresAt: at(10) })
      await store.createVisitorSession(ours.botId, gone)
      await withDeadline(store, { clock: systemClock, onSettled() {} }).purge({ now: at(60), endedBefore: at(50) })
      expect(await store.findSession(gone.hash)).toBeNull()
    })

    it('deletes what expired or was ended before the given time, including anonymous conversations, and nothing else', async () => {
      const { store, ours } = await start()
      const [gone, open] = [newSession({ expiresAt: at(10) }), newSession({ expiresAt: at(100) })]
      for (const session of [gone, open]) {
        await store.createVisitorSession(ours.botId, session)
        await store.appendVisitorMessage(session.hash, newMessage('hello'))
      }
      const { contact, hash, conversationId } = await signIn(store, ours)
      const old = newSession({ expiresAt: at(10) })
      await store.createContactSession(ours, { contactId: contact.id }, old)
      await store.endSession(ours.botId, hash, 'revoked', at(51))
      const revoked = newSession({ expiresAt: at(1e7) })
      await store.createContactSession(ours, { contactId: contact.id }, revoked)
      await store.endSession(ours.botId, revoked.hash, 'revoked', at(49))
      await store.purge({ now: at(60), endedBefore: at(50) })
      expect(await store.findSession(gone.hash)).toBeNull()
      expect(await store.findConversation(gone.conversationId)).toBeNull()
      expect(await store.listMessages(gone.conversationId, { limit: 1 })).toEqual([])
      expect(await store.findSession(old.hash)).toBeNull()
      expect(await store.findSession(revoked.hash)).toBeNull()
      expect(await store.findConversation(conversationId)).not.toBeNull()
      // Revoked, but its client may still use it and must be told the reason.
      expect((await store.findSession(hash))?.ended?.reason).toBe('revoked')
      expect(await store.findSession(open.hash)).not.toBeNull()
      expect(await store.listMessages(open.conversationId, { limit: 1 })).toHaveLength(1)
    })

    it('is not needed for a deleted contact, whose conversation is deleted in several steps if it is long', async () => {
      const { store, ours } = await start()
      await collectEvents(store, ours)
      const { hash, scope, conversationId } = await signIn(store, ours)
      await fillConversation(store, hash)
      const steps: boolean[] = []
      do {
        const result = await store.deleteContact(scope, at(9))
        if (typeof result === 'string') throw new Error(`The contact was ${result}`)
        steps.push(result.isIncomplete)
      } while (steps.at(-1))
      expect(steps).toEqual([true, true, false])
      expect(await store.findConversation(conversationId)).toBeNull()
      expect(await store.deleteContact(scope, at(9))).toBe('not_found')
      expect(await waitingEvents(store, ours)).toEqual([])
    })

    it('deletes organization tokens that were revoked before the given time', async () => {
      const { store, ours } = await start()
      const tokens = [at(10), at(60), null].map(revokedAt => {
        const rest = { prefix: 'o_', organizationId: ours.organizationId, dev: false, createdAt: at(0) }
        return { hash: newHash(), ...rest, lastUsedAt: null, revokedAt }
      })
      for (const token of tokens) await store.createOrganizationToken(token)
      await store.purge({ now: at(60), endedBefore: at(50) })
      const left = (await store.listOrganizationTokens(ours.organizationId)).map(({ hash }) => hash)
      expect(left.sort()).toEqual([tokens[1]?.hash, tokens[2]?.hash].sort())
    })

    it('deletes expired idempotency keys, and no others', async () => {
      const { store, ours } = await start()
      const [expired, kept] = [newRequest({ expiresAt: at(50) }), newRequest({ expiresAt: at(51) })]
      for (const request of [expired, kept]) await store.createContact(ours, newContact('Ada'), request)
      await store.purge({ now: at(50), endedBefore: at(0) })
      // Queried with an earlier time than the purge, so only deleted keys are unknown.
      expect(await store.createContact(ours, newContact('Ada'), expired)).toMatchObject({ name: 'Ada' })
      expect(await store.createContact(ours, newContact('Ada'), kept)).toMatchObject({ replayed: {} })
    })

    it('deletes after two days which turns were started', async () => {
      const { store, ours } = await start()
      const { hash, conversationId } = await signIn(store, ours)
      const begin = async (time: string) => {
        await store.appendVisitorMessage(hash, newMessage('hello'))
        const turns = await store.leaseTurns('me', time, at(100 * day), 1000)
        await store.endTurn(conversationId, 'me')
        return turns.find(turn => turn.conversationId === conversationId)?.recentTurns.ofBotToday
      }
      expect([await begin(at(1)), await begin(at(2))]).toEqual([1, 2])
      await store.purge({ now: at(2 * day), endedBefore: at(0) })
      expect(await begin(at(3))).toBe(3)
      await store.purge({ now: at(2 * day + 4), endedBefore: at(0) })
      expect(await begin(at(3))).toBe(1)
    })

    it('deletes the messages of inactive conversations if requested, and never reuses their seqs', async () => {
      const { store, ours } = await start()
      const [inactive, loud] = [await signIn(store, ours), await signIn(store, ours, 'Grace')]
      for (const { hash } of [inactive, loud]) {
        for (let index = 0; index < 3; index++)
          await store.appendVisitorMessage(hash, { ...newMessage('old', { createdAt: at(10) }), locale: 'de' })
      }
      await store.appendVisitorMessage(loud.hash, newMessage('new', { createdAt: at(20) }))
      const limits = { now: at(60), endedBefore: at(0) }
      await store.purge(limits)
      expect(await store.listMessages(inactive.conversationId, { limit: 9 })).toHaveLength(3)
      await store.purge({ ...limits, lastMessageBefore: at(20) })
      expect(await store.listMessages(inactive.conversationId, { limit: 9 })).toEqual([])
      expect(await store.listMessages(loud.conversationId, { limit: 9 })).toHaveLength(4)
      expect(await store.findConversation(inactive.conversationId)).toMatchObject({
        lastSeq: 3,
        unread: 0,
        locale: null,
      })
      expect(await store.findConversation(loud.conversationId)).toMatchObject({ locale: 'de' })
      expect(await store.listConversations(ours, { limit: 9 })).toMatchObject([{ id: loud.conversationId }])
      const next = await store.appendVisitorMessage(inactive.hash, newMessage('again', { createdAt: at(61) }))
      expect(next).toMatchObject({ message: { seq: 4 } })
    })

    it('no longer counts deleted messages as unread', async () => {
      const { store, ours } = await start()
      const { scope, hash, conversationId } = await signIn(store, ours)
      const which = { contactId: scope.contactId, newConversationId: randomUUID() }
      const write = (createdAt: string) =>
        store.appendAgentMessage(ours, which, newMessage('hi', { author: 'agent', createdAt }), null)
      // More messages than are deleted in one step.
      for (let index = 0; index < 6; index++) await Promise.all(Array.from({ length: 100 }, () => write(at(10))))
      await store.markRead(hash, 2, at(11))
      await store.purge({ now: at(60), endedBefore: at(0), lastMessageBefore: at(50) })
      await write(at(61))
      expect(await store.findConversation(conversationId)).toMatchObject({ lastSeq: 601, unread: 1 })
    })

    it('leaves no turn and no delivery of an inactive conversation, and creates no conversation twice', async () => {
      const { store, ours } = await start()
      await store.updateBot(ours.botId, { events: { url: 'https://example.com', secret: 'whsec_a' } })
      const { hash, conversationId } = await signIn(store, ours)
      const leaseAll = async () => {
        const turns = await store.leaseTurns(randomUUID(), at(70), at(70), 1000)
        const deliveries = await store.leaseDeliveries(randomUUID(), at(70), at(70), {
          all: 1000,
          perBot: 1000,
          except: [],
        })
        return {
          turns: turns.filter(turn => turn.conversationId === conversationId).length,
          events: deliveries.filter(({ event }) => event.botId === ours.botId).map(({ event }) => event.type),
        }
      }
      await store.appendVisitorMessage(hash, newMessage('old'))
      await store.purge({ now: at(60), endedBefore: at(0), lastMessageBefore: at(50) })
      expect(await leaseAll()).toEqual({ turns: 0, events: [] })
      await store.appendVisitorMessage(hash, newMessage('again', { createdAt: at(61) }))
      expect(await leaseAll()).toEqual({ turns: 1, events: ['message.created'] })
    })

    it('deletes an inactive anonymous conversation completely after its session has ended', async () => {
      const { store, ours } = await start()
      const [over, ended, open] = [newSession({ expiresAt: at(40) }), newSession(), newSession()]
      for (const session of [over, ended, open]) {
        await store.createVisitorSession(ours.botId, session)
        await store.appendVisitorMessage(session.hash, newMessage('old'))
      }
      await store.endSession(ours.botId, ended.hash, 'logged_out', at(40))
      await store.purge({ now: at(60), endedBefore: at(0), lastMessageBefore: at(50) })
      for (const { hash, conversationId } of [over, ended]) {
        expect(await store.findConversation(conversationId)).toBeNull()
        expect(await store.findSession(hash)).not.toBeNull()
        // With a clock that is set back there is nothing to delete.
        expect(await store.appendVisitorMessage(hash, newMessage('late'))).toBe('ended')
        expect(await store.endSession(ours.botId, hash, 'logged_out', at(61))).toEqual(
          hash === over.hash ? { hash, conversationId, reason: 'logged_out' } : null,
        )
      }
      expect(await store.findConversation(open.conversationId)).toMatchObject({ lastSeq: 1 })
      expect(await store.listMessages(open.conversationId, { limit: 9 })).toEqual([])
      expect(await store.appendVisitorMessage(open.hash, newMessage('again'))).toMatchObject({ message: { seq: 2 } })
    })

    it('deletes an anonymous conversation with more messages and waiting events than one step can', async () => {
      const { store, ours } = await start()
      await collectEvents(store, ours)
      const gone = newSession({ expiresAt: at(10) })
      await store.createVisitorSession(ours.botId, gone)
      await fillConversation(store, gone.hash)
      await store.purge({ now: at(60), endedBefore: at(50) })
      expect(await store.findConversation(gone.conversationId)).toBeNull()
      expect(await store.listMessages(gone.conversationId, { limit: 1 })).toEqual([])
      expect(await waitingEvents(store, ours)).toEqual([])
    })

    it('drops events that no webhook has accepted for a week', async () => {
      const { store, ours } = await start()
      await collectEvents(store, ours)
      const { contact } = await signIn(store, ours)
      const session = newSession({ expiresAt: at(30 * day) })
      await store.createContactSession(ours, { contactId: contact.id }, session)
      for (const createdAt of [at(0), at(7 * day), at(7 * day + 1)])
        await store.appendVisitorMessage(session.hash, newMessage('hello', { createdAt }))
      await store.purge({ now: at(14 * day), endedBefore: at(0) })
      expect((await waitingEvents(store, ours)).map(({ createdAt }) => createdAt)).toEqual([at(7 * day + 1)])
    })

    it('deletes far more than one step can', async () => {
      const { store, ours } = await start()
      const people = []
      for (let index = 0; index < 3; index++) people.push(await signIn(store, ours))
      for (let n = 0; n < 7; n++)
        await Promise.all(
          people.flatMap(({ hash }) =>
            Array.from({ length: 100 }, () => store.appendVisitorMessage(hash, newMessage('old'))),
          ),
        )
      await store.purge({ now: at(60), endedBefore: at(0), lastMessageBefore: at(50) })
      for (const { conversationId } of people)
        expect(await store.listMessages(conversationId, { limit: 1 })).toEqual([])
    })
  })
}
