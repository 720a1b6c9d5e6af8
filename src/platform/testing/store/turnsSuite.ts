import { describe, expect } from 'vitest'
import { maxHistory } from '../../../contract/index.ts'
import type { Store } from '../../store/store.ts'
import { at, newMessage, signIn, storeTests, type visit } from './storeTenants.ts'

type Talk = Awaited<ReturnType<typeof visit>>

const newReply = (text: string) =>
  newMessage(text, {
    ...{ author: 'bot', quickReplies: ['More'] },
    sources: [{ title: 'Returns', url: 'https://shop.example/returns' }],
  })

export function describeTurns(open: () => Promise<Store>): void {
  const it = storeTests(open)
  it.beforeEach(async ({ store }) => {
    // Turns are leased from the whole store, so end those of earlier tests first.
    const left = () => store.leaseTurns('over', at(1e9), at(2e9), 1000)
    for (let turns = await left(); turns.length > 0; turns = await left())
      for (const { conversationId } of turns) await store.endTurn(conversationId, 'over')
  })

  describe('leaseTurns', () => {
    it('leases a turn to one owner until the lease expires', async ({ store, ours, ada }) => {
      await ada.send()
      const both = await Promise.all(['one', 'two'].map(owner => store.leaseTurns(owner, at(4), at(10), 5)))
      const { id } = ada.contact
      const turn = { conversationId: ada.conversationId, botId: ours.botId, contact: { id, name: 'Ada' }, attempt: 1 }
      expect(both.flat()).toMatchObject([turn])
      expect(await store.leaseTurns('two', at(9), at(19), 5)).toEqual([])
      expect(await store.leaseTurns('two', at(10), at(20), 5)).toMatchObject([{ ...turn, attempt: 2 }])
    })

    it('says in which language the visitor’s widget is', async ({ store, ada }) => {
      await ada.send()
      expect(await store.leaseTurns('one', at(4), at(10), 5)).toMatchObject([{ locale: null }])
      await ada.send('Guten Tag', { locale: 'de-AT' })
      await store.endTurn(ada.conversationId, 'one')
      expect(await store.leaseTurns('one', at(4), at(10), 5)).toMatchObject([{ locale: 'de-AT' }])
    })

    it('leases the oldest first, and none of bots that have no room', async ({ store, ours, sibling }) => {
      const sent: string[] = []
      for (const [tenant, second] of [
        [ours, 9],
        [sibling, 5],
        [ours, 7],
      ] as const) {
        const person = await signIn(store, tenant)
        await person.send('hello', { createdAt: at(second) })
        sent.push(person.conversationId)
      }
      const lease = async (full: string[] = [], limit = 1) =>
        (await store.leaseTurns('one', at(20), at(30), limit, full)).map(({ conversationId }) => conversationId)
      expect(await lease([sibling.botId])).toEqual([sent[2]])
      expect(await lease([sibling.botId, ours.botId])).toEqual([])
      expect([await lease(), await lease([], 2), await lease()]).toEqual([[sent[1]], [sent[0]], []])
    })

    it('has nothing to lease for a bot without a responder', async ({ store, ours, ada }) => {
      await store.updateBot(ours.botId, { responder: { kind: 'none' } })
      await ada.send()
      expect(await store.leaseTurns('one', at(4), at(10), 5)).toEqual([])
    })

    it('leases a turn that was given back at once, counting no other attempt or turn', async ({ store, ada }) => {
      const { conversationId } = ada
      await ada.send()
      for (const owner of ['one', 'two', 'three', 'four']) {
        const [turn] = await store.leaseTurns(owner, at(4), at(10), 5)
        expect(turn).toMatchObject({ conversationId, attempt: 1, recentTurns: { ofConversation: 1 } })
        await store.giveBackTurn(conversationId, 'another')
        expect(await store.leaseTurns('another', at(5), at(10), 5)).toEqual([])
        await store.giveBackTurn(conversationId, owner)
        expect(await store.renewTurns([[conversationId, owner]], at(11))).toEqual(['lost'])
      }
      await store.leaseTurns('crashed', at(4), at(10), 5)
      await store.leaseTurns('me', at(10), at(20), 5)
      await store.giveBackTurn(conversationId, 'me')
      const [turn] = await store.leaseTurns('me', at(10), at(20), 5)
      expect(turn).toMatchObject({ attempt: 2, recentTurns: { ofConversation: 1 } })
    })

    it('keeps a renewed lease, and reports a lost one to its owner', async ({ store, ada }) => {
      const { conversationId } = ada
      await ada.send()
      await store.leaseTurns('one', at(4), at(10), 5)
      expect(await store.renewTurns([[conversationId, 'one']], at(20))).toEqual(['held'])
      expect(await store.leaseTurns('two', at(15), at(25), 5)).toEqual([])
      expect(await store.leaseTurns('two', at(20), at(30), 5)).toHaveLength(1)
      expect(await store.renewTurns([[conversationId, 'one']], at(40))).toEqual(['lost'])
      expect(await store.endTurn(conversationId, 'one', { reply: newReply('late') })).toBe('lost')
      expect(await ada.said()).toEqual(['hello'])
    })

    it('deletes the turn of a deleted contact', async ({ store, ada }) => {
      await ada.send()
      await store.leaseTurns('one', at(4), at(10), 5)
      await store.deleteContact(ada.scope, at(5))
      expect(await store.endTurn(ada.conversationId, 'one', { reply: newReply('hi') })).toBe('lost')
      expect(await store.leaseTurns('two', at(60), at(70), 5)).toEqual([])
    })
  })

  describe('recentTurns', () => {
    /** Begins and ends a turn at each of the times, and returns its counts: of the conversation, the bot and the day. */
    async function begin(store: Store, talk: Talk, ...times: string[]) {
      const counts: number[][] = []
      for (const time of times) {
        await talk.send()
        const [turn] = await store.leaseTurns('me', time, at(1e8), 1)
        await store.endTurn(talk.conversationId, 'me')
        if (turn) counts.push([turn.recentTurns.ofConversation, turn.recentTurns.ofBot, turn.recentTurns.ofBotToday])
      }
      return counts
    }

    it('counts those of a minute and a day, of each bot and conversation', async ({ store, sibling, ada, grace }) => {
      const other = await signIn(store, sibling)
      expect(await begin(store, ada, at(4), at(5))).toEqual([
        [1, 1, 1],
        [2, 2, 2],
      ])
      expect(await begin(store, grace, at(6))).toEqual([[1, 3, 3]])
      expect(await begin(store, other, at(7))).toEqual([[1, 1, 1]])
      // A turn that started exactly one minute earlier no longer counts.
      expect(await begin(store, ada, at(64), at(65), at(500))).toEqual([
        [2, 3, 4],
        [2, 3, 5],
        [1, 1, 6],
      ])
    })

    it('begins a new day at midnight UTC, and keeps counting when the clock is set back', async ({ store, ada }) => {
      const day = 24 * 60 * 60
      const counts = await begin(store, ada, at(day - 2), at(day - 1), at(day), at(day - 1))
      expect(counts.map(([, , today]) => today)).toEqual([1, 2, 1, 3])
    })

    it('counts a turn once, however often it is leased', async ({ store, ada, grace }) => {
      await ada.send()
      const once = { ofConversation: 1, ofBot: 1, ofBotToday: 1 }
      expect(await store.leaseTurns('one', at(4), at(10), 5)).toMatchObject([{ attempt: 1, recentTurns: once }])
      expect(await begin(store, grace, at(9))).toEqual([[1, 2, 2]])
      expect(await store.leaseTurns('two', at(10), at(20), 5)).toMatchObject([{ attempt: 2, recentTurns: once }])
      await store.endTurn(ada.conversationId, 'two', { reply: newReply('hi') })
      expect(await begin(store, ada, at(11))).toEqual([[2, 3, 3]])
    })

    it('counts a refused turn as not started', async ({ store, ada }) => {
      const counts = []
      for (const refused of [false, true, true, false, false]) {
        await ada.send()
        const [leased] = await store.leaseTurns('me', at(4), at(10), 5)
        await store.endTurn(ada.conversationId, 'me', { reply: newReply('hi'), refused })
        counts.push(leased?.recentTurns)
      }
      expect(counts).toEqual([1, 2, 2, 2, 3].map(count => ({ ofConversation: count, ofBot: count, ofBotToday: count })))
    })
  })

  describe('endTurn', () => {
    it.for([
      ['with its reply', newReply('hi')],
      ['without a reply', undefined],
    ] as const)('ends the turn %s, once and only for its owner', async ([, reply], { store, ada }) => {
      const message = newMessage('hello')
      await ada.send('', message)
      await store.leaseTurns('one', at(4), at(10), 5)
      const end = (owner: string) => store.endTurn(ada.conversationId, owner, reply && { reply })
      expect(await end('two')).toBe('lost')
      expect(await end('one')).toEqual(reply ? { ...reply, seq: 2 } : 'no_reply')
      expect(await end('one')).toBe('lost')
      expect(await ada.messages()).toEqual([{ ...message, seq: 1 }, ...(reply ? [{ ...reply, seq: 2 }] : [])])
      // A message that is sent twice is answered once.
      expect(await ada.send('', message)).toMatchObject({ repeated: true })
      expect(await store.leaseTurns('two', at(60), at(70), 5)).toEqual([])
    })

    it('gives the reply another id if a message already has its id', async ({ store, ada }) => {
      await ada.send()
      await store.leaseTurns('one', at(4), at(10), 5)
      const answer = newReply('hi')
      await ada.send('mine', { id: answer.id })
      const stored = await store.endTurn(ada.conversationId, 'one', { reply: answer })
      expect(stored).toEqual({ ...answer, seq: 3, id: expect.not.stringMatching(answer.id) })
      expect(await ada.messages()).toMatchObject([{ text: 'hello' }, { id: answer.id, text: 'mine' }, stored])
    })

    it('creates the next turn from the messages that arrived meanwhile, which come last', async ({ store, ada }) => {
      const { conversationId, send } = ada
      for (const text of ['one', 'two']) await send(text)
      const [first] = await store.leaseTurns('me', at(4), at(10), 5)
      await send('three')
      expect(await store.leaseTurns('me', at(5), at(10), 5)).toEqual([])
      await store.endTurn(conversationId, 'me', { reply: newReply('to two') })
      const [next] = await store.leaseTurns('me', at(5), at(10), 5)
      const texts = [first, next].map(turn => turn?.messages.map(({ text }) => text))
      expect(texts).toEqual([
        ['one', 'two'],
        ['one', 'two', 'to two', 'three'],
      ])
      expect(next?.attempt).toBe(1)
      await send('four')
      await store.endTurn(conversationId, 'me')
      expect(await store.leaseTurns('me', at(5), at(10), 5)).toMatchObject([{ conversationId, attempt: 1 }])
      await store.endTurn(conversationId, 'me', { reply: newReply('to four') })
      expect(await store.leaseTurns('me', at(60), at(70), 5)).toEqual([])
    })

    it('leaves only the last messages of a long conversation to the next turn', async ({ store, ada }) => {
      for (let count = 1; count <= maxHistory + 1; count++) await ada.send(`${count}`)
      await store.leaseTurns('me', at(4), at(10), 5)
      await store.endTurn(ada.conversationId, 'me', { reply: newReply('hi') })
      await ada.send('more')
      const [turn] = await store.leaseTurns('me', at(5), at(10), 5)
      expect(turn?.messages).toHaveLength(maxHistory)
      expect(turn?.messages.slice(-3).map(({ text }) => text)).toEqual([`${maxHistory + 1}`, 'hi', 'more'])
    })
  })
}
