// Messages whose fate is uncertain when the site names a contact.
import { describe, expect, it } from 'vitest'
import { settle } from '../testing/fakeClock.ts'
import { ada, adaToken, contactToken, createMemoryUpdate, graceToken } from '../testing/fixtures.ts'
import { createSite, visible } from '../testing/siteFixtures.ts'
import { pendingOf } from '../testing/tabFixtures.ts'

const minuteMs = 60_000
const body = (token: string) => JSON.stringify({ data: { token } })

/**
 * The site can't be reached, so a message is sent anonymously. No answer of the platform arrives, which has stored the message
 * or not. Then the platform works again, and the site begins to answer.
 */
async function loseAnswer({ isStored }: { isStored: boolean }) {
  const setUp = createSite()
  const { site, platform, browser, respond, openTab, said } = setUp
  site.answer = () => respond(503)
  platform.intercept = (method, path, { body, headers }) => {
    if (path === '/sessions' || path === '') return undefined
    if (isStored && method === 'POST' && path === '/messages') {
      const token = `${(headers as Record<string, string>)['authorization']}`.slice('Bearer '.length)
      if (!said(token).length) platform.say(said(token), { ...JSON.parse(`${body}`), author: 'visitor' })
    }
    return respond(503)
  }
  const tab = openTab()
  tab.core.setOpen(true)
  await browser.clock.advance(1000)
  tab.core.models.conversation.outbox.send('Where is my order?')
  await browser.clock.advance(1000)
  const token = `${browser.token()}`
  const answer = site.holdAnswer()
  const asked = site.questions.length
  while (site.questions.length === asked) await browser.clock.advance(500)
  const texts = (of: string) => said(of).map(({ text }) => text)
  return { ...setUp, tab, answer, token, texts, online: () => (platform.intercept = () => undefined) }
}

describe('a message that was sent anonymously, and whose answer was lost', () => {
  it('is not sent again for the contact whom the site names', async () => {
    const { tab, answer, respond, browser, token, texts, online } = await loseAnswer({ isStored: true })
    expect([token[0], texts(token)]).toEqual(['v', ['Where is my order?']])
    online()
    answer(respond(200, body(adaToken)))
    await browser.clock.advance(minuteMs)
    expect([tab.core.contact(), visible(tab), pendingOf(tab)]).toEqual([ada, ['Dear Ada'], []])
    expect(texts(adaToken)).toEqual(['Dear Ada'])
  })

  it('is sent for the contact if the platform has not got it', async () => {
    const { tab, answer, respond, browser, token, texts, online } = await loseAnswer({ isStored: false })
    online()
    answer(respond(200, body(adaToken)))
    await browser.clock.advance(minuteMs)
    expect([tab.core.contact(), visible(tab)]).toEqual([ada, ['Dear Ada', 'Where is my order?']])
    expect([texts(token), texts(adaToken)]).toEqual([[], ['Dear Ada', 'Where is my order?']])
  })

  it('is not sent for the contact before the platform has said whether it has got it', async () => {
    const { tab, answer, respond, browser, platform, site, texts } = await loseAnswer({ isStored: true })
    site.answer = undefined
    site.signedIn = 'ada'
    platform.intercept = (_, path) => (path === '/session/retrieve' ? undefined : respond(503))
    answer(respond(200, body(adaToken)))
    await browser.clock.advance(10_000)
    expect([tab.core.contact(), texts(adaToken)]).toEqual([null, ['Dear Ada']])
    platform.intercept = () => undefined
    await browser.clock.advance(minuteMs)
    expect([tab.core.contact(), texts(adaToken)]).toEqual([ada, ['Dear Ada']])
  })

  it('does not keep the contact from logging in if the platform refuses to say whether it has got it', async () => {
    const { tab, answer, respond, browser, platform } = await loseAnswer({ isStored: false })
    platform.intercept = (_, path, { headers }) =>
      path === '/messages/list' && !JSON.stringify(headers).includes(adaToken) ? respond(403) : undefined
    answer(respond(200, body(adaToken)))
    await browser.clock.advance(minuteMs)
    expect(tab.core.contact()).toEqual(ada)
  })
})

describe('a message of a contact that the browser has no room for', () => {
  /** Ada's session is stored, but no message can be stored any more. The page writes one before the site has answered. */
  async function speakWithoutRoom({ isExpired }: { isExpired: boolean }) {
    const setUp = createSite()
    const { site, platform, browser, respond, openTab } = setUp
    site.signedIn = 'ada'
    const former = openTab()
    former.core.setOpen(true)
    await settle()
    former.core.destroy()
    if (isExpired) platform.end(adaToken, 'expired')
    const answer = site.holdAnswer()
    const update = createMemoryUpdate(browser.records)
    const tab = openTab({
      update: (keys: Parameters<typeof update>[0], change: Parameters<typeof update>[1]) =>
        update(keys, (...found) => {
          const changes = change(...found)
          const { outbox = [] } = (changes['stored'] ?? {}) as { outbox?: unknown[] }
          if (outbox.length) throw new DOMException('Full', 'QuotaExceededError')
          return changes
        }),
    })
    tab.core.models.message({ text: 'I need help', prefill: 'with' })
    tab.core.setOpen(true)
    await settle()
    const next = contactToken('d')
    platform.addContact(next, ada)
    return { ...setUp, tab, answer, next, respond }
  }

  it.each([
    ['the token works', false],
    ['the token has expired', true],
  ])('is sent if the site gives the same contact another token, where %s', async (_, isExpired) => {
    const { tab, answer, next, respond, browser } = await speakWithoutRoom({ isExpired })
    answer(respond(200, body(next)))
    await browser.clock.advance(5000)
    expect(visible(tab)).toEqual(['Dear Ada', 'I need help'])
    expect(tab.core.models.draft.text.value).toBe('with')
  })

  it.each([
    ['the token works', false],
    ['the token has expired', true],
  ])('is dropped if the site names somebody else, where %s', async (_, isExpired) => {
    const { tab, answer, respond, browser, said } = await speakWithoutRoom({ isExpired })
    answer(respond(200, body(graceToken)))
    await browser.clock.advance(5000)
    expect([visible(tab), tab.core.models.draft.text.value]).toEqual([['Dear Grace'], ''])
    expect([...said(adaToken), ...said(graceToken)].map(({ text }) => text)).toEqual(['Dear Ada', 'Dear Grace'])
  })
})
