import { beforeEach, describe, expect, it } from 'vitest'
import { maxHistory } from '../../../contract/index.ts'
import type { Store } from '../../store/store.ts'
import { at, newMessage, newSession, signIn, type TestTenants, useStore } from './storeTenants.ts'

export function describeTurns(open: () => Promise<Store>): void {
  const start = useStore(open)
  let tenants: TestTenants
  let store: Store
  beforeEach(async () => {
    tenants = await start()
    store = tenants.store
    // Turns are leased from the whole store, so end those of earlier tests first.
    const left = () => store.leaseTurns('over', at(1e9), at(2e9), 1000)
    for (let turns = await left(); turns.length > 0; turns = await left())
      for (const { conversationId } of turns) await store.endTurn(conversationId, 'over')
  })

  const reply = (text: string) =>
    newMessage(text, {
      author: 'bot',
      quickReplies: ['More'],
      sources: [{ title: 'Returns', url: 'https://shop.example/returns' }],
    })

  describe('leaseTurns', () => {
    it('leases a turn to one owner until the lease expires', async () => {
      const { hash, conversationId, contact } = await signIn(store, tenants.ours)
      await store.appendVisitorMessage(hash, newMessage('hello'))
      const both = await Promise.all([
        store.leaseTurns('one', at(4), at(10), 5),
        store.leaseTurns('two', at(4), at(10), 5),
      ])
      expect(both.flat()).toHaveLength(1)
      expect(both.flat()[0]).toMatchObject({ conversationId, botId: tenants.ours.botId, attempt: 1 })
      expect(both.flat()[0]?.contact).toEqual({ id: contact.id, name: 'Ada' })
      expect(await store.leaseTurns('two', at(9), at(19), 5)).toEqual([])
      expect(await store.leaseTurns('two', at(10), at(20), 5)).toMatchObject([{ conversationId, attempt: 2 }])
    })

    it('says in which language the visitor’s widget is', async () => {
      const { hash, conversationId } = await signIn(store, tenants.ours)
      await store.appendVisitorMessage(hash, newMessage('hello'))
      expect(await store.leaseTurns('one', at(4), at(10), 5)).toMatchObject([{ conversationId, locale: null }])
      await store.appendVisitorMessage(hash, { ...newMessage('Guten Tag'), locale: 'de-AT' })
      await store.endTurn(conversationId, 'one')
      expect(await store.leaseTurns('one', at(4), at(10), 5)).toMatchObject([{ conversationId, locale: 'de-AT' }])
    })

    it('returns at most the requested number, and each turn to one owner', async () => {
      for (const name of ['Ada', 'Grace', 'Alan']) {
        const { hash } = await signIn(store, tenants.ours, name)
        await store.appendVisitorMessage(hash, newMessage('hello'))
      }
      const leased = [
        ...(await store.leaseTurns('one', at(4), at(9), 2)),
        ...(await store.leaseTurns('two', at(4), at(9), 2)),
      ]
      expect(leased).toHaveLength(3)
      expect(new Set(leased.map(turn => turn.conversationId)).size).toBe(3)
    })

    it('leases the turn first whose message came first, and none of bots that have no room', async () => {
      const sent: string[] = []
      for (const [tenant, second] of [
        [tenants.ours, 9],
        [tenants.sibling, 5],
        [tenants.ours, 7],
      ] as const) {
        const { hash, conversationId } = await signIn(store, tenant, `Person ${second}`)
        await store.appendVisitorMessage(hash, newMessage('hello', { createdAt: at(second) }))
        sent.push(conversationId)
      }
      const lease = async (full: string[] = []) =>
        (await store.leaseTurns('one', at(20), at(30), 1, full)).map(({ conversationId }) => conversationId)
      expect(await lease([tenants.sibling.botId])).toEqual([sent[2]])
      expect(await lease([tenants.sibling.botId, tenants.ours.botId])).toEqual([])
      expect([await lease(), await lease(), await lease()]).toEqual([[sent[1]], [sent[0]], []])
    })

    it('has nothing to lease for a bot without a responder', async () => {
      await store.updateBot(tenants.ours.botId, { responder: { kind: 'none' } })
      const { hash } = await signIn(store, tenants.ours)
      await store.appendVisitorMessage(hash, newMessage('hello'))
      expect(await store.leaseTurns('one', at(4), at(10), 5)).toEqual([])
      await store.updateBot(tenants.ours.botId, { responder: { kind: 'faq' } })
    })

    it('leases a turn that was given back at once, counting neither the attempt nor another turn', async () => {
      const { hash, conversationId } = await signIn(store, tenants.ours)
      await store.appendVisitorMessage(hash, newMessage('hello'))
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
      expect(await store.leaseTurns('me', at(10), at(20), 5)).toMatchObject([
        { attempt: 2, recentTurns: { ofConversation: 1 } },
      ])
    })

    it('keeps a renewed lease, and reports a lost one to its owner', async () => {
      const { hash, conversationId } = await signIn(store, tenants.ours)
      await store.appendVisitorMessage(hash, newMessage('hello'))
      await store.leaseTurns('one', at(4), at(10), 5)
      expect(await store.renewTurns([[conversationId, 'one']], at(20))).toEqual(['held'])
      expect(await store.leaseTurns('two', at(15), at(25), 5)).toEqual([])
      expect(await store.leaseTurns('two', at(20), at(30), 5)).toHaveLength(1)
      expect(await store.renewTurns([[conversationId, 'one']], at(40))).toEqual(['lost'])
      expect(await store.endTurn(conversationId, 'one', { reply: reply('late') })).toBe('lost')
      expect(await store.listMessages(conversationId, { limit: 10 })).toHaveLength(1)
    })

    it('deletes the turn of a deleted contact', async () => {
      const { hash, conversationId, scope } = await signIn(store, tenants.ours)
      await store.appendVisitorMessage(hash, newMessage('hello'))
      await store.leaseTurns('one', at(4), at(10), 5)
      await store.deleteContact(scope, at(5))
      expect(await store.endTurn(conversationId, 'one', { reply: reply('hi') })).toBe('lost')
      expect(await store.leaseTurns('two', at(60), at(70), 5)).toEqual([])
    })
  })

  describe('endTurn', () => {
    it('ends the turn without a reply, only for its owner', async () => {
      const { hash, conversationId } = await signIn(store, tenants.ours)
      await store.appendVisitorMessage(hash, newMessage('hello'))
      await store.leaseTurns('one', at(4), at(10), 5)
      expect(await store.endTurn(conversationId, 'two')).toBe('lost')
      expect(await store.endTurn(conversationId, 'one')).toBe('ended')
      expect(await store.endTurn(conversationId, 'one')).toBe('lost')
      expect(await store.listMessages(conversationId, { limit: 10 })).toHaveLength(1)
      expect(await store.leaseTurns('two', at(60), at(70), 5)).toEqual([])
    })

    it('leaves the messages that arrived meanwhile to the next turn', async () => {
      const { hash, conversationId } = await signIn(store, tenants.ours)
      await store.appendVisitorMessage(hash, newMessage('one'))
      await store.leaseTurns('me', at(4), at(10), 5)
      await store.appendVisitorMessage(hash, newMessage('two'))
      await store.endTurn(conversationId, 'me')
      expect(await store.leaseTurns('me', at(5), at(10), 5)).toMatchObject([{ conversationId, attempt: 1 }])
    })
  })

  describe('recentTurns', () => {
    /** Starts and ends a turn at each of the times, and returns the counts of each. */
    async function begin(hash: string, conversationId: string, ...times: string[]) {
      const counts: number[][] = []
      for (const time of times) {
        await store.appendVisitorMessage(hash, newMessage('hello'))
        const [turn] = await store.leaseTurns('me', time, at(1e8), 1)
        await store.endTurn(conversationId, 'me')
        if (turn) counts.push([turn.recentTurns.ofConversation, turn.recentTurns.ofBot, turn.recentTurns.ofBotToday])
      }
      return counts
    }

    it('counts the turns of the last minute and of the day, separately for each bot and conversation', async () => {
      const [ada, grace] = [await signIn(store, tenants.ours), await signIn(store, tenants.ours, 'Grace')]
      const other = await signIn(store, tenants.sibling)
      expect(await begin(ada.hash, ada.conversationId, at(4), at(5))).toEqual([
        [1, 1, 1],
        [2, 2, 2],
      ])
      expect(await begin(grace.hash, grace.conversationId, at(6))).toEqual([[1, 3, 3]])
      expect(await begin(other.hash, other.conversationId, at(7))).toEqual([[1, 1, 1]])
      // A turn that started exactly one minute earlier no longer counts.
      expect(await begin(ada.hash, ada.conversationId, at(64), at(65), at(500))).toEqual([
        [2, 3, 4],
        [2, 3, 5],
        [1, 1, 6],
      ])
    })

    it('counts those of anonymous visitors, in all and by source, and the conversations of each', async () => {
      const ada = await signIn(store, tenants.ours)
      const visitors = [newSession(), newSession(), newSession()] as const
      for (const visitor of visitors) await store.createVisitorSession(tenants.ours.botId, visitor)
      const [one, two, three] = visitors.map(({ hash }) => hash) as [string, string, string]
      const turnOf = async (hash: string, time: string, source?: number) => {
        await store.appendVisitorMessage(hash, newMessage('hello'), source)
        const [turn] = await store.leaseTurns('me', time, at(1e8), 1)
        await store.endTurn(turn?.conversationId ?? '', 'me')
        return turn?.recentTurns
      }
      const counts = (ofBot: number[], ofAnonymous: number[], ofSource: number[]) => ({
        ...{ ofBot: ofBot[0], conversationsOfBot: ofBot[1] },
        ...{ ofAnonymous: ofAnonymous[0], conversationsOfAnonymous: ofAnonymous[1] },
        ...{ ofSource: ofSource[0], conversationsOfSource: ofSource[1] },
      })
      expect(await turnOf(ada.hash, at(4))).toMatchObject(counts([1, 1], [0, 0], [0, 0]))
      expect(await turnOf(one, at(5), 7)).toMatchObject(counts([2, 2], [1, 1], [1, 1]))
      expect(await turnOf(two, at(5), 7)).toMatchObject(counts([3, 3], [2, 2], [2, 2]))
      expect(await turnOf(two, at(6), 7)).toMatchObject(counts([4, 3], [3, 2], [3, 2]))
      expect(await turnOf(three, at(6), 0)).toMatchObject(counts([5, 4], [4, 3], [1, 1]))
      expect(await turnOf(ada.hash, at(6))).toMatchObject(counts([6, 4], [4, 3], [0, 0]))
      expect(await turnOf(one, at(65.5), 7)).toMatchObject(counts([4, 4], [3, 3], [2, 2]))
    })

    it('begins a new day at midnight UTC, and keeps counting when the clock is set back', async () => {
      const { hash, conversationId } = await signIn(store, tenants.ours)
      const day = 24 * 60 * 60
      const times = [at(day - 2), at(day - 1), at(day), at(day - 1)]
      const counts = await begin(hash, conversationId, ...times)
      expect(counts.map(([, , today]) => today)).toEqual([1, 2, 1, 3])
    })

    it('counts a turn once, however often it is leased', async () => {
      const { hash, conversationId } = await signIn(store, tenants.ours)
      await store.appendVisitorMessage(hash, newMessage('hello'))
      const once = { ofConversation: 1, ofBot: 1, ofAnonymous: 0, ofBotToday: 1 }
      expect(await store.leaseTurns('one', at(4), at(10), 5)).toMatchObject([{ attempt: 1, recentTurns: once }])
      const grace = await signIn(store, tenants.ours, 'Grace')
      expect(await begin(grace.hash, grace.conversationId, at(9))).toEqual([[1, 2, 2]])
      expect(await store.leaseTurns('two', at(10), at(20), 5)).toMatchObject([{ attempt: 2, recentTurns: once }])
      await store.endTurn(conversationId, 'two', { reply: reply('hi') })
      expect(await begin(hash, conversationId, at(11))).toEqual([[2, 3, 3]])
    })
  })

  describe('endTurn with a reply', () => {
    it('counts a refused turn as not started', async () => {
      const { hash, conversationId } = await signIn(store, tenants.ours)
      const turn = async (refused: boolean) => {
        await store.appendVisitorMessage(hash, newMessage('hello'))
        const [leased] = await store.leaseTurns('me', at(4), at(10), 5)
        await store.endTurn(conversationId, 'me', { reply: reply('hi'), refused })
        return leased?.recentTurns
      }
      const counts = (count: number) => ({
        ...{ ofConversation: count, ofBot: count, ofAnonymous: 0, ofSource: 0, ofBotToday: count },
        ...{ conversationsOfBot: 1, conversationsOfAnonymous: 0, conversationsOfSource: 0 },
      })
      expect(await turn(false)).toEqual(counts(1))
      expect([await turn(true), await turn(true)]).toEqual([counts(2), counts(2)])
      expect(await turn(false)).toEqual(counts(2))
      expect(await turn(false)).toEqual(counts(3))
    })

    it('stores the reply and ends the turn', async () => {
      const { hash, conversationId } = await signIn(store, tenants.ours)
      await store.appendVisitorMessage(hash, newMessage('hello'))
      await store.leaseTurns('one', at(4), at(10), 5)
      const answer = reply('hi')
      expect(await store.endTurn(conversationId, 'one', { reply: answer })).toEqual({ ...answer, seq: 2 })
      expect((await store.listMessages(conversationId, { limit: 10 })).at(-1)).toEqual({ ...answer, seq: 2 })
      expect(await store.endTurn(conversationId, 'one', { reply: reply('twice') })).toBe('lost')
      expect(await store.leaseTurns('two', at(60), at(70), 5)).toEqual([])
    })

    it('gives the reply another id if a message already has its id', async () => {
      const { hash, conversationId } = await signIn(store, tenants.ours)
      await store.appendVisitorMessage(hash, newMessage('hello'))
      await store.leaseTurns('one', at(4), at(10), 5)
      const answer = reply('hi')
      await store.appendVisitorMessage(hash, newMessage('mine', { id: answer.id }))
      const stored = await store.endTurn(conversationId, 'one', { reply: answer })
      expect(stored).toEqual({ ...answer, seq: 3, id: expect.not.stringMatching(answer.id) })
      expect((await store.listMessages(conversationId, { limit: 10 })).slice(1)).toMatchObject([
        { id: answer.id, text: 'mine' },
        stored,
      ])
    })

    it('creates the next turn from the messages that arrived meanwhile, which come last', async () => {
      const { hash, conversationId } = await signIn(store, tenants.ours)
      const send = (text: string) => store.appendVisitorMessage(hash, newMessage(text))
      await send('one')
      await send('two')
      const [first] = await store.leaseTurns('me', at(4), at(10), 5)
      await send('three')
      expect(await store.leaseTurns('me', at(5), at(10), 5)).toEqual([])
      await store.endTurn(conversationId, 'me', { reply: reply('to two') })
      const [next] = await store.leaseTurns('me', at(5), at(10), 5)
      const texts = (turn = first) => turn?.messages.map(({ text }) => text)
      expect(texts(first)).toEqual(['one', 'two'])
      expect(texts(next)).toEqual(['one', 'two', 'to two', 'three'])
      expect(next?.attempt).toBe(1)
      await store.endTurn(conversationId, 'me', { reply: reply('to three') })
      expect(await store.leaseTurns('me', at(60), at(70), 5)).toEqual([])
    })

    it('returns only the last messages of a long conversation', async () => {
      const { hash, conversationId } = await signIn(store, tenants.ours)
      for (let count = 1; count <= maxHistory + 1; count++)
        await store.appendVisitorMessage(hash, newMessage(`${count}`))
      await store.leaseTurns('me', at(4), at(10), 5)
      await store.endTurn(conversationId, 'me', { reply: reply('hi') })
      await store.appendVisitorMessage(hash, newMessage('more'))
      const [turn] = await store.leaseTurns('me', at(5), at(10), 5)
      expect(turn?.messages).toHaveLength(maxHistory)
      expect(turn?.messages.slice(-3).map(({ text }) => text)).toEqual([`${maxHistory + 1}`, 'hi', 'more'])
    })

    it('replies once to a message that is sent twice', async () => {
      const { hash, conversationId } = await signIn(store, tenants.ours)
      const message = newMessage('hello')
      await store.appendVisitorMessage(hash, message)
      await store.leaseTurns('me', at(4), at(10), 5)
      await store.endTurn(conversationId, 'me', { reply: reply('hi') })
      await store.appendVisitorMessage(hash, message)
      expect(await store.leaseTurns('me', at(5), at(10), 5)).toEqual([])
    })
  })
}
