// Messages of an anonymous visitor that wait for the answer of the site when the page is left, or when somebody signs in.
import { describe, expect, it } from 'vitest'
import { settle } from '../testing/fakeClock.ts'
import { ada, adaToken, type Tab } from '../testing/fixtures.ts'
import { createSite, visible } from '../testing/siteFixtures.ts'
import { pendingOf } from '../testing/tabFixtures.ts'
import { storageKey } from './storedIdentity.ts'

const minuteMs = 60_000
const reminder = storageKey('bot', 'workPending')

/** An open chat in which a message waits for the answer of the site. `hasChatted`: the visitor has a session already. */
async function writeUnanswered({ hasChatted = false } = {}) {
  const setUp = createSite()
  const { site, platform, browser, openTab } = setUp
  const tab = openTab()
  tab.core.setOpen(true)
  await settle()
  if (hasChatted) tab.core.models.conversation.outbox.send('Hello')
  await browser.clock.advance(1000)
  const answer = site.holdAnswer()
  void tab.core.models.refreshSignIn()
  await settle()
  tab.core.models.conversation.outbox.send('Where is my order?')
  await browser.clock.advance(1000)
  const sent = () =>
    platform.log
      .filter(({ method, path }) => method === 'POST' && path === '/messages')
      .map(({ token, body }) => [token[0], (body as { text: string }).text])
  return { ...setUp, tab, answer, sent }
}

/** Leaves the page while the message waits. */
async function leaveUnanswered(options?: { hasChatted: boolean }) {
  const setUp = await writeUnanswered(options)
  const { tab, browser, site } = setUp
  tab.fire('pagehide')
  tab.life.die()
  await browser.clock.advance(minuteMs)
  site.answer = undefined
  site.questions.length = 0
  return setUp
}

const hasDropped = ({ core }: Tab) => core.models.conversation.outbox.hasDropped.value

describe('an anonymous message that waits for the site when the page is left', () => {
  it('is sent by the next page, though the chat stays closed, if nobody is signed in', async () => {
    const { browser, openTab, site, sent } = await leaveUnanswered()
    // The script loads the core where this is stored.
    expect(browser.local.has(reminder)).toBe(true)
    openTab()
    await browser.clock.advance(minuteMs)
    expect([sent(), site.questions.length]).toEqual([[['v', 'Where is my order?']], 1])
    expect(browser.local.has(reminder)).toBe(false)
  })

  it('is sent by the next page if the site cannot be reached', async () => {
    const { browser, openTab, site, respond, sent } = await leaveUnanswered()
    site.answer = () => respond(503)
    openTab()
    await browser.clock.advance(minuteMs)
    expect(sent()).toEqual([['v', 'Where is my order?']])
  })

  it.each([false, true])('is sent to nobody if the site names a contact (session: %s)', async hasChatted => {
    const { browser, openTab, site, said, sent } = await leaveUnanswered({ hasChatted })
    site.signedIn = 'ada'
    const next = openTab()
    await browser.clock.advance(minuteMs)
    expect([next.core.contact(), pendingOf(next), hasDropped(next)]).toEqual([ada, [], false])
    expect(sent()).toEqual(hasChatted ? [['v', 'Hello']] : [])
    expect(said(adaToken).map(({ text }) => text)).toEqual(['Dear Ada'])
  })

  it('is not sent before the next page knows who is signed in', async () => {
    const { browser, openTab, site, sent } = await leaveUnanswered({ hasChatted: true })
    site.holdAnswer()
    openTab()
    await browser.clock.advance(5000)
    expect(sent()).toEqual([['v', 'Hello']])
  })

  it('lets the next page load nothing if there is no such message', async () => {
    const { browser, openTab } = createSite()
    const tab = openTab()
    tab.core.setOpen(true)
    await browser.clock.advance(1000)
    tab.fire('pagehide')
    tab.core.destroy()
    expect(browser.local.has(reminder)).toBe(false)
  })
})

describe('a message that a login drops', () => {
  it('is said to be dropped if the visitor has seen it, until that is dismissed', async () => {
    const { browser, openTab, site, respond } = await leaveUnanswered()
    const answer = site.holdAnswer()
    const next = openTab()
    next.core.setOpen(true)
    await browser.clock.advance(1000)
    expect([pendingOf(next).length, hasDropped(next)]).toEqual([1, false])
    answer(respond(200, JSON.stringify({ data: { token: adaToken } })))
    await browser.clock.advance(1000)
    expect([next.core.contact(), visible(next), hasDropped(next)]).toEqual([ada, ['Dear Ada'], true])
    next.core.models.conversation.outbox.dismissDropped()
    expect(hasDropped(next)).toBe(false)
  })

  it('is said to be dropped if another tab has signed somebody in, and nobody is told after that session', async () => {
    const { browser, openTab, tab } = await writeUnanswered()
    const other = openTab({ tokenUrl: undefined })
    await other.core.login(adaToken)
    await browser.clock.advance(1000)
    expect([tab.core.contact(), pendingOf(tab), hasDropped(tab)]).toEqual([ada, [], true])
    await other.core.logout()
    await browser.clock.advance(1000)
    expect([tab.core.contact(), hasDropped(tab)]).toEqual([null, false])
  })

  it('is not said to be dropped if it goes on in the chat of the contact, or if the visitor ends the chat', async () => {
    const { browser, tab, answer, respond } = await writeUnanswered()
    answer(respond(200, JSON.stringify({ data: { token: adaToken } })))
    await browser.clock.advance(1000)
    expect([visible(tab), hasDropped(tab)]).toEqual([['Dear Ada', 'Where is my order?'], false])
    const ended = await writeUnanswered()
    await ended.tab.core.logout()
    expect(hasDropped(ended.tab)).toBe(false)
  })
})
