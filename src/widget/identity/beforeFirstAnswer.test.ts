import { describe, expect, it } from 'vitest'
import { settle } from '../testing/fakeClock.ts'
import { ada, adaToken, grace, graceToken, type Tab } from '../testing/fixtures.ts'
import { createSite, visible } from '../testing/siteFixtures.ts'
import { pendingOf } from '../testing/tabFixtures.ts'
import { SiteSignIn } from './siteSignIn.ts'

const minuteMs = 60_000
const body = JSON.stringify({ data: { token: adaToken } })
const draftOf = ({ core }: Tab) => core.models.draft.text.value
const messagesSent = ({ platform }: ReturnType<typeof createSite>) =>
  platform.log.filter(({ method, path }) => method === 'POST' && path === '/messages').map(({ token }) => token)

/** The chunk with the code that asks the site, which can't be fetched until `canLoad` is set. */
function createFailingChunk() {
  const chunk = {
    canLoad: false,
    async load() {
      if (!chunk.canLoad) throw new TypeError('Failed to fetch dynamically imported module')
      return { SiteSignIn }
    },
  }
  return chunk
}

/** A chat that has been opened, and that the site has still to answer. */
async function openUnanswered() {
  const setUp = createSite()
  const answer = setUp.site.holdAnswer()
  const tab = setUp.openTab()
  tab.core.setOpen(true)
  await settle()
  return { ...setUp, tab, answer, setUp }
}

describe('before the first answer of the site', () => {
  it('a draft is kept for the contact whom the site names', async () => {
    const { tab, answer, respond, browser, openTab } = await openUnanswered()
    tab.core.models.draft.setText('Where is my order')
    answer(respond(200, body))
    await browser.clock.advance(1000)
    expect([tab.core.contact(), draftOf(tab)]).toEqual([ada, 'Where is my order'])
    tab.core.destroy()
    const next = openTab()
    await settle()
    expect(draftOf(next)).toBe('Where is my order')
  })

  it('a draft is not lost if the site cannot be reached at first', async () => {
    const { tab, answer, respond, browser, site } = await openUnanswered()
    tab.core.models.draft.setText('Where is my order')
    site.answer = () => respond(503)
    answer(respond(503))
    await browser.clock.advance(5000)
    site.answer = undefined
    site.signedIn = 'ada'
    await browser.clock.advance(minuteMs)
    expect([tab.core.contact(), draftOf(tab)]).toEqual([ada, 'Where is my order'])
  })

  it('a message is not lost if the platform fails while it verifies the token that the site gave', async () => {
    const { tab, answer, respond, browser, platform } = await openUnanswered()
    tab.core.models.conversation.outbox.send('Where is my order?')
    platform.intercept = () => respond(503)
    answer(respond(200, body))
    await browser.clock.advance(300)
    platform.intercept = () => undefined
    await browser.clock.advance(minuteMs)
    expect([tab.core.contact(), visible(tab)]).toEqual([ada, ['Dear Ada', 'Where is my order?']])
  })

  it('a message waits for the answer and is sent once, in the name of the contact', async () => {
    const { tab, answer, respond, browser, setUp } = await openUnanswered()
    tab.core.models.conversation.outbox.send('Where is my order?')
    await browser.clock.advance(5000)
    expect(messagesSent(setUp)).toEqual([])
    answer(respond(200, body))
    await browser.clock.advance(5000)
    expect([messagesSent(setUp), visible(tab)]).toEqual([[adaToken], ['Dear Ada', 'Where is my order?']])
  })

  it('a message also waits while the code that asks the site is loading', async () => {
    const setUp = createSite()
    const { openTab, site, browser } = setUp
    const chunk = Promise.withResolvers<{ SiteSignIn: typeof SiteSignIn }>()
    site.signedIn = 'ada'
    const tab = openTab({ siteSignIn: () => chunk.promise })
    tab.core.setOpen(true)
    tab.core.models.conversation.outbox.send('Where is my order?')
    await browser.clock.advance(5000)
    expect(messagesSent(setUp)).toEqual([])
    chunk.resolve({ SiteSignIn })
    await browser.clock.advance(5000)
    expect([messagesSent(setUp), visible(tab)]).toEqual([[adaToken], ['Dear Ada', 'Where is my order?']])
  })

  it('a message also waits if the code that asks the site cannot be fetched at first', async () => {
    const setUp = createSite()
    const { openTab, site, browser } = setUp
    site.signedIn = 'ada'
    const chunk = createFailingChunk()
    const tab = openTab({ siteSignIn: chunk.load })
    tab.core.setOpen(true)
    void tab.core.models.message({ text: 'Where is my order?' })
    await browser.clock.advance(10_000)
    expect([messagesSent(setUp), pendingOf(tab)]).toEqual([[], [['Where is my order?', 'waiting']]])
    expect(tab.core.models.signIn.isUnreachable.value).toBe(true)
    chunk.canLoad = true
    await browser.clock.advance(60_000)
    expect([messagesSent(setUp), visible(tab)]).toEqual([[adaToken], ['Dear Ada', 'Where is my order?']])
  })

  it('a message fails if the code that asks the site cannot be fetched for minutes, and can be sent again', async () => {
    const setUp = createSite()
    const { openTab, site, browser } = setUp
    site.signedIn = 'ada'
    const chunk = createFailingChunk()
    const tab = openTab({ siteSignIn: chunk.load })
    tab.core.setOpen(true)
    const { outbox } = tab.core.models.conversation
    outbox.send('Where is my order?')
    await browser.clock.advance(10 * 60_000)
    expect([messagesSent(setUp), pendingOf(tab)]).toEqual([[], [['Where is my order?', 'failed']]])
    expect(tab.events.filter(([name]) => name === 'error')).toEqual([['error', { code: 'message_failed' }]])
    chunk.canLoad = true
    outbox.retry(`${outbox.pending.peek()[0]?.id}`)
    await browser.clock.advance(60_000)
    expect([messagesSent(setUp), visible(tab)]).toEqual([[adaToken], ['Dear Ada', 'Where is my order?']])
  })

  it('a message is sent anonymously when the site has said that nobody is signed in', async () => {
    const { tab, answer, respond, browser } = await openUnanswered()
    tab.core.models.conversation.outbox.send('Where is my order?')
    answer(respond(401))
    await browser.clock.advance(5000)
    expect([visible(tab), browser.token()?.[0]]).toEqual([['Where is my order?'], 'v'])
  })

  it('a message is sent anonymously when the site does not answer', async () => {
    const { tab, browser } = await openUnanswered()
    tab.core.models.conversation.outbox.send('Where is my order?')
    await browser.clock.advance(20_000)
    expect(visible(tab)).toEqual(['Where is my order?'])
  })

  it('a draft that an earlier anonymous visitor has left is dropped when the site names a contact, even if it was edited', async () => {
    const { site, openTab, browser, respond } = createSite()
    const former = openTab({ tokenUrl: undefined })
    former.core.models.draft.setText('The former visitor’s')
    await browser.clock.advance(1000)
    former.core.destroy()
    const answer = site.holdAnswer()
    const tab = openTab()
    tab.core.setOpen(true)
    await settle()
    tab.core.models.draft.setText('The former visitor’s, edited')
    answer(respond(200, body))
    await settle()
    expect([tab.core.contact(), draftOf(tab)]).toEqual([ada, ''])
  })

  it('unsent text of a contact whom the page has logged in is dropped when the site names somebody else', async () => {
    const { tab, answer, respond, browser, platform, site, said } = await openUnanswered()
    await tab.core.login(adaToken)
    platform.intercept = (method, path) => (method === 'POST' && path === '/messages' ? respond(503) : undefined)
    tab.core.models.conversation.outbox.send('Ada’s message')
    tab.core.models.draft.setText('Ada’s draft')
    await settle()
    answer(respond(200, body))
    site.answer = undefined
    site.signedIn = 'grace'
    await browser.clock.advance(1000)
    platform.intercept = () => undefined
    await browser.clock.advance(minuteMs)
    const { draft, conversation } = tab.core.models
    expect([tab.core.contact(), draft.text.value, conversation.outbox.pending.value]).toEqual([grace, '', []])
    expect(said(graceToken).map(({ text }) => text)).toEqual(['Dear Grace'])
  })

  it.each([
    ['the site answers late', undefined],
    ['the site could not be reached', 503],
  ])('nothing that was written before refresh() goes to whom the site names then, where %s', async (_, status) => {
    const { tab, answer, respond, browser, site, said } = await openUnanswered()
    tab.core.models.draft.setText('Ada’s draft')
    if (status) {
      site.answer = () => respond(status)
      answer(respond(status))
      await settle()
    }
    tab.core.models.conversation.outbox.send('Ada’s message')
    await settle()
    site.answer = undefined
    site.signedIn = 'grace'
    void tab.core.models.refreshSignIn()
    tab.core.models.draft.setText('Ada’s draft, edited')
    await browser.clock.advance(minuteMs)
    expect([tab.core.contact(), draftOf(tab), visible(tab)]).toEqual([grace, '', ['Dear Grace']])
    expect(said(graceToken).map(({ text }) => text)).toEqual(['Dear Grace'])
  })

  it('what is written after refresh() goes on in the chat of whom the site names', async () => {
    const { tab, site, answer, respond, browser } = await openUnanswered()
    const answerLast = site.holdAnswer()
    void tab.core.models.refreshSignIn()
    await settle()
    tab.core.models.conversation.outbox.send('Where is my order?')
    tab.core.models.draft.setText('And')
    answer(respond(401))
    answerLast(respond(200, body))
    await browser.clock.advance(5000)
    expect([tab.core.contact(), draftOf(tab)]).toEqual([ada, 'And'])
    expect(visible(tab)).toEqual(['Dear Ada', 'Where is my order?'])
  })

  it('what an anonymous visitor has written before refresh() goes on, if nobody is signed in', async () => {
    const { tab, site, browser } = await openUnanswered()
    tab.core.models.conversation.outbox.send('Where is my order?')
    tab.core.models.draft.setText('And')
    site.answer = undefined
    void tab.core.models.refreshSignIn()
    await browser.clock.advance(5000)
    expect([tab.core.contact(), draftOf(tab), visible(tab)]).toEqual([null, 'And', ['Where is my order?']])
  })

  it('a message is dropped when the site names a contact after the page was in the back/forward cache', async () => {
    const { tab, browser, site, setUp } = await openUnanswered()
    tab.core.models.conversation.outbox.send('Somebody else’s')
    await settle()
    tab.fire('pagehide')
    await browser.clock.advance(2 * minuteMs)
    site.answer = undefined
    site.signedIn = 'ada'
    tab.fire('pageshow')
    void tab.core.models.refreshSignIn()
    await browser.clock.advance(minuteMs)
    expect([tab.core.contact(), visible(tab), messagesSent(setUp)]).toEqual([ada, ['Dear Ada'], []])
  })

  it.each<[string, (tab: Tab, clock: { advance(ms: number): Promise<void> }) => Promise<void> | void]>([
    ['the site has said that nobody is signed in', () => {}],
    [
      'the page was hidden for a minute',
      async (tab, clock) => {
        tab.setHidden(true)
        await clock.advance(minuteMs)
        tab.setHidden(false)
      },
    ],
    [
      'the page was in the back/forward cache',
      tab => {
        tab.fire('pagehide')
        tab.fire('pageshow')
      },
    ],
    [
      'the page was hidden for a minute while the site could not be reached',
      async (tab, clock) => {
        tab.setHidden(true)
        await clock.advance(2 * minuteMs)
        tab.setHidden(false)
        await clock.advance(minuteMs)
      },
    ],
  ])('a draft is dropped when the site names a contact after %s', async (what, happen) => {
    const { tab, answer, respond, browser, site } = await openUnanswered()
    tab.core.models.draft.setText('Somebody else’s')
    if (what.endsWith('reached')) site.answer = () => respond(503)
    if (what.endsWith('reached')) answer(respond(503))
    if (what.startsWith('the site')) answer(respond(401))
    await happen(tab, browser.clock)
    await settle()
    site.answer = undefined
    site.signedIn = 'ada'
    void tab.core.models.refreshSignIn()
    await settle()
    expect([tab.core.contact(), draftOf(tab)]).toEqual([ada, ''])
  })
})
