import { describe, expect, it } from 'vitest'
import { storageKey } from '../identity/storedIdentity.ts'
import { settle } from '../testing/fakeClock.ts'
import { adaToken, createAcme, createMemoryUpdate, shown } from '../testing/fixtures.ts'
import { createSite } from '../testing/siteFixtures.ts'

const leave = { pagehide: 'is hidden', destroy: 'destroys the widget' }

/** A message has been sent, and the platform has not answered yet. */
async function sendAndLeave(how: string, { isFull, isFullLater = isFull }: { isFull: boolean; isFullLater?: boolean }) {
  const acme = createAcme()
  const { browser, platform } = acme
  const update = createMemoryUpdate(browser.records)
  let isNowFull = false
  const tab = browser.openTab({
    start: false,
    update: (...request) =>
      isNowFull ? Promise.reject(new DOMException('Full', 'QuotaExceededError')) : update(...request),
  })
  await tab.core.login(adaToken)
  await settle()
  isNowFull = isFull
  platform.intercept = (_, path, { keepalive }) =>
    path === '/messages' && !keepalive ? new Promise(() => {}) : undefined
  tab.core.models.conversation.outbox.send('First')
  await settle()
  isNowFull = isFullLater
  tab.core.models.conversation.outbox.send('Second')
  await settle()
  if (how === 'destroy') tab.core.destroy()
  else tab.fire('pagehide')
  tab.life.die()
  await settle()
  const atOnce = platform.log.filter(({ path, keepalive }) => path === '/messages' && keepalive)
  return { ...acme, atOnce: atOnce.map(({ body }) => (body as { text: string }).text) }
}

describe('messages that are sent just before the page goes', () => {
  it.each(Object.entries(leave))('reach the platform though IndexedDB refuses them, if the page %s', async how => {
    const { browser, platform, atOnce } = await sendAndLeave(how, { isFull: true })
    expect(atOnce).toEqual(['First', 'Second'])
    platform.intercept = () => undefined
    const next = browser.openTab()
    await settle()
    expect(shown(next)).toEqual(['Dear Ada', 'First', 'Second'])
  })

  it('are sent by the next page if IndexedDB has them', async () => {
    const { browser, platform, atOnce } = await sendAndLeave('pagehide', { isFull: false })
    expect(atOnce).toEqual([])
    platform.intercept = () => undefined
    const next = browser.openTab()
    await browser.clock.advance(1000)
    expect(shown(next)).toEqual(['Dear Ada', 'First', 'Second'])
  })

  it('are sent at once if they were written before one that IndexedDB refuses, to keep their order', async () => {
    const { atOnce } = await sendAndLeave('pagehide', { isFull: false, isFullLater: true })
    expect(atOnce).toEqual(['First', 'Second'])
  })

  it('are not sent anonymously while the site is asked who is signed in', async () => {
    const { openTab, site, platform, browser, respond } = createSite()
    const former = openTab({ tokenUrl: undefined })
    former.core.models.conversation.outbox.send('Before')
    await settle()
    former.core.destroy()
    const tab = openTab({ update: () => Promise.reject(new DOMException('Full', 'QuotaExceededError')) })
    await browser.clock.advance(1000)
    platform.intercept = (_, path) => (path === '/messages' ? respond(503) : undefined)
    tab.core.models.conversation.outbox.send('Where is my order?')
    await settle()
    site.holdAnswer()
    tab.core.setOpen(true)
    await settle()
    platform.log.length = 0
    tab.fire('pagehide')
    await settle()
    expect(platform.log.filter(({ path }) => path === '/messages')).toEqual([])
  })
})

describe('the next page', () => {
  const workPending = storageKey('bot', 'workPending')

  it('sends the messages of a visitor without a session, though the chat stays closed', async () => {
    const { browser, platform } = createAcme()
    const tab = browser.openTab()
    await settle()
    platform.intercept = (_, path) => (path === '/sessions' ? new Promise(() => {}) : undefined)
    tab.core.models.conversation.outbox.send('Where is my order?')
    await settle()
    tab.fire('pagehide')
    tab.life.die()
    // The script loads the core where this is stored.
    expect(browser.local.has(workPending)).toBe(true)
    platform.intercept = () => undefined
    const next = browser.openTab()
    await browser.clock.advance(60_000)
    expect([shown(next), browser.local.has(workPending)]).toEqual([['Where is my order?'], false])
  })

  it('loads nothing if there is no such message', async () => {
    const { browser, openTab } = createSite()
    const tab = openTab()
    tab.core.setOpen(true)
    await browser.clock.advance(1000)
    tab.fire('pagehide')
    tab.core.destroy()
    expect(browser.local.has(workPending)).toBe(false)
  })
})
