import { describe, expect } from 'vitest'
import type { BotScope, Store } from '../../store/store.ts'
import { at, newMessage, signIn, storeTests } from './storeTenants.ts'

/** A conversation whose first message `me` is answering. */
async function startAnswering(store: Store, ours: BotScope) {
  const person = await signIn(store, ours)
  const { hash, conversationId } = person
  await person.send()
  const leased = await store.leaseTurns('me', at(4), at(12), 50)
  const replyId = leased.find(turn => turn.conversationId === conversationId)?.replyId ?? ''
  const stop = (second: number) => store.stopTurn(hash, replyId, at(second))
  const renew = async (owner = 'me') => (await store.renewTurns([[conversationId, owner]], at(20)))[0]
  return { ...person, replyId, stop, renew }
}

export function describeStopTurn(open: () => Promise<Store>): void {
  const it = storeTests(open)
    .extend('silent', ({ store, ours }) => startAnswering(store, ours))
    .extend('talking', ({ store, ours }) => startAnswering(store, ours))

  describe('stopTurn', () => {
    it('tells the owner of the lease, also when it extends the lease', async ({ store, silent }) => {
      const { stop, renew, conversationId } = silent
      expect([await stop(5), await stop(5)]).toEqual([true, true])
      expect([await renew(), await renew('other')]).toEqual(['stopped', 'lost'])
      const reply = newMessage('He', { author: 'bot' })
      expect(await store.endTurn(conversationId, 'me', { reply })).not.toBe('lost')
      expect(await stop(6)).toBe(false)
      expect(await silent.dueTurns(at(30))).toEqual([])
    })

    it('does not stop the answer to a message that is sent meanwhile', async ({ store, talking }) => {
      const { stop, conversationId, replyId } = talking
      await talking.send('and', { createdAt: at(5) })
      expect(await stop(6)).toBe(true)
      await store.endTurn(conversationId, 'me')
      expect(await stop(7)).toBe(false)
      const leased = await store.leaseTurns('next', at(7), at(900), 50)
      const next = leased.find(turn => turn.conversationId === conversationId)
      expect(next).toMatchObject({ isStopped: false, formerReplyId: null })
      expect(next?.replyId).not.toBe(replyId)
      expect(await stop(8)).toBe(false)
      expect(await talking.renew('next')).toBe('held')
    })

    it('lets the next owner know, unless there is another message', async ({ store, silent, talking }) => {
      for (const { stop } of [silent, talking]) await stop(5)
      await talking.send('and', { createdAt: at(6) })
      const turns = await store.leaseTurns('next', at(13), at(900), 50)
      for (const [{ conversationId, replyId }, isStopped] of [
        [silent, true],
        [talking, false],
      ] as const) {
        const next = turns.find(turn => turn.conversationId === conversationId)
        expect(next).toMatchObject({ isStopped, formerReplyId: replyId })
      }
    })

    it('ends a turn that was given back, unless there is another message', async ({ store, silent, talking }) => {
      for (const { conversationId } of [silent, talking]) await store.giveBackTurn(conversationId, 'me')
      await talking.send('and', { createdAt: at(5) })
      expect([await silent.stop(6), await talking.stop(6)]).toEqual([false, false])
      expect([await silent.dueTurns(at(7)), await talking.dueTurns(at(7))]).toMatchObject([[], [{}]])
    })

    it('is for the own conversation of an open session', async ({ store, ours, silent, visitor }) => {
      expect(await store.stopTurn(visitor.hash, silent.replyId, at(5))).toBe(false)
      await store.endSession(ours.botId, silent.hash, 'revoked', at(5))
      expect(await silent.stop(6)).toBe('ended')
      expect(await silent.renew()).toBe('held')
    })
  })
}
