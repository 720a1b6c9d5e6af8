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
    await store.leaseTurns(owner, at(4), at(12), 50)
    return person
  }
  const due = async (conversationId: string, now: string) =>
    (await store.leaseTurns('next', now, at(900), 50)).filter(turn => turn.conversationId === conversationId)

  describe('stopTurn', () => {
    it('tells the owner of the lease, at once and when it extends the lease, as often as it is repeated', async () => {
      const { hash, conversationId } = await startAnswering()
      for (let time = 0; time < 2; time++) expect(await store.stopTurn(hash, 1, at(5))).toEqual({ owner: 'me' })
      expect(await store.renewTurn(conversationId, 'me', at(20))).toBe('stopped')
      expect(await store.renewTurn(conversationId, 'other', at(20))).toBe('lost')
      expect(await store.completeTurn(conversationId, 'me', newMessage('He', { author: 'bot' }))).not.toBeNull()
      expect(await store.stopTurn(hash, 1, at(6))).toBeNull()
      expect(await due(conversationId, at(30))).toEqual([])
    })

    it('does not stop the answer to a message after seq, nor one that is sent later', async () => {
      const { hash, conversationId } = await startAnswering()
      expect(await store.stopTurn(hash, 0, at(5))).toBeNull()
      await store.appendVisitorMessage(hash, newMessage('and', { createdAt: at(5) }))
      expect(await store.stopTurn(hash, Number.MAX_SAFE_INTEGER, at(6))).toEqual({ owner: 'me' })
      await store.endTurn(conversationId, 'me')
      expect(await due(conversationId, at(7))).toMatchObject([{ isStopped: false }])
      expect(await store.renewTurn(conversationId, 'next', at(900))).toBe('held')
    })

    it('lets the next owner know if the former one was lost, but not if there is another message by then', async () => {
      const [silent, talking] = [await startAnswering(), await startAnswering()]
      for (const { hash } of [silent, talking]) await store.stopTurn(hash, 1, at(5))
      await store.appendVisitorMessage(talking.hash, newMessage('and', { createdAt: at(6) }))
      const turns = await store.leaseTurns('next', at(13), at(900), 50)
      const isStopped = (conversationId: string) =>
        turns.find(turn => turn.conversationId === conversationId)?.isStopped
      expect([isStopped(silent.conversationId), isStopped(talking.conversationId)]).toEqual([true, false])
    })

    it('ends a turn that was given back', async () => {
      const { hash, conversationId } = await startAnswering()
      await store.giveBackTurn(conversationId, 'me')
      expect(await store.stopTurn(hash, 1, at(5))).toBeNull()
      expect(await due(conversationId, at(6))).toEqual([])
    })

    it('is for the own conversation of an open session', async () => {
      const { hash, conversationId } = await startAnswering()
      const stranger = newSession()
      await store.createVisitorSession(tenants.ours.botId, stranger)
      expect(await store.stopTurn(stranger.hash, 9, at(5))).toBeNull()
      await store.endSession(tenants.ours.botId, hash, 'revoked', at(5))
      expect(await store.stopTurn(hash, 9, at(6))).toBe('ended')
      expect(await store.renewTurn(conversationId, 'me', at(20))).toBe('held')
    })
  })
}
