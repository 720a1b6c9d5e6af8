import { beforeEach, describe, expect, it } from 'vitest'
import type { Store } from '../../store/store.ts'
import { at, newMessage, signIn, type TestTenants, useStore } from './storeTenants.ts'

export function describeMessageChanges(open: () => Promise<Store>): void {
  const start = useStore(open)
  let tenants: TestTenants
  let store: Store
  beforeEach(async () => {
    tenants = await start()
    store = tenants.store
  })

  /** A conversation in which Ada has asked and Nora has answered. */
  async function talk() {
    const { ours } = tenants
    const ada = await signIn(store, ours)
    const which = { conversationId: ada.conversationId }
    const question = newMessage('My password is hunter2')
    await store.appendVisitorMessage(ada.hash, { ...question, claimed: { page: 'hunter2' } })
    const answer = newMessage('Never tell it to anyone', {
      ...{ author: 'agent', format: 'markdown', quickReplies: ['hunter2'], sender: { name: 'Nora hunter2' } },
    })
    await store.appendAgentMessage(ours, { ...which, newConversationId: 'unused' }, answer, null)
    const remove = (id: string) => store.removeMessage(ours, which, id, at(9))
    return { ...ada, ours, which, question, answer, remove }
  }

  describe('removeMessage', () => {
    it('leaves nothing of the message but its place', async () => {
      const { conversationId, question, answer, remove, scope } = await talk()
      expect(await remove(question.id)).toEqual({ conversationId, wasRemoved: false })
      expect(await remove(answer.id)).toEqual({ conversationId, wasRemoved: false })
      const place = { text: '', format: 'plain', createdAt: at(3), removedAt: at(9) }
      const left = [
        { id: question.id, seq: 1, author: 'visitor', ...place },
        { id: answer.id, seq: 2, author: 'agent', ...place },
      ]
      expect(await store.listMessages(conversationId, { limit: 9 })).toEqual(left)
      expect(await store.listMessagesWithContext(conversationId, { limit: 9 })).toEqual(left)
      expect((await store.exportContact(scope))?.messages).toEqual(left)
      expect(await store.listConversations(tenants.ours, { limit: 9 })).toMatchObject([{ lastMessage: left[1] }])
    })

    it('raises the revision once, however often it is repeated', async () => {
      const { conversationId, question, answer, remove } = await talk()
      expect((await store.findConversation(conversationId))?.revision).toBe(0)
      await remove(question.id)
      expect(await remove(question.id)).toEqual({ conversationId, wasRemoved: true })
      await remove(answer.id)
      expect((await store.findConversation(conversationId))?.revision).toBe(2)
    })

    it('finds nothing for an unknown message, another conversation, bot or organization', async () => {
      const { question, which, ours, contact } = await talk()
      const other = await signIn(store, ours, 'Grace')
      for (const result of [
        await store.removeMessage(ours, which, newMessage('').id, at(9)),
        await store.removeMessage(ours, { conversationId: other.conversationId }, question.id, at(9)),
        await store.removeMessage(tenants.sibling, which, question.id, at(9)),
        await store.removeMessage(tenants.otherOrganization, which, question.id, at(9)),
      ])
        expect(result).toBe('not_found')
      expect(await store.removeMessage(ours, { contactId: contact.id }, question.id, at(9))).toMatchObject({
        wasRemoved: false,
      })
    })

    it('does not count a removed message as unread', async () => {
      const { conversationId, hash, answer, question, remove, ours, which } = await talk()
      const unread = async () => (await store.findConversation(conversationId))?.unread
      await store.appendAgentMessage(ours, { ...which, newConversationId: 'unused' }, agentMessage('Hello?'), null)
      expect(await unread()).toBe(2)
      await remove(question.id)
      expect(await unread()).toBe(2)
      await remove(answer.id)
      expect(await unread()).toBe(1)
      await store.markRead(hash, 2, at(10))
      expect(await unread()).toBe(1)
      await store.markRead(hash, 3, at(10))
      expect(await unread()).toBe(0)
    })

    it('is not undone when the sender repeats the message', async () => {
      const { hash, question, answer, remove, ours, which, conversationId } = await talk()
      await remove(question.id)
      await remove(answer.id)
      const removed = { text: '', removedAt: at(9) }
      expect(await store.appendVisitorMessage(hash, question)).toMatchObject({ repeated: true, message: removed })
      const repeated = { ...which, newConversationId: 'unused' }
      expect(await store.appendAgentMessage(ours, repeated, answer, null)).toMatchObject({
        ...{ repeated: true, message: removed },
      })
      expect(await store.listMessages(conversationId, { limit: 9 })).toHaveLength(2)
      expect(await store.appendVisitorMessage(hash, { ...newMessage('Mine'), id: answer.id })).toBe('reused')
    })

    it('takes the text out of events that wait to be delivered, and adds an event without it', async () => {
      const { ours } = tenants
      await store.updateBot(ours.botId, { events: { url: 'https://shop.example', secret: 'whsec_AAAA' } })
      const { question, hash, remove } = await talk()
      await store.appendVisitorMessage(hash, newMessage('Another'))
      await remove(question.id)
      const limits = { all: 999, perBot: 99, except: [] }
      const leased = await store.leaseDeliveries('me', at(20), at(30), limits)
      const own = leased.map(({ event }) => event).filter(({ botId }) => botId === ours.botId)
      expect(JSON.stringify(own)).not.toContain('hunter2')
      expect(own.map(({ type, data }) => [type, 'message' in data && data.message.text])).toEqual([
        ['conversation.created', false],
        ['message.created', ''],
        ['message.created', 'Another'],
        ['message.removed', ''],
      ])
    })

    it('lets a reply that is being written begin again without the message', async () => {
      const { ours } = tenants
      const { hash, conversationId } = await signIn(store, ours)
      const [first, second] = [newMessage('hunter2'), newMessage('Are you there?')]
      for (const message of [first, second]) await store.appendVisitorMessage(hash, message)
      const lease = async (owner: string) =>
        (await store.leaseTurns(owner, at(4), at(12), 999)).find(turn => turn.conversationId === conversationId)
      await lease('one')
      await store.removeMessage(ours, { conversationId }, first.id, at(5))
      expect(await store.endTurn(conversationId, 'one', { reply: newMessage('hunter2?', { author: 'bot' }) })).toBe(
        'lost',
      )
      const again = await lease('two')
      expect(again).toMatchObject({ attempt: 1, recentTurns: { ofConversation: 1 } })
      expect(again?.messages.map(({ text }) => text)).toEqual(['Are you there?'])
      await store.removeMessage(ours, { conversationId }, second.id, at(5))
      expect(await store.renewTurns([[conversationId, 'two']], at(20))).toEqual(['lost'])
      expect(await lease('three')).toBeUndefined()
    })
  })

  describe('rateMessage', () => {
    it('stores a rating of an answer, changes it and takes it back, each with a revision', async () => {
      const { conversationId, hash, answer } = await talk()
      const rate = (rating: 'up' | 'down' | null) => store.rateMessage(hash, answer.id, rating, at(9))
      const ratings = [null, 'up', 'up', 'down', null, null] as const
      const results = []
      for (const rating of ratings) results.push(await rate(rating))
      expect(results).toMatchObject([
        { isSame: true, change: { revision: 0 } },
        { isSame: false, change: { revision: 1, message: { seq: 2, rating: 'up', text: answer.text } } },
        { isSame: true, change: { revision: 1, message: { rating: 'up' } } },
        { isSame: false, change: { revision: 2, message: { rating: 'down' } } },
        { isSame: false, change: { revision: 3 } },
        { isSame: true, change: { revision: 3 } },
      ])
      await rate('down')
      expect(await store.listMessagesWithContext(conversationId, { limit: 9 })).toMatchObject([{}, { rating: 'down' }])
      expect(await store.listConversations(tenants.ours, { limit: 9 })).toMatchObject([
        { lastMessage: { rating: 'down' } },
      ])
    })

    it('rates answers of the own conversation only, and in an open session', async () => {
      const { hash, question, answer, ours, remove } = await talk()
      const other = await signIn(store, ours, 'Grace')
      await store.appendVisitorMessage(other.hash, newMessage('Hello'))
      expect(await store.rateMessage(other.hash, answer.id, 'up', at(9))).toBe('not_found')
      expect(await store.rateMessage(hash, question.id, 'up', at(9))).toBe('not_found')
      await store.rateMessage(hash, answer.id, 'up', at(9))
      await remove(answer.id)
      expect(await store.rateMessage(hash, answer.id, 'down', at(9))).toBe('not_found')
      await store.endSession(ours.botId, hash, 'logged_out', at(9))
      expect(await store.rateMessage(hash, answer.id, 'up', at(9))).toBe('ended')
    })

    it('tells the events webhook of each change', async () => {
      const { ours } = tenants
      const { hash, answer } = await talk()
      await store.updateBot(ours.botId, { events: { url: 'https://shop.example', secret: 'whsec_AAAA' } })
      for (const rating of ['up', 'up', null] as const) await store.rateMessage(hash, answer.id, rating, at(9))
      const leased = await store.leaseDeliveries('me', at(20), at(30), { all: 999, perBot: 99, except: [] })
      const own = leased.map(({ event }) => event).filter(({ botId }) => botId === ours.botId)
      expect(own.map(({ type, data }) => [type, 'message' in data && data.message.rating])).toEqual([
        ['message.rated', 'up'],
        ['message.rated', undefined],
      ])
    })
  })

  describe('listMessagesChangedAfter', () => {
    it('lists changed messages as they are now, in the order of their last change', async () => {
      const { conversationId, question, answer, remove } = await talk()
      await remove(answer.id)
      await remove(question.id)
      const list = async (revision: number, limit = 9) =>
        (await store.listMessagesChangedAfter(conversationId, revision, limit)).map(change => [
          change.revision,
          change.message.seq,
        ])
      expect(await list(0)).toEqual([
        [1, 2],
        [2, 1],
      ])
      expect(await list(0, 1)).toEqual([[1, 2]])
      expect(await list(1)).toEqual([[2, 1]])
      expect(await list(2)).toEqual([])
      const [change] = await store.listMessagesChangedAfter(conversationId, 0, 1)
      expect(change?.message).toEqual((await store.listMessages(conversationId, { limit: 1 }))[0])
    })

    it('shows in a sweep that the revision has been raised', async () => {
      const { conversationId: id, question, remove } = await talk()
      await remove(question.id)
      const sweep = async (revision: number) =>
        (await store.sweep({ conversations: [{ id, lastSeq: 2, readSeq: 0, revision }], hashes: [], now: at(9) }))
          .conversations
      expect(await sweep(0)).toEqual([{ id, lastSeq: 2, readSeq: 0, revision: 1 }])
      expect(await sweep(1)).toEqual([])
    })
  })
}

const agentMessage = (text: string) => newMessage(text, { author: 'agent' })
