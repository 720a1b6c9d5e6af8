import { describe, expect } from 'vitest'
import type { Store } from '../../store/store.ts'
import { at, collectEvents, newAnswer, newMessage, storeTests, waitingEvents } from './storeTenants.ts'

export function describeMessageChanges(open: () => Promise<Store>): void {
  /** A conversation in which Ada has asked and Nora has answered. */
  const it = storeTests(open).extend('talk', async ({ store, ours, ada }) => {
    const which = { conversationId: ada.conversationId }
    const question = newMessage('My password is hunter2')
    await ada.send('', { ...question, claimed: { page: 'hunter2' } })
    const given = { quickReplies: ['hunter2'], sender: { name: 'Nora hunter2' } }
    const reply = newAnswer('Never tell it to anyone', { format: 'markdown', ...given })
    await ada.answer(reply)
    const remove = (id: string) => store.deleteMessage(ours, which, id, at(9))
    const rate = (rating: 'up' | 'down' | null) => store.rateMessage(ada.hash, reply.id, rating, at(9))
    return { ...ada, which, question, reply, remove, rate }
  })

  describe('deleteMessage', () => {
    it('leaves nothing of the message but its place', async ({ store, ours, talk }) => {
      const { conversationId, question, reply, remove } = talk
      for (const { id } of [question, reply]) expect(await remove(id)).toEqual({ conversationId, wasDeleted: false })
      const place = { text: '', format: 'plain', createdAt: at(3), removedAt: at(9) }
      const left = [
        { id: question.id, seq: 1, author: 'visitor', ...place },
        { id: reply.id, seq: 2, author: 'agent', ...place },
      ]
      expect(await talk.messages()).toEqual(left)
      expect(await store.listMessagesWithContext(conversationId, { limit: 9 })).toEqual(left)
      expect((await store.exportContact(talk.scope))?.messages).toEqual(left)
      expect(await store.listConversations(ours, { limit: 9 })).toMatchObject([{ lastMessage: left[1] }])
    })

    it('raises the revision once, and lists what has changed as it is now', async ({ store, talk }) => {
      const { conversationId: id, question, reply, remove } = talk
      expect((await talk.found())?.revision).toBe(0)
      await remove(reply.id)
      await remove(question.id)
      expect(await remove(question.id)).toEqual({ conversationId: id, wasDeleted: true })
      expect((await talk.found())?.revision).toBe(2)
      const list = async (revision: number, limit = 9) =>
        (await store.listMessagesChangedAfter(id, revision, limit)).map(change => [change.revision, change.message.seq])
      expect([await list(0), await list(0, 1), await list(1), await list(2)]).toEqual([
        [
          [1, 2],
          [2, 1],
        ],
        [[1, 2]],
        [[2, 1]],
        [],
      ])
      const [change] = await store.listMessagesChangedAfter(id, 0, 1)
      expect(change?.message).toEqual((await talk.messages())[1])
      const sweep = async (revision: number) =>
        (await store.sweep({ conversations: [{ id, lastSeq: 2, readSeq: 0, revision }], hashes: [], now: at(9) }))
          .conversations
      expect([await sweep(1), await sweep(2)]).toEqual([[{ id, lastSeq: 2, readSeq: 0, revision: 2 }], []])
    })

    it('finds only messages of the conversation', async ({ store, ours, foreignScopes, grace, talk }) => {
      const { question, which, contact } = talk
      const remove = (scope = ours, key: Parameters<Store['deleteMessage']>[1] = which, id = question.id) =>
        store.deleteMessage(scope, key, id, at(9))
      expect(await remove(ours, which, newMessage('').id)).toBe('not_found')
      expect(await remove(ours, { conversationId: grace.conversationId })).toBe('not_found')
      for (const scope of foreignScopes) expect(await remove(scope)).toBe('not_found')
      expect(await remove(ours, { contactId: contact.id })).toMatchObject({ wasDeleted: false })
    })

    it('does not count a removed message as unread', async ({ store, talk }) => {
      const unread = async () => (await talk.found())?.unread
      await talk.answer(newAnswer('Hello?'))
      expect(await unread()).toBe(2)
      await talk.remove(talk.question.id)
      expect(await unread()).toBe(2)
      await talk.remove(talk.reply.id)
      expect(await unread()).toBe(1)
      for (const [seq, left] of [
        [2, 1],
        [3, 0],
      ] as const) {
        await store.markRead(talk.hash, seq, at(10))
        expect(await unread()).toBe(left)
      }
    })

    it('is not undone when the sender repeats the message', async ({ talk }) => {
      const { question, reply, remove } = talk
      for (const { id } of [question, reply]) await remove(id)
      const removed = { repeated: true, message: { text: '', removedAt: at(9) } }
      expect(await talk.send('', question)).toMatchObject(removed)
      expect(await talk.answer(reply)).toMatchObject({ value: removed })
      expect(await talk.messages()).toHaveLength(2)
      expect(await talk.send('Mine', { id: reply.id })).toBe('reused')
    })

    it('takes the text out of events that wait, and adds one without it', async ({ store, ours, ada }) => {
      await collectEvents(store, ours)
      const question = newMessage('My password is hunter2')
      await ada.send('', question)
      await ada.send('Another')
      await store.deleteMessage(ours, { conversationId: ada.conversationId }, question.id, at(9))
      const events = await waitingEvents(store, ours)
      expect(JSON.stringify(events)).not.toContain('hunter2')
      expect(events.map(({ type, data }) => [type, 'message' in data && data.message.text])).toEqual([
        ['conversation.created', false],
        ['message.created', ''],
        ['message.created', 'Another'],
        ['message.removed', ''],
      ])
    })

    it('lets a reply that is being written begin again without the message', async ({ store, ours, ada }) => {
      const { conversationId, send } = ada
      const [first, second] = [newMessage('hunter2'), newMessage('Are you there?')]
      for (const message of [first, second]) await send('', message)
      const remove = ({ id }: typeof first) => store.deleteMessage(ours, { conversationId }, id, at(5))
      const lease = async (owner: string) =>
        (await store.leaseTurns(owner, at(4), at(12), 999)).find(turn => turn.conversationId === conversationId)
      await lease('one')
      await remove(first)
      const reply = newMessage('hunter2?', { author: 'bot' })
      expect(await store.endTurn(conversationId, 'one', { reply })).toBe('lost')
      const again = await lease('two')
      expect(again).toMatchObject({ attempt: 1, recentTurns: { ofConversation: 1 } })
      expect(again?.messages.map(({ text }) => text)).toEqual(['Are you there?'])
      await remove(second)
      expect(await store.renewTurns([[conversationId, 'two']], at(20))).toEqual(['lost'])
      expect(await lease('three')).toBeUndefined()
    })
  })

  describe('rateMessage', () => {
    it('stores, changes and takes a rating back, with an event for each', async ({ store, ours, talk }) => {
      await collectEvents(store, ours)
      const { text } = talk.reply
      const results = []
      for (const rating of [null, 'up', 'up', 'down', null, null] as const) results.push(await talk.rate(rating))
      expect(results).toMatchObject([
        { isSame: true, change: { revision: 0 } },
        { isSame: false, change: { revision: 1, message: { seq: 2, rating: 'up', text } } },
        { isSame: true, change: { revision: 1, message: { rating: 'up' } } },
        { isSame: false, change: { revision: 2, message: { rating: 'down' } } },
        { isSame: false, change: { revision: 3 } },
        { isSame: true, change: { revision: 3 } },
      ])
      const events = await waitingEvents(store, ours)
      expect(events.map(({ type, data }) => [type, 'message' in data && data.message.rating])).toEqual([
        ['message.rated', 'up'],
        ['message.rated', 'down'],
        ['message.rated', undefined],
      ])
      await talk.rate('down')
      const rated = { rating: 'down' }
      expect(await store.listMessagesWithContext(talk.conversationId, { limit: 9 })).toMatchObject([{}, rated])
      expect(await store.listConversations(ours, { limit: 9 })).toMatchObject([{ lastMessage: rated }])
    })

    it('rates answers of the own conversation only, and in an open session', async ({ store, ours, grace, talk }) => {
      const { hash, question, reply, rate, remove } = talk
      await grace.send()
      expect(await store.rateMessage(grace.hash, reply.id, 'up', at(9))).toBe('not_found')
      expect(await store.rateMessage(hash, question.id, 'up', at(9))).toBe('not_found')
      await rate('up')
      await remove(reply.id)
      expect(await rate('down')).toBe('not_found')
      await store.endSession(ours.botId, hash, 'logged_out', at(9))
      expect(await rate('up')).toBe('ended')
    })
  })
}
