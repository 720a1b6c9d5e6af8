import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { Message } from '../../contract/index.ts'
import type { Responder } from '../responders/responder.ts'
import { createTestTenants, dataOf, type TestBot, type TestTenants } from '../testing/testTenants.ts'
import { english } from '../texts/english.ts'

const minute = 60_000
const echo: Responder = {
  async *answer({ messages }) {
    yield { text: `You said ${messages.at(-1)?.text}` }
  },
}

/** A visitor who waits for the answer to each message. */
async function openVisitor(bot: TestBot, contactToken?: string) {
  const token = contactToken ?? (await bot.visitorToken())
  const events = await bot.events(token)
  return async (text = 'Hello'): Promise<Message> => {
    await dataOf(bot.call('POST', '/widget/messages', { token, json: { id: randomUUID(), text } }))
    for (;;) {
      const { data } = await events.nextOf('message')
      if (data['author'] !== 'visitor') return data as unknown as Message
    }
  }
}
const openContact = async (bot: TestBot) => openVisitor(bot, await bot.contactToken((await bot.createContact()).id))
const start = (options: Parameters<typeof createTestTenants>[0] = {}): Promise<TestTenants> =>
  createTestTenants({ responder: echo, rateLimit: 3600, ...options })
/** Asks so many times, and counts how often it was too many. */
const countRefused = async (times: number, ask: () => Promise<Message>) => {
  let refused = 0
  for (let count = 0; count < times; count++) if ((await ask()).text === english.tooMany) refused++
  return refused
}

describe('limits of turns', () => {
  it('allow ten replies per minute and conversation, then tell the visitor politely and offer a retry', async () => {
    const tenants = await start()
    const ask = await openVisitor(tenants.ours)
    expect(await countRefused(10, ask)).toBe(0)
    expect(await ask('What?')).toMatchObject({ author: 'system', text: english.tooMany, quickReplies: [english.retry] })
    expect((await (await openVisitor(tenants.ours))()).author).toBe('bot')
    tenants.clock.advance(minute)
    // The refused question is asked again.
    expect((await ask(english.retry)).text).toBe('You said What?')
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
  })

  it("allow sixty replies per minute and bot, not counting those refused by the conversation's limit", async () => {
    const tenants = await start()
    expect(await countRefused(25, await openContact(tenants.ours))).toBe(15)
    for (let visitor = 0; visitor < 5; visitor++)
      expect(await countRefused(10, await openContact(tenants.ours))).toBe(0)
    expect(await countRefused(1, await openContact(tenants.ours))).toBe(1)
    expect(await countRefused(1, await openVisitor(tenants.sibling))).toBe(0)
  })

  it('are those of the node, or those of the bot where it has any', async () => {
    const tenants = await start({ limits: { turnsPerMinute: 6, conversationTurnsPerMinute: 2 } })
    const answered = async (bot: TestBot, asked: number, visitors: number) => {
      let refused = 0
      for (let visitor = 0; visitor < visitors; visitor++) refused += await countRefused(asked, await openVisitor(bot))
      return asked * visitors - refused
    }
    expect(await answered(tenants.ours, 3, 4)).toBe(6)
    const limits = { turnsPerMinute: 30, conversationTurnsPerMinute: 4 }
    await tenants.store.updateBot(tenants.sibling.bot.id, { limits })
    expect(await answered(tenants.sibling, 5, 4)).toBe(16)
  })

  it('let a bot have as many a day as it is set to', async () => {
    const { noMoreToday } = english
    const tenants = await start()
    await tenants.store.updateBot(tenants.ours.bot.id, { limits: { turnsPerDay: 2 } })
    const ask = await openVisitor(tenants.ours)
    const authors = [await ask(), await ask()].map(({ author }) => author)
    expect([...authors, (await ask()).text, (await ask()).text]).toEqual(['bot', 'bot', noMoreToday, noMoreToday])
    tenants.clock.advance(24 * 60 * minute)
    const tomorrow = await openVisitor(tenants.ours)
    expect((await tomorrow()).author).toBe('bot')
  })

  it('are disabled if the rate limit is', async () => {
    const tenants = await start({ rateLimit: 0 })
    expect(await countRefused(15, await openVisitor(tenants.ours))).toBe(0)
  })
})
