import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { Message } from '../../contract/index.ts'
import type { Responder } from '../responders/responder.ts'
import { createTestTenants, dataOf, readEvents, type TestBot, type TestTenants } from '../testing/testTenants.ts'
import { english } from '../texts/english.ts'

const minute = 60_000
const echo: Responder = {
  async *answer({ messages }) {
    yield { text: `You said ${messages.at(-1)?.text}` }
  },
}

/** A visitor who waits for the answer to each message. */
async function openVisitor({ call, visitorToken }: TestBot, contactToken?: string, address = '203.0.113.9') {
  const token = contactToken ?? (await visitorToken())
  const events = readEvents(await call('GET', '/widget/events', { token }))
  return async (text = 'Hello'): Promise<Message> => {
    await dataOf(await call('POST', '/widget/messages', { token, json: { id: randomUUID(), text }, address }))
    for (;;) {
      const { data } = await events.nextOf('message')
      if (data['author'] !== 'visitor') return data as unknown as Message
    }
  }
}
const start = (options: Parameters<typeof createTestTenants>[0] = {}): Promise<TestTenants> =>
  createTestTenants({ responder: echo, rateLimit: 3600, ...options })
const countRefused = async (times: number, ask: () => Promise<Message>) => {
  const texts: string[] = []
  for (let count = 0; count < times; count++) texts.push((await ask()).text)
  return { refused: texts.filter(text => text === english.tooMany).length, texts }
}

describe('limits of turns', () => {
  it('allow ten replies per minute and conversation, then tell the visitor politely and offer a retry', async () => {
    const tenants = await start()
    const ask = await openVisitor(tenants.ours)
    expect((await countRefused(10, ask)).refused).toBe(0)
    expect(await ask('What?')).toMatchObject({ author: 'system', text: english.tooMany, quickReplies: [english.retry] })
    expect((await (await openVisitor(tenants.ours))()).author).toBe('bot')
    tenants.clock.advance(minute)
    // The refused question is asked again.
    expect((await ask(english.retry)).text).toBe('You said What?')
    await tenants.close()
  })

  it('are told in the words of the bot, if it has its own', async () => {
    const tenants = await start()
    const texts = { tooMany: 'Slowly, please.', noMoreToday: 'Tomorrow, please.', retry: 'Once more' }
    await tenants.store.updateBot(tenants.ours.bot.id, { texts, limits: { conversationTurnsPerMinute: 1 } })
    const ask = await openVisitor(tenants.ours)
    await ask()
    expect(await ask('What?')).toMatchObject({ text: 'Slowly, please.', quickReplies: ['Once more'] })
    tenants.clock.advance(minute)
    expect((await ask('Once more')).text).toBe('You said What?')
    await tenants.store.updateBot(tenants.ours.bot.id, { limits: { turnsPerDay: 2 } })
    expect(await ask()).toMatchObject({ text: 'Tomorrow, please.', quickReplies: ['Once more'] })
    await tenants.close()
  })

  it("allow sixty replies per minute and bot, not counting those refused by the conversation's limit", async () => {
    const tenants = await start()
    const contact = async () =>
      openVisitor(tenants.ours, await tenants.ours.contactToken((await tenants.ours.createContact()).id))
    expect((await countRefused(25, await contact())).refused).toBe(15)
    for (let visitor = 0; visitor < 5; visitor++) expect((await countRefused(10, await contact())).refused).toBe(0)
    expect((await countRefused(1, await contact())).refused).toBe(1)
    expect((await countRefused(1, await openVisitor(tenants.sibling))).refused).toBe(0)
    await tenants.close()
  })

  it('leave answers to contacts though one address has many anonymous sessions', async () => {
    const tenants = await start()
    for (let visitor = 0; visitor < 20; visitor++)
      expect((await countRefused(2, await openVisitor(tenants.ours, undefined, `203.0.113.${visitor}`))).refused).toBe(
        0,
      )
    expect((await countRefused(1, await openVisitor(tenants.ours))).refused).toBe(1)
    const token = await tenants.ours.contactToken((await tenants.ours.createContact()).id)
    expect((await countRefused(10, await openVisitor(tenants.ours, token))).refused).toBe(0)
    await tenants.close()
  })

  it('leave answers to everyone else though one address asks 90 times in 30 anonymous sessions', async () => {
    const tenants = await start()
    let answered = 0
    for (let session = 0; session < 30; session++)
      answered += 3 - (await countRefused(3, await openVisitor(tenants.ours))).refused
    expect(answered).toBe(20)
    // Others, each of an address of its own.
    for (let visitor = 1; visitor <= 10; visitor++) {
      const ask = await openVisitor(tenants.ours, undefined, `198.51.100.${visitor}`)
      expect((await countRefused(2, ask)).refused).toBe(0)
    }
    const token = await tenants.ours.contactToken((await tenants.ours.createContact()).id)
    // Even a contact behind the same address.
    expect((await countRefused(10, await openVisitor(tenants.ours, token))).refused).toBe(0)
    await tenants.close()
  })

  it('answer those who begin later rather than those who have asked much, once half of the answers are used', async () => {
    const tenants = await start({ limits: { turnsPerMinute: 12, conversationTurnsPerMinute: 12 } })
    const contact = async () =>
      openVisitor(tenants.ours, await tenants.ours.contactToken((await tenants.ours.createContact()).id))
    const [first, second, third] = [await contact(), await contact(), await contact()]
    expect((await countRefused(6, first)).refused).toBe(0)
    expect((await countRefused(2, second)).refused).toBe(0)
    // An equal share of two is six.
    expect((await countRefused(1, first)).refused).toBe(1)
    expect((await countRefused(4, third)).refused).toBe(0)
    expect((await countRefused(1, second)).refused).toBe(1)
    tenants.clock.advance(minute)
    expect((await countRefused(12, first)).refused).toBe(0)
    await tenants.close()
  })

  it('are those of the node, or those of the bot where it has any, and part of them is for anonymous visitors', async () => {
    const tenants = await start({ limits: { turnsPerMinute: 9, conversationTurnsPerMinute: 2 } })
    const answered = async (bot: TestBot, asked: number, addresses: number) => {
      let refused = 0
      for (let address = 1; address <= addresses; address++)
        refused += (await countRefused(asked, await openVisitor(bot, undefined, `198.51.100.${address}`))).refused
      return asked * addresses - refused
    }
    // Two thirds of nine.
    expect(await answered(tenants.ours, 3, 4)).toBe(6)
    const limits = { turnsPerMinute: 30, conversationTurnsPerMinute: 4 }
    await tenants.store.updateBot(tenants.sibling.bot.id, { limits })
    expect(await answered(tenants.sibling, 5, 4)).toBe(16)
    await tenants.close()
  })

  it('let a bot have as many a day as it is set to', async () => {
    const tenants = await start()
    await tenants.store.updateBot(tenants.ours.bot.id, { limits: { turnsPerDay: 2 } })
    const ask = await openVisitor(tenants.ours)
    expect((await countRefused(4, ask)).texts.slice(2)).toEqual([english.noMoreToday, english.noMoreToday])
    tenants.clock.advance(24 * 60 * minute)
    const tomorrow = await openVisitor(tenants.ours)
    expect((await tomorrow()).author).toBe('bot')
    await tenants.close()
  })

  it('are disabled if the rate limit is', async () => {
    const tenants = await start({ rateLimit: 0 })
    expect((await countRefused(15, await openVisitor(tenants.ours))).refused).toBe(0)
    await tenants.close()
  })
})
