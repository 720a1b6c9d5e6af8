import { beforeEach, describe, expect, it } from 'vitest'
import type { Store } from '../../store/store.ts'
import { at, newMessage, newSession, signIn, type TestTenants, useStore } from './storeTenants.ts'

export function describeStopTurn(open: () => Promise<Store>): void {
  const start = useStore(open)
  let tenants: TestTenants
  let store: Store
  beforeEach(async () => {
    tenants = await start()
    store = tenants.store
  })

  /** A conversation whose first message `owner` is answering. */
  async function startAnswering(owner = 'me') {
    const person = await signIn(store, tenants.ours)
    await store.appendVisitorMessage(person.hash, newMessage('hello', { createdAt: at(3) }))
    const leased = await store.leaseTurns(owner, at(4), at(12), 50)
    const replyId = leased.find(({ conversationId }) => conversationId === person.conversationId)?.replyId ?? ''
    return { ...person, replyId }
  }
  const due = async (conversationId: string, now: string) =>
    (await store.leaseTurns('next', now, at(900), 50)).filter(turn => turn.conversationId === conversationId)

  describe('stopTurn', () => {
    it('tells the owner of the lease, at once and when it extends the lease, as often as it is repeated', async () => {
      const { hash, conversationId, replyId } = await startAnswering()
      for (let time = 0; time < 2; time++) expect(await store.stopTurn(hash, replyId, at(5))).toBe(true)
      expect(await store.renewTurns([[conversationId, 'me']], at(20))).toEqual(['stopped'])
      expect(await store.renewTurns([[conversationId, 'other']], at(20))).toEqual(['lost'])
      expect(await store.endTurn(conversationId, 'me', { reply: newMessage('He', { author: 'bot' }) })).not.toBe('lost')
      expect(await store.stopTurn(hash, replyId, at(6))).toBe(false)
      expect(await due(conversationId, at(30))).toEqual([])
    })

    it('does not stop the answer to a message that is sent meanwhile, also if it is repeated late', async () => {
      const { hash, conversationId, replyId } = await startAnswering()
      await store.appendVisitorMessage(hash, newMessage('and', { createdAt: at(5) }))
      expect(await store.stopTurn(hash, replyId, at(6))).toBe(true)
      await store.endTurn(conversationId, 'me')
      expect(await store.stopTurn(hash, replyId, at(7))).toBe(false)
      const [next] = await due(conversationId, at(7))
      expect(next).toMatchObject({ isStopped: false, formerReplyId: null })
      expect(next?.replyId).not.toBe(replyId)
      expect(await store.stopTurn(hash, replyId, at(8))).toBe(false)
      expect(await store.renewTurns([[conversationId, 'next']], at(900))).toEqual(['held'])
    })

    it('lets the next owner know if the former one was lost, but not if there is another message by then', async () => {
      const [silent, talking] = [await startAnswering(), await startAnswering()]
      for (const { hash, replyId } of [silent, talking]) await store.stopTurn(hash, replyId, at(5))
      await store.appendVisitorMessage(talking.hash, newMessage('and', { createdAt: at(6) }))
      const turns = await store.leaseTurns('next', at(13), at(900), 50)
      for (const [{ conversationId, replyId }, isStopped] of [
        [silent, true],
        [talking, false],
      ] as const)
        expect(turns.find(turn => turn.conversationId === conversationId)).toMatchObject({
          isStopped,
          formerReplyId: replyId,
        })
    })

    it('ends a turn that was given back, unless there is another message by then', async () => {
      const [silent, talking] = [await startAnswering(), await startAnswering()]
      for (const { conversationId } of [silent, talking]) await store.giveBackTurn(conversationId, 'me')
      await store.appendVisitorMessage(talking.hash, newMessage('and', { createdAt: at(5) }))
      for (const { hash, replyId } of [silent, talking]) expect(await store.stopTurn(hash, replyId, at(6))).toBe(false)
      const left = (await store.leaseTurns('next', at(7), at(900), 50)).map(({ conversationId }) => conversationId)
      expect(left).not.toContain(silent.conversationId)
      expect(left).toContain(talking.conversationId)
    })

    it('is for the own conversation of an open session', async () => {
      const { hash, conversationId, replyId } = await startAnswering()
      const stranger = newSession()
      await store.createVisitorSession(tenants.ours.botId, stranger)
      expect(await store.stopTurn(stranger.hash, replyId, at(5))).toBe(false)
      await store.endSession(tenants.ours.botId, hash, 'revoked', at(5))
      expect(await store.stopTurn(hash, replyId, at(6))).toBe('ended')
      expect(await store.renewTurns([[conversationId, 'me']], at(20))).toEqual(['held'])
    })
  })
}
