import { beforeEach, describe, expect, it } from 'vitest'
import type { Contact } from '../../contract/index.ts'
import { sweepMs } from '../platform.ts'
import type { Responder } from '../responders/responder.ts'
import { advanceUntil, createTestTenants, dataOf, outcomeOf, type TestTenants } from '../testing/testTenants.ts'

const [second, hour] = [1000, 60 * 60 * 1000]
const day = 24 * hour
const both: [string, number][] = [
  ['forward', hour],
  ['back', -hour],
]
/** Of another process on the same store: that of the test tenants answers nobody. */
const responder: Responder = {
  async *answer({ messages }) {
    yield { text: `You said ${messages.at(-1)?.text}` }
  },
}

let tenants: TestTenants
beforeEach(async () => {
  tenants = await createTestTenants()
})

const session = (token: string) => outcomeOf(tenants.ours.call('GET', '/widget/session', { token }))
const history = async (token: string) => (await tenants.ours.messages(token)).map(({ text }) => text)
/** Sends a message. Advances the sweep by ten seconds, or until the conversation has that many messages, which it returns. */
async function converse(token: string, text: string, count: number): Promise<string[]> {
  await tenants.ours.send(token, text)
  for (let swept = 0; swept < 10 * second && (await history(token)).length < count; swept += sweepMs) {
    tenants.clock.advance(sweepMs)
    await new Promise(resolve => setTimeout(resolve, 5))
  }
  return history(token)
}

describe('a clock that is changed', () => {
  it.each(both)('by an hour %s, and back, does not delay replies', async (_, jump) => {
    tenants.addNode({ responder })
    tenants.clock.jump(jump)
    const token = await tenants.ours.visitorToken()
    for (let count = 1; count <= 12; count++) {
      expect(await converse(token, `${count}`, 2 * count)).toHaveLength(2 * count)
      tenants.clock.advance(10 * second)
    }
    tenants.clock.jump(-jump)
    const later = await tenants.ours.visitorToken()
    expect(await converse(later, 'at last', 2)).toEqual(['at last', 'You said at last'])
  })

  it('an hour back, does not count future turns against the limits per minute', async () => {
    tenants.addNode({ responder, rateLimit: 3600 })
    const token = await tenants.ours.visitorToken()
    for (let count = 1; count <= 10; count++)
      expect(await converse(token, `${count}`, 2 * count)).toHaveLength(2 * count)
    tenants.clock.jump(-hour)
    expect((await converse(token, 'again', 22)).at(-1)).toBe('You said again')
  })

  it('forward ends expired sessions including open streams, and back again revives nothing that was ended', async () => {
    const { id } = await tenants.ours.createContact()
    const [kept, revoked] = [await tenants.ours.contactToken(id), await tenants.ours.contactToken(id)]
    const stream = await tenants.ours.events(kept)
    tenants.clock.jump(366 * day)
    expect(await session(kept)).toBe('401 token_expired')
    const ended = await advanceUntil(tenants.clock, sweepMs, stream.nextOf('session.ended'))
    expect(ended.data).toEqual({ reason: 'expired' })
    await tenants.ours.call('DELETE', `/auth/contacts/${revoked}`)
    tenants.clock.jump(-367 * day)
    expect(await session(revoked)).toBe('401 token_revoked')
    expect(await session(await tenants.ours.contactToken(id))).toBe('200')
  })

  it('back leaves no anonymous session that lives longer than 24 hours', async () => {
    tenants.clock.jump(hour)
    const token = await tenants.ours.visitorToken()
    tenants.clock.jump(-hour)
    expect(await session(token)).toBe('200')
    tenants.clock.jump(day + second)
    expect(await session(token)).toBe('401 token_expired')
  })

  it.each(both)('by an hour %s does not block requests by their rate limits', async (_, jump) => {
    const limited = tenants.addNode({ rateLimit: 2 })
    const headers = { authorization: tenants.ours.organizationToken }
    const url = `http://natter.test/v1/bots/${tenants.ours.bot.id}/contacts`
    const ask = () => outcomeOf(limited.fetch(new Request(url, { method: 'POST', headers })))
    expect([await ask(), await ask(), await ask()]).toEqual(['200', '200', '429 rate_limited'])
    tenants.clock.jump(jump)
    tenants.clock.advance(61 * second)
    expect([await ask(), await ask(), await ask()]).toEqual(['200', '200', '429 rate_limited'])
  })

  it.each(both)(
    'by an hour %s and back keeps contacts in one order, which is the same by date and by id',
    async (_, jump) => {
      for (const by of [0, jump, -jump]) {
        tenants.clock.jump(by)
        for (let count = 0; count < 3; count++) {
          await tenants.ours.createContact()
          tenants.clock.advance(1)
        }
      }
      const page = (number: number) => dataOf<Contact[]>(tenants.ours.call('POST', `/contacts?limit=2&page=${number}`))
      const all = (await Promise.all([1, 2, 3, 4, 5].map(page))).flat()
      expect(new Set(all.map(({ id }) => id)).size).toBe(9)
      for (const field of ['createdAt', 'id'] as const) {
        const values = all.map(contact => contact[field])
        expect(values).toEqual(values.toSorted().reverse())
      }
    },
  )

  it('keeps the order of a conversation, whatever its dates are', async () => {
    const token = await tenants.ours.contactToken((await tenants.ours.createContact()).id)
    for (const [text, jump] of [
      ['first', 0],
      ['second', -hour],
      ['third', hour / 2],
    ] as const) {
      tenants.clock.jump(jump)
      await tenants.ours.send(token, text)
    }
    expect(await history(token)).toEqual(['first', 'second', 'third'])
  })
})
