import { describe, expect } from 'vitest'
import type { Rating } from '../../../contract/index.ts'
import type { Store } from '../../store/store.ts'
import { at, newAnswer, newMessage, storeTests, visit } from './storeTenants.ts'

const day = 86_400
/** The first day of the store's tests, and the second. */
const [first, second] = [Date.parse(at(0)) / 1000 / day, Date.parse(at(0)) / 1000 / day + 1]

export function describeNumbers(open: () => Promise<Store>): void {
  const it = storeTests(open)
    /** What happens in the conversations of some visitors of the same bot. */
    .extend('talk', async ({ store, ours, grace }) => {
      const of = ({ hash, conversationId, send, answer }: Awaited<ReturnType<typeof visit>>) => ({
        ask: (text: string, time: number) => send(text, { createdAt: at(time) }),
        /** The responder answers. */
        async reply(time: number, rating?: Rating) {
          const reply = newMessage('An answer', { author: 'bot', createdAt: at(time) })
          await store.leaseTurns('me', at(1e6), at(2e6), 1000)
          await store.endTurn(conversationId, 'me', { reply })
          if (rating) await store.rateMessage(hash, reply.id, rating, at(time))
        },
        wantPerson: (time: number) => store.requestHandover(hash, { at: at(time), timeoutMs: 1e9 }),
        answer: (time: number) => answer(newAnswer('A person here', { createdAt: at(time) }), at(1e6)),
      })
      const anyone = async () => of(await visit(store, ours, { expiresAt: at(1e7) }))
      const compute = (range: { botIds?: string[]; since?: string; offsetSeconds?: number } = {}) =>
        store.computeNumbers(ours, { botIds: [ours.botId], since: at(0), offsetSeconds: 0, ...range })
      return { compute, ada: await anyone(), visitor: await anyone(), grace: of(grace) }
    })

  const none = { conversations: 0, byBot: 0, handedOver: 0, up: 0, down: 0, median: null, p90: null }

  describe('computeNumbers', () => {
    it('counts a conversation once on each day, by who answered it', async ({
      talk: { compute, ada, grace, visitor },
    }) => {
      await ada.ask('one', 10)
      await ada.reply(11, 'up')
      await ada.ask('two', 12)
      await ada.reply(13)
      await ada.ask('three', day + 10)
      await grace.ask('one', 20)
      await grace.reply(21, 'down')
      await grace.wantPerson(22)
      await visitor.ask('one', 30)
      await visitor.reply(31)
      await visitor.answer(40)
      expect((await compute()).days).toEqual([
        { ...none, day: first, conversations: 3, byBot: 1, handedOver: 1, up: 1, down: 1 },
        { ...none, day: second, conversations: 1 },
        { ...none, day: null, conversations: 4, byBot: 1, handedOver: 1, up: 1, down: 1 },
      ])
      const { days } = await compute({ since: at(day) })
      expect(days).toMatchObject([
        { day: second, conversations: 1 },
        { day: null, conversations: 1 },
      ])
    })

    it('measures how long visitors waited for the first answer of a person on a day', async ({ talk }) => {
      const { compute, ada, grace, visitor } = talk
      await ada.ask('a bot answers this', 10)
      await ada.reply(11)
      await ada.wantPerson(100)
      await ada.ask('hello?', 105)
      await ada.answer(130)
      await ada.ask('not the first answer', 200)
      await ada.answer(900)
      await grace.ask('nobody answers this', 50)
      await grace.answer(100)
      await visitor.ask('late', day - 5)
      await visitor.answer(day + 5)
      const times = (await compute()).days.map(({ day, median, p90 }) => ({ day, median, p90 }))
      expect(times).toEqual([
        { day: first, median: 30, p90: 50 },
        { day: second, median: 10, p90: 10 },
        { day: null, median: 30, p90: 50 },
      ])
    })

    it('begins days where the clock of the member does', async ({ talk: { compute, ada } }) => {
      await ada.ask('before midnight in London', day - 3600)
      const daysAt = async (hours: number) =>
        (await compute({ offsetSeconds: hours * 3600 })).days.map(({ day }) => day)
      expect([await daysAt(0), await daysAt(1), await daysAt(-12)]).toEqual([
        [first, null],
        [second, null],
        [first, null],
      ])
    })

    it('lists the questions whose answer was rated down, or followed by the wish for a person', async ({
      talk,
      grace: { contact },
    }) => {
      const { compute, ada, grace, visitor } = talk
      await ada.ask('Where is my order?', 10)
      await ada.reply(11, 'down')
      await ada.ask('And now?', 20)
      await ada.reply(21)
      await ada.ask('Talk to a person', 30)
      await ada.wantPerson(31)
      await grace.ask('Do you ship to Peru?', 40)
      await grace.reply(41, 'down')
      await visitor.ask('Answered well', 50)
      await visitor.reply(51, 'up')
      await visitor.wantPerson(52 + 3600)
      const reasons = (await compute()).unanswered.map(({ question, reason }) => [question, reason])
      expect(reasons).toEqual([
        ['Do you ship to Peru?', 'rated_down'],
        ['And now?', 'handed_over'],
        ['Where is my order?', 'rated_down'],
      ])
      expect((await compute()).unanswered[0]).toMatchObject({ contactName: contact.name, askedAt: at(40) })
    })

    it('leaves other bots out', async ({ talk: { compute, ada }, sibling, otherOrganization }) => {
      await ada.ask('Where is my order?', 10)
      await ada.reply(11, 'down')
      const botIds = [sibling.botId, otherOrganization.botId]
      expect(await compute({ botIds })).toEqual({ days: [], unanswered: [] })
    })
  })
}
