import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import type { BotScope, Store } from '../../store/store.ts'
import { at, newMessage, newSession, signIn, type TestTenants, useStore } from './storeTenants.ts'

export function describeHandovers(open: () => Promise<Store>): void {
  const start = useStore(open)
  let tenants: TestTenants
  let store: Store
  let ours: BotScope
  beforeEach(async () => {
    tenants = await start()
    store = tenants.store
    ours = tenants.ours
    await store.updateBot(ours.botId, { events: { url: 'https://shop.example/events', secret: 'whsec_c2VjcmV0' } })
  })

  const handover = { at: at(5), until: at(100) }
  const eventsOf = async (conversationId: string) =>
    (await store.listMessages(conversationId, { limit: 99 })).map(({ event, text }) => event ?? text)
  const stateOf = async (conversationId: string) => {
    const listed = await store.listConversations(ours, { limit: 99 })
    if (listed === 'not_found') throw new Error(listed)
    const found = listed.find(({ id }) => id === conversationId)
    return found && { pausedUntil: found.pausedUntil, waitingSince: found.waitingSince, unread: found.unread }
  }
  const dueTurns = async (conversationId: string, now: string) =>
    (await store.leaseTurns(randomUUID(), now, now, 1000)).filter(turn => turn.conversationId === conversationId)
  const delivered = async (conversationId: string) => {
    const all = await store.leaseDeliveries(randomUUID(), at(900), at(901), { all: 999, perBot: 999, except: [] })
    return all
      .map(({ event }) => event)
      .filter(({ type, data }) => type === 'handover.requested' && data.conversationId === conversationId)
  }
  const sendAsAgent = (conversationId: string, text: string, until: string | null, createdAt = at(6)) =>
    store.appendAgentMessage(
      ours,
      { conversationId, newConversationId: randomUUID() },
      newMessage(text, { author: 'agent', createdAt }),
      until,
    )
  /** The conversations that the call has ended. A store may hold those of other tests. */
  const expire = async (now: string) => store.expireHandovers(now, 1000)

  describe('requestHandover', () => {
    it('ends the turn, silences the responder, and stores one message and one event, however often it is asked', async () => {
      const { hash, conversationId, contact } = await signIn(store, ours)
      await store.appendVisitorMessage(hash, newMessage('a person, please'))
      expect(await store.requestHandover(hash, handover)).toBe('requested')
      expect(await store.requestHandover(hash, { at: at(6), until: at(200) })).toBe('paused')
      expect(await eventsOf(conversationId)).toEqual(['a person, please', 'handover_requested'])
      expect(await stateOf(conversationId)).toEqual({ pausedUntil: at(100), waitingSince: at(5), unread: 0 })
      await store.appendVisitorMessage(hash, newMessage('hello?', { createdAt: at(7) }))
      expect(await dueTurns(conversationId, at(8))).toEqual([])
      const events = await delivered(conversationId)
      expect(events).toMatchObject([{ createdAt: at(5), data: { contact: { id: contact.id, name: 'Ada' } } }])
    })

    it('begins no episode while an agent answers, and refuses a session that has ended', async () => {
      const { hash, conversationId } = await signIn(store, ours)
      await sendAsAgent(conversationId, 'I am here', at(100))
      expect(await store.requestHandover(hash, { at: at(9), until: at(99) })).toBe('paused')
      expect(await stateOf(conversationId)).toMatchObject({ pausedUntil: at(100), waitingSince: null })
      await store.endSession(ours.botId, hash, 'logged_out', at(10))
      expect(await store.requestHandover(hash, { at: at(200), until: at(300) })).toBe('ended')
      expect(await eventsOf(conversationId)).toEqual(['I am here'])
      expect(await delivered(conversationId)).toEqual([])
    })

    it('begins a new episode, with a new event, after the former one', async () => {
      const { hash, conversationId } = await signIn(store, ours)
      await store.requestHandover(hash, handover)
      await store.handBack(ours, { conversationId }, at(6))
      expect(await store.requestHandover(hash, { at: at(7), until: at(100) })).toBe('requested')
      expect(await eventsOf(conversationId)).toEqual(['handover_requested', 'handed_back', 'handover_requested'])
      const ids = (await delivered(conversationId)).map(({ id }) => id)
      expect([ids.length, new Set(ids).size]).toEqual([2, 2])
    })
  })

  describe('endTurn', () => {
    it('hand the conversation over after the reply, or without one', async () => {
      for (const reply of [newMessage('I ask a colleague', { author: 'bot', createdAt: at(5) }), null]) {
        const { hash, conversationId } = await signIn(store, ours)
        await store.appendVisitorMessage(hash, newMessage('help'))
        await store.leaseTurns('me', at(4), at(10), 1000)
        // It arrives while the responder answers: it waits for the agent, too.
        await store.appendVisitorMessage(hash, newMessage('please', { createdAt: at(5) }))
        if (reply) expect(await store.endTurn(conversationId, 'me', { reply, handover })).toEqual({ ...reply, seq: 3 })
        else expect(await store.endTurn(conversationId, 'me', { handover })).toBe('ended')
        const said = reply ? [reply.text] : []
        expect(await eventsOf(conversationId)).toEqual(['help', 'please', ...said, 'handover_requested'])
        expect(await stateOf(conversationId)).toEqual({
          ...{ pausedUntil: at(100), waitingSince: at(5) },
          unread: said.length,
        })
        expect(await dueTurns(conversationId, at(50))).toEqual([])
        expect(await delivered(conversationId)).toHaveLength(1)
      }
    })

    it('enqueue the event of the reply before that of the handover', async () => {
      await store.updateBot(ours.botId, {
        events: { url: 'https://shop.example/events', secret: 'whsec_c2VjcmV0', authors: 'all' },
      })
      const { hash, conversationId } = await signIn(store, ours)
      await store.appendVisitorMessage(hash, newMessage('help'))
      await store.leaseTurns('me', at(4), at(10), 1000)
      await store.endTurn(conversationId, 'me', {
        reply: newMessage('I ask', { author: 'bot', createdAt: at(5) }),
        handover,
      })
      const all = await store.leaseDeliveries('me', at(900), at(901), { all: 999, perBot: 999, except: [] })
      const ofConversation = all.filter(({ event }) => event.data.conversationId === conversationId)
      expect(
        ofConversation.map(({ event }) => (event.type === 'message.created' ? event.data.message.text : event.type)),
      ).toEqual(['conversation.created', 'help', 'I ask', 'handover.requested'])
    })

    it('hand nothing over if the lease is lost', async () => {
      const { hash, conversationId } = await signIn(store, ours)
      await store.appendVisitorMessage(hash, newMessage('help'))
      const late = newMessage('late', { author: 'bot' })
      expect(await store.endTurn(conversationId, 'nobody', { reply: late, handover })).toBe('lost')
      expect(await store.endTurn(conversationId, 'nobody', { handover })).toBe('lost')
      expect(await eventsOf(conversationId)).toEqual(['help'])
    })
  })

  describe('expireHandovers', () => {
    it('ends each once, says so, and lets the responder answer again', async () => {
      const { hash, conversationId } = await signIn(store, ours)
      await store.requestHandover(hash, handover)
      expect(await expire(at(99))).not.toContain(conversationId)
      expect(await expire(at(100))).toContain(conversationId)
      expect(await expire(at(101))).not.toContain(conversationId)
      expect(await eventsOf(conversationId)).toEqual(['handover_requested', 'handover_expired'])
      expect(await stateOf(conversationId)).toEqual({ pausedUntil: null, waitingSince: null, unread: 0 })
      await store.appendVisitorMessage(hash, newMessage('then you', { createdAt: at(102) }))
      expect(await dueTurns(conversationId, at(103))).toHaveLength(1)
    })

    it('says nothing where only people answer', async () => {
      await store.updateBot(ours.botId, { responder: { kind: 'none' } })
      const { hash, conversationId } = await signIn(store, ours)
      await store.requestHandover(hash, handover)
      expect(await expire(at(100))).toContain(conversationId)
      expect(await expire(at(101))).not.toContain(conversationId)
      expect(await eventsOf(conversationId)).toEqual(['handover_requested'])
      expect(await stateOf(conversationId)).toEqual({ pausedUntil: null, waitingSince: null, unread: 0 })
    })

    it('ends none that an agent has answered', async () => {
      const { hash, conversationId } = await signIn(store, ours)
      await store.requestHandover(hash, handover)
      await sendAsAgent(conversationId, 'I am here', at(90))
      expect(await stateOf(conversationId)).toEqual({ pausedUntil: at(90), waitingSince: null, unread: 1 })
      expect(await expire(at(200))).not.toContain(conversationId)
      expect(await eventsOf(conversationId)).toEqual(['handover_requested', 'I am here'])
    })
  })

  describe('handing back', () => {
    it('says so once, and only if the responder was silent', async () => {
      const { hash, conversationId } = await signIn(store, ours)
      await store.appendVisitorMessage(hash, newMessage('hello'))
      expect(await store.handBack(ours, { conversationId }, at(5))).toEqual({ endedIn: null })
      await sendAsAgent(conversationId, 'one', at(90))
      expect(await sendAsAgent(conversationId, 'bye', null)).toMatchObject({ message: { seq: 3 } })
      await sendAsAgent(conversationId, 'a notice', null)
      expect(await store.handBack(ours, { conversationId }, at(8))).toEqual({ endedIn: null })
      expect(await eventsOf(conversationId)).toEqual(['hello', 'one', 'bye', 'handed_back', 'a notice'])
      expect(await stateOf(conversationId)).toEqual({ pausedUntil: null, waitingSince: null, unread: 3 })
      // Of the messages up to 3, the event after them is not counted either.
      await store.markRead(hash, 3, at(9))
      expect(await stateOf(conversationId)).toMatchObject({ unread: 1 })
    })
  })

  it('an event is no message that the organization could remove', async () => {
    const { hash, conversationId } = await signIn(store, ours)
    await store.requestHandover(hash, handover)
    const [event] = await store.listMessages(conversationId, { limit: 1 })
    expect(await store.removeMessage(ours, { conversationId }, event?.id ?? '', at(6))).toBe('not_found')
    expect(await eventsOf(conversationId)).toEqual(['handover_requested'])
  })

  it('a visitor without a message may wait, too', async () => {
    const session = newSession()
    await store.createVisitorSession(ours.botId, session)
    expect(await store.requestHandover(session.hash, handover)).toBe('requested')
    expect(await stateOf(session.conversationId)).toMatchObject({ waitingSince: at(5) })
  })
}
