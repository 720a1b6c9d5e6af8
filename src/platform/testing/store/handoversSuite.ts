import { describe, expect } from 'vitest'
import type { Store } from '../../store/store.ts'
import { at, collectEvents, hoursLater, newAnswer, newMessage, storeTests, waitingEvents } from './storeTenants.ts'

const handover = { at: at(5), timeoutMs: 95_000 }

export function describeHandovers(open: () => Promise<Store>): void {
  /** Ada, whose bot has an events webhook. */
  const it = storeTests(open).extend('person', async ({ store, ours, ada }) => {
    await collectEvents(store, ours)
    const ask = (time: number, until: number) =>
      store.requestHandover(ada.hash, { at: at(time), timeoutMs: (until - time) * 1000 })
    const state = async () => {
      const listed = await store.listConversations(ours, { limit: 99 })
      if (listed === 'not_found') throw new Error(listed)
      const { pausedUntil, waitingSince, unread } = listed.find(({ id }) => id === ada.conversationId) ?? {}
      return { pausedUntil, waitingSince, unread }
    }
    const requests = async () => (await waitingEvents(store, ours)).filter(({ type }) => type === 'handover.requested')
    /** Whether the call has ended the handover; a store may hold those of other tests. */
    const expire = async (now: string) => {
      const expired = await store.expirePauses(now, 1000)
      return expired.some(({ conversationId }) => conversationId === ada.conversationId)
    }
    return { ...ada, ask, state, requests, expire }
  })
  const idle = { pausedUntil: null, waitingSince: null, unread: 0 }

  describe('requestHandover', () => {
    it('silences the responder, with one message and one event, however often asked', async ({ person }) => {
      await person.send('a person, please')
      expect(await person.ask(5, 100)).toBe('requested')
      expect(await person.ask(6, 200)).toBe('paused')
      expect(await person.said()).toEqual(['a person, please', 'handover_requested'])
      expect(await person.state()).toEqual({ pausedUntil: at(100), waitingSince: at(5), unread: 0 })
      await person.send('hello?', { createdAt: at(7) })
      expect(await person.dueTurns(at(8))).toEqual([])
      const contact = { id: person.contact.id, name: 'Ada' }
      expect(await person.requests()).toMatchObject([{ createdAt: at(5), data: { contact } }])
    })

    it('begins nothing while an agent answers, nor in a session that has ended', async ({ store, ours, person }) => {
      await person.answer(newAnswer('I am here'), at(100))
      expect(await person.ask(9, 99)).toBe('paused')
      expect(await person.state()).toMatchObject({ pausedUntil: at(100), waitingSince: null })
      await store.endSession(ours.botId, person.hash, 'logged_out', at(10))
      expect(await person.ask(200, 300)).toBe('ended')
      expect(await person.said()).toEqual(['I am here'])
      expect(await person.requests()).toEqual([])
    })

    it('begins a new episode, with a new event, after the former one', async ({ store, ours, person }) => {
      await person.ask(5, 100)
      await store.changeState(ours, { conversationId: person.conversationId }, 'handed_back', { at: at(6) })
      expect(await person.ask(7, 100)).toBe('requested')
      expect(await person.said()).toEqual(['handover_requested', 'handed_back', 'handover_requested'])
      const ids = (await person.requests()).map(({ id }) => id)
      expect([ids.length, new Set(ids).size]).toEqual([2, 2])
    })

    it('may be the first of a conversation, and cannot be removed', async ({ store, ours, visitor }) => {
      expect(await store.requestHandover(visitor.hash, handover)).toBe('requested')
      expect(await store.listConversations(ours, { limit: 9 })).toMatchObject([{ waitingSince: at(5) }])
      const [event] = await visitor.messages()
      const which = { conversationId: visitor.conversationId }
      expect(await store.deleteMessage(ours, which, event?.id ?? '', at(6))).toBe('not_found')
      expect(await visitor.said()).toEqual(['handover_requested'])
    })
  })

  describe('endTurn', () => {
    it.for([
      ['after the reply, whose event comes first', newMessage('I ask', { author: 'bot', createdAt: at(5) })],
      ['without a reply', undefined],
    ] as const)('hands the conversation over %s', async ([, reply], { store, ours, person }) => {
      await collectEvents(store, ours, { authors: 'all' })
      await person.send('help')
      await store.leaseTurns('me', at(4), at(10), 1000)
      // It arrives while the responder answers: it waits for the agent, too.
      await person.send('please', { createdAt: at(5) })
      const ended = await store.endTurn(person.conversationId, 'me', { reply, handover })
      expect(ended).toEqual(reply ? { ...reply, seq: 3 } : 'no_reply')
      const said = ['help', 'please', ...(reply ? ['I ask'] : [])]
      expect(await person.said()).toEqual([...said, 'handover_requested'])
      const unread = reply ? 1 : 0
      expect(await person.state()).toEqual({ pausedUntil: at(100), waitingSince: at(5), unread })
      expect(await person.dueTurns(at(50))).toEqual([])
      const events = await waitingEvents(store, ours)
      const named = events.map(event => (event.type === 'message.created' ? event.data.message.text : event.type))
      expect(named).toEqual(['conversation.created', ...said, 'handover.requested'])
    })

    it('hands nothing over if the lease is lost', async ({ store, person }) => {
      await person.send('help')
      for (const reply of [newMessage('late', { author: 'bot' }), undefined])
        expect(await store.endTurn(person.conversationId, 'nobody', { reply, handover })).toBe('lost')
      expect(await person.said()).toEqual(['help'])
    })
  })

  describe('expirePauses', () => {
    it('ends each once, says so, and lets the responder answer again', async ({ person }) => {
      await person.ask(5, 100)
      const ended = [await person.expire(at(99)), await person.expire(at(100)), await person.expire(at(101))]
      expect(ended).toEqual([false, true, false])
      expect(await person.said()).toEqual(['handover_requested', 'handover_expired'])
      expect(await person.state()).toEqual(idle)
      await person.send('then you', { createdAt: at(102) })
      expect(await person.dueTurns(at(103))).toHaveLength(1)
    })

    it('says nothing where only people answer, and the visitor still waits', async ({ store, ours, person }) => {
      await store.updateBot(ours.botId, { responder: { kind: 'none' } })
      await person.ask(5, 100)
      expect([await person.expire(at(100)), await person.expire(at(101))]).toEqual([true, false])
      expect(await person.said()).toEqual(['handover_requested'])
      expect(await person.state()).toEqual({ ...idle, waitingSince: at(5) })
    })

    it('tells of none that an agent has answered', async ({ person }) => {
      await person.ask(5, 100)
      await person.answer(newAnswer('I am here', { createdAt: at(6) }), at(90))
      expect(await person.state()).toEqual({ pausedUntil: at(90), waitingSince: null, unread: 1 })
      await person.expire(at(200))
      expect(await person.said()).toEqual(['handover_requested', 'I am here'])
    })
  })

  describe('outside the hours of the bot', () => {
    it('a handover is waited for in opening time only, and the responder answers meanwhile', async ({
      store,
      ours,
      person,
    }) => {
      await store.updateBot(ours.botId, { hours: hoursLater })
      await person.ask(5, 65)
      expect(await person.state()).toMatchObject({ waitingSince: at(5), pausedUntil: at(660) })
      await person.send('when do you open?', { createdAt: at(7) })
      const [turn] = await person.dueTurns(at(8))
      expect(turn?.messages.at(-1)?.text).toBe('when do you open?')
      await store.leaseTurns('me', at(8), at(20), 1000)
      const reply = newMessage('At nine.', { author: 'bot', createdAt: at(9) })
      expect(await store.endTurn(person.conversationId, 'me', { reply })).toMatchObject({ text: 'At nine.' })
      expect(await person.state()).toMatchObject({ waitingSince: at(5), pausedUntil: at(660) })
      // The responder has answered: the visitor may ask again, and reads again that the team knows.
      expect([await person.ask(10, 99), await person.ask(11, 99)]).toEqual(['requested', 'paused'])
      expect(await person.said()).toEqual(['handover_requested', 'when do you open?', 'At nine.', 'handover_requested'])
      expect(await person.state()).toMatchObject({ waitingSince: at(5), pausedUntil: at(660) })
      expect(await person.requests()).toHaveLength(1)
      await person.send('are you there?', { createdAt: at(601) })
      expect(await person.dueTurns(at(602))).toEqual([])
      expect([await person.expire(at(659)), await person.expire(at(660))]).toEqual([false, true])
    })

    it.for([
      ['never', 7, 0],
      ['always', 601, 1],
    ] as const)(
      'the responder answers those who wait %s if the bot says so',
      async ([answersWhileWaiting, sentAt, turns], { store, ours, person }) => {
        await store.updateBot(ours.botId, { hours: hoursLater, answersWhileWaiting })
        await person.ask(5, 65)
        await person.send('hello?', { createdAt: at(sentAt) })
        expect(await person.dueTurns(at(sentAt + 1))).toHaveLength(turns)
      },
    )
  })

  it('handing back says so once, and only if the responder was silent', async ({ store, ours, person }) => {
    const which = { conversationId: person.conversationId }
    await person.send()
    expect(await store.changeState(ours, which, 'handed_back', { at: at(5) })).toEqual({ value: null, replayed: false })
    await person.answer(newAnswer('one'), at(90))
    expect(await person.answer(newAnswer('bye'), null)).toMatchObject({ value: { message: { seq: 3 } } })
    await person.answer(newAnswer('a notice'), null)
    expect(await store.changeState(ours, which, 'handed_back', { at: at(8) })).toEqual({ value: null, replayed: false })
    expect(await person.said()).toEqual(['hello', 'one', 'bye', 'handed_back', 'a notice'])
    expect(await person.state()).toEqual({ ...idle, unread: 3 })
    // Of the messages up to 3, the event after them is not counted either.
    await store.markRead(person.hash, 3, at(9))
    expect(await person.state()).toMatchObject({ unread: 1 })
  })
}
