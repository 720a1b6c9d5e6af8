import { describe, expect, it } from 'vitest'
import { settle } from '../../testing/fakeClock.ts'
import { adaToken, createAcme, createMemoryUpdate, shown } from '../../testing/fixtures.ts'
import { createSite } from '../../testing/siteFixtures.ts'

const leave = { pagehide: 'is hidden', destroy: 'destroys the widget' }

/** A message has been sent, and the platform has not answered yet. */
async function sendAndLeave(
  how: string,
  {
    isFull,
    isFullLater = isFull,
    texts = ['First', 'Second'],
    saved = 1,
  }: { isFull: boolean; isFullLater?: boolean; texts?: string[]; saved?: number },
) {
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
  for (const [index, text] of texts.entries()) {
    if (index >= saved) isNowFull = isFullLater
    tab.core.models.conversation.outbox.send(text)
    await settle()
  }
  if (how === 'destroy') tab.core.destroy()
  else tab.fire('pagehide')
  tab.life.die()
  await settle()
  const atOnce = platform.log.filter(({ path, keepalive }) => path === '/messages' && keepalive)
  const requests = atOnce.map(({ body }) => {
    const { text, earlier = [] } = body as { text: string; earlier?: { text: string }[] }
    return [...earlier.map(each => each.text), text]
  })
  return { ...acme, atOnce: requests }
}

describe('messages that are sent just before the page goes', () => {
  it.each(Object.entries(leave))('reach the platform though IndexedDB refuses them, if the page %s', async how => {
    const { browser, platform, atOnce } = await sendAndLeave(how, { isFull: true })
    // In one request: the order of several would be left to chance.
    expect(atOnce).toEqual([['First', 'Second']])
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

  it('are sent together with earlier ones, which IndexedDB has, so that they keep their order', async () => {
    const { atOnce } = await sendAndLeave('pagehide', { isFull: false, isFullLater: true })
    expect(atOnce).toEqual([['First', 'Second']])
  })

  it('are sent in several requests if they are too many or too long for one', async () => {
    const long = Array.from({ length: 4 }, (_, at) => `${at}${'😀'.repeat(3000)}`)
    const many = Array.from({ length: 12 }, (_, at) => `${at}`)
    const sizes = async (texts: string[]) =>
      (await sendAndLeave('pagehide', { isFull: true, texts })).atOnce.map(({ length }) => length)
    expect([await sizes(long), await sizes(many)]).toEqual([
      [2, 2],
      [2, 10],
    ])
  })

  it('are sent in one request, with as many of the stored ones before them as fit', async () => {
    const texts = Array.from({ length: 14 }, (_, at) => `${at}`)
    const { atOnce } = await sendAndLeave('pagehide', { isFull: false, isFullLater: true, texts, saved: 13 })
    expect(atOnce).toEqual([texts.slice(4)])
  })

  it('are not sent anonymously before the site has said who is signed in', async () => {
    const { openTab, site, platform, browser } = createSite()
    const former = openTab({ tokenUrl: undefined })
    former.core.models.conversation.outbox.send('Before')
    await settle()
    former.core.destroy()
    site.holdAnswer()
    const tab = openTab({ update: () => Promise.reject(new DOMException('Full', 'QuotaExceededError')) })
    tab.core.setOpen(true)
    await browser.clock.advance(1000)
    tab.core.models.conversation.outbox.send('Where is my order?')
    await settle()
    tab.fire('pagehide')
    await settle()
    expect(platform.log.filter(({ path }) => path === '/messages')).toHaveLength(1)
  })
})
