import { expect, it } from 'vitest'
import { settle } from '../testing/fakeClock.ts'
import { adaToken, createAcme } from '../testing/fixtures.ts'
import { conversationOf } from '../testing/tabFixtures.ts'

/** What one page load of a contact with a conversation of that length costs: at the first login, and on return. */
async function loadsOf(length: number) {
  const { platform, said, browser } = createAcme()
  const messages = said(adaToken)
  while (messages.length < length) platform.say(messages, {})
  const cost = async (tab: ReturnType<typeof browser.openTab>) => {
    await settle()
    const { messages: stored } = browser.records.get('transcript') as { messages: unknown[] }
    const loaded = conversationOf(tab).messageStore.messages.value
    const requests = platform.log.splice(0).map(({ path }) => path)
    tab.core.destroy()
    return { requests, loaded: loaded.length, lastSeq: loaded.at(-1)?.seq, cached: stored.length }
  }
  const tab = browser.openTab({ start: false })
  await tab.core.login(adaToken)
  return { login: await cost(tab), return: await cost(browser.openTab()) }
}

it('a conversation of 10 000 messages loads with as many requests and messages as one of 50', async () => {
  const [few, many] = [await loadsOf(50), await loadsOf(10_000)]
  expect(few.login).toEqual({
    requests: ['/session/retrieve', '/messages/list', '/events/stream'],
    loaded: 30,
    lastSeq: 50,
    cached: 30,
  })
  expect(few.return).toEqual({ ...few.login, requests: ['/session/retrieve', '/events/stream'] })
  expect(many.login).toEqual({ ...few.login, lastSeq: 10_000 })
  expect(many.return).toEqual({ ...few.return, lastSeq: 10_000 })
})
