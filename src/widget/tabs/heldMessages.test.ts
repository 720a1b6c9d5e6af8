// Messages that one tab holds back until the site has said whose they are, while another tab doesn't.
import { describe, expect, it } from 'vitest'
import { adaToken, grace, graceToken, type Tab } from '../testing/fixtures.ts'
import { createSite, createSiteWithAda, visible } from '../testing/siteFixtures.ts'
import { conversationOf, pendingOf } from '../testing/tabFixtures.ts'

const minuteMs = 60_000

/**
 * Ada's chat is confirmed in `old`. The site doesn't answer `next`, in which a message is written. `senders` returns the tokens
 * with which messages were sent.
 */
async function writeUnconfirmed({ isOldHidden = false } = {}) {
  const { tab: old, ...setUp } = await createSiteWithAda()
  const { browser, openTab, platform, site, respond } = setUp
  if (isOldHidden) old.setHidden(true)
  await browser.clock.advance(2 * minuteMs)
  site.answer = () => respond(503)
  const next = openTab()
  next.core.setOpen(true)
  await browser.clock.advance(1000)
  conversationOf(next).outbox.send('Where is my order?')
  await browser.clock.advance(1000)
  const senders = () =>
    platform.log.filter(({ method, path }) => method === 'POST' && path === '/messages').map(({ token }) => token)
  /** Closes a tab. */
  const close = async ({ core, life }: Tab) => {
    life.die()
    core.destroy()
    await browser.clock.advance(1000)
  }
  /** Lets the site answer that this person is signed in. */
  const signIn = (name: string) => {
    site.answer = undefined
    site.signedIn = name
  }
  return { ...setUp, old, next, senders, close, signIn }
}

describe('a message that waits for the answer of the site', () => {
  for (const isOldHidden of [true, false]) {
    const which = isOldHidden ? 'hidden' : 'visible'
    it(`is not sent by a ${which} tab that was confirmed before, though its own tab is gone`, async () => {
      const { browser, old, next, senders, close } = await writeUnconfirmed({ isOldHidden })
      expect(pendingOf(old).map(([text]) => text)).toEqual(['Where is my order?'])
      await close(next)
      await browser.clock.advance(2 * minuteMs)
      expect([conversationOf(old).outbox.isLeader(), senders()]).toEqual([true, []])
    })
  }

  it('is sent once when the site confirms the contact in its tab', async () => {
    const { browser, old, next, senders, signIn } = await writeUnconfirmed()
    signIn('ada')
    await browser.clock.advance(minuteMs)
    expect([senders(), pendingOf(old), pendingOf(next)]).toEqual([[adaToken], [], []])
    expect(visible(next)).toEqual(['Dear Ada', 'Where is my order?'])
  })

  it('is sent once by the next page whose contact the site confirms, if its tab is gone', async () => {
    const { browser, old, next, openTab, senders, close, signIn } = await writeUnconfirmed()
    await close(next)
    signIn('ada')
    const later = openTab()
    await browser.clock.advance(minuteMs)
    expect([senders(), pendingOf(old), pendingOf(later)]).toEqual([[adaToken], [], []])
  })

  it('is sent by a page without `tokenUrl`, in which nothing waits for the site', async () => {
    const { browser, old, next, openTab, senders, close } = await writeUnconfirmed()
    await close(next)
    await close(old)
    const later = openTab({ tokenUrl: undefined })
    await browser.clock.advance(minuteMs)
    expect([senders(), pendingOf(later)]).toEqual([[adaToken], []])
  })

  it('is never sent for the former contact if the site names somebody else', async () => {
    const { browser, old, next, openTab, senders, close, signIn } = await writeUnconfirmed({ isOldHidden: true })
    await close(next)
    signIn('grace')
    const later = openTab()
    await browser.clock.advance(minuteMs)
    expect([later.core.contact(), senders(), pendingOf(old), pendingOf(later)]).toEqual([grace, [], [], []])
  })
})

describe('an answer of the site that comes late', () => {
  /** The site has begun to answer `old` when Grace, in another tab, lets the page write a message. */
  async function writeAsGrace(signedIn: 'ada' | null) {
    const { tab: old, ...setUp } = signedIn ? await createSiteWithAda() : await chatAnonymously()
    const { browser, openTab, platform, site } = setUp
    await browser.clock.advance(1000)
    const answer = site.holdAnswer()
    void old.core.models.refreshSignIn()
    await browser.clock.advance(1000)
    const next = openTab()
    next.core.setOpen(true)
    await browser.clock.advance(1000)
    next.core.models.message({ text: 'I am Grace' })
    await browser.clock.advance(1000)
    const sent = () =>
      platform.log.filter(({ method, path }) => method === 'POST' && path === '/messages').map(({ token }) => token)
    return { ...setUp, old, next, answer, sent }
  }

  async function chatAnonymously() {
    const setUp = createSite()
    const tab = setUp.openTab()
    tab.core.setOpen(true)
    conversationOf(tab).outbox.send('Hello')
    await setUp.browser.clock.advance(1000)
    setUp.platform.log.length = 0
    return { ...setUp, tab }
  }

  it('is not about a message that was written in another tab meanwhile', async () => {
    const { browser, site, respond, openTab, old, next, answer, sent } = await writeAsGrace('ada')
    next.life.die()
    next.core.destroy()
    await browser.clock.advance(1000)
    answer(respond(204))
    site.answer = undefined
    site.signedIn = 'grace'
    await browser.clock.advance(minuteMs)
    expect([visible(old), conversationOf(old).outbox.isLeader(), sent()]).toEqual([['Dear Ada'], true, []])
    const later = openTab()
    await browser.clock.advance(minuteMs)
    expect([later.core.contact(), pendingOf(old), sent()]).toEqual([grace, [], []])
  })

  it('sends no message of another tab anonymously', async () => {
    const { browser, site, respond, next, answer, sent } = await writeAsGrace(null)
    const answerNext = site.holdAnswer()
    answer(respond(401))
    await browser.clock.advance(5000)
    expect(sent()).toEqual([])
    answerNext(respond(200, JSON.stringify({ data: { token: graceToken } })))
    await browser.clock.advance(minuteMs)
    expect([sent(), visible(next)]).toEqual([[graceToken], ['Dear Grace', 'I am Grace']])
  })
})
