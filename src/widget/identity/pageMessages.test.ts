// Messages while it is not known who is signed in.
import { describe, expect, it } from 'vitest'
import { settle } from '../testing/fakeClock.ts'
import { ada, adaToken, contactToken, grace, graceToken, shown, status, type Tab } from '../testing/fixtures.ts'
import { createSite, createSiteWithAda, visible } from '../testing/siteFixtures.ts'

const minuteMs = 60_000
const body = (token: string) => JSON.stringify({ data: { token } })
const words = { text: 'I need help', prefill: 'with' }
const draftOf = ({ core }: Tab) => core.models.draft.text.value
/** The tokens with which messages were sent. */
const senders = ({ platform }: ReturnType<typeof createSite>) =>
  platform.log.filter(({ method, path }) => method === 'POST' && path === '/messages').map(({ token }) => token)

/** A page in which Ada's session is stored, and which the site has still to answer. The page says something for her. */
async function speakAsAda() {
  const setUp = await createSiteWithAda()
  setUp.tab.core.destroy()
  const answer = setUp.site.holdAnswer()
  const tab = setUp.openTab()
  tab.core.models.message(words)
  tab.core.setOpen(true)
  await settle()
  return { ...setUp, tab, answer, setUp }
}

describe('message() for a visitor whom the site has not named yet', () => {
  it('is sent in the name of the contact whom the site names', async () => {
    const setUp = createSite()
    const { openTab, site, browser } = setUp
    site.signedIn = 'grace'
    const tab = openTab()
    tab.core.models.message(words)
    tab.core.setOpen(true)
    await browser.clock.advance(1000)
    expect([visible(tab), draftOf(tab), senders(setUp)]).toEqual([['Dear Grace', 'I need help'], 'with', [graceToken]])
  })

  it('is sent in the name of the contact whom the page has just signed in', async () => {
    const setUp = createSite()
    const { openTab, site, browser } = setUp
    const tab = openTab()
    tab.core.setOpen(true)
    await settle()
    site.signedIn = 'grace'
    void tab.core.models.refreshSignIn()
    tab.core.models.message(words)
    await browser.clock.advance(1000)
    expect([visible(tab), draftOf(tab), senders(setUp)]).toEqual([['Dear Grace', 'I need help'], 'with', [graceToken]])
  })

  it('is dropped if the page signs somebody in meanwhile', async () => {
    const setUp = createSite()
    const { openTab, site, browser } = setUp
    site.holdAnswer()
    const tab = openTab()
    tab.core.models.message(words)
    tab.core.setOpen(true)
    await settle()
    site.answer = undefined
    site.signedIn = 'grace'
    void tab.core.models.refreshSignIn()
    await browser.clock.advance(minuteMs)
    expect([tab.core.contact(), visible(tab), draftOf(tab)]).toEqual([grace, ['Dear Grace'], ''])
    expect(senders(setUp)).toEqual([])
  })

  it('is dropped if the page was away for a minute, because somebody else may be there then', async () => {
    const setUp = createSite()
    const { openTab, site, browser } = setUp
    site.holdAnswer()
    const tab = openTab()
    tab.core.models.message(words)
    tab.core.setOpen(true)
    await settle()
    tab.setHidden(true)
    tab.fire('freeze')
    tab.life.freeze()
    await browser.clock.advance(minuteMs)
    site.answer = undefined
    site.signedIn = 'grace'
    tab.life.thaw()
    tab.setHidden(false)
    await browser.clock.advance(1000)
    expect([visible(tab), draftOf(tab), senders(setUp)]).toEqual([['Dear Grace'], '', []])
  })

  it('is sent anonymously if the site cannot be reached', async () => {
    const { openTab, site, respond, browser } = createSite()
    site.answer = () => respond(503)
    const tab = openTab()
    tab.core.models.message(words)
    await browser.clock.advance(1000)
    expect([visible(tab), draftOf(tab)]).toEqual([['I need help'], 'with'])
  })
})

describe('message() for a stored contact', () => {
  it('waits until the site has confirmed the contact', async () => {
    const { tab, answer, respond, browser, setUp } = await speakAsAda()
    await browser.clock.advance(5000)
    expect(senders(setUp)).toEqual([])
    answer(respond(204))
    await browser.clock.advance(5000)
    expect([visible(tab), draftOf(tab), senders(setUp)]).toEqual([['Dear Ada', 'I need help'], 'with', [adaToken]])
  })

  it('is kept if the site gives the contact another token', async () => {
    const { tab, answer, respond, browser, platform, setUp } = await speakAsAda()
    const next = contactToken('d')
    platform.addContact(next, ada)
    answer(respond(200, body(next)))
    await browser.clock.advance(5000)
    expect([visible(tab), draftOf(tab), senders(setUp)]).toEqual([['Dear Ada', 'I need help'], 'with', [next]])
  })

  it('is dropped if the site names somebody else, even after it could not be reached for long', async () => {
    const { tab, site, answer, respond, browser, said, setUp } = await speakAsAda()
    site.answer = () => respond(503)
    answer(respond(503))
    await browser.clock.advance(minuteMs)
    site.answer = undefined
    site.signedIn = 'grace'
    await browser.clock.advance(minuteMs)
    expect([tab.core.contact(), visible(tab), draftOf(tab)]).toEqual([grace, ['Dear Grace'], ''])
    expect([senders(setUp), said(graceToken).length]).toEqual([[], 1])
  })

  it('is dropped if nobody is signed in', async () => {
    const { tab, answer, respond, browser, setUp } = await speakAsAda()
    answer(respond(401))
    await browser.clock.advance(5000)
    expect([status(tab), shown(tab), draftOf(tab), senders(setUp)]).toEqual(['anonymous', [], '', []])
  })

  it('is dropped after a logout', async () => {
    const { tab, answer, respond, browser, setUp } = await speakAsAda()
    void tab.core.logout()
    answer(respond(204))
    await browser.clock.advance(5000)
    expect([status(tab), shown(tab), draftOf(tab), senders(setUp)]).toEqual(['anonymous', [], '', []])
  })
})

describe('a message that Ada has written without a connection', () => {
  /** Ada writes without a connection. When it is back, the site has still to answer who is signed in. */
  async function writeOffline() {
    const setUp = await createSiteWithAda()
    const { tab, site, platform, browser, respond } = setUp
    platform.intercept = (_, path) => (path === '/messages' ? respond(503) : undefined)
    tab.core.models.conversation.outbox.send('I need help')
    await browser.clock.advance(1000)
    const answer = site.holdAnswer()
    void tab.core.models.refreshSignIn()
    platform.intercept = () => undefined
    tab.fire('online')
    await browser.clock.advance(10_000)
    return { ...setUp, answer, setUp }
  }

  it('waits for the answer of the site, and is sent if it is still Ada', async () => {
    const { tab, answer, respond, browser, said } = await writeOffline()
    expect(said(adaToken).map(({ text }) => text)).toEqual(['Dear Ada'])
    answer(respond(204))
    await browser.clock.advance(5000)
    expect(visible(tab)).toEqual(['Dear Ada', 'I need help'])
  })

  it('is not sent when the page is left meanwhile', async () => {
    const { tab, browser, said } = await writeOffline()
    tab.fire('pagehide')
    await browser.clock.advance(5000)
    expect(said(adaToken).map(({ text }) => text)).toEqual(['Dear Ada'])
  })

  it.each([
    ['somebody else', 'grace', [grace, ['Dear Grace']]],
    ['nobody', null, [null, []]],
  ] as const)('is dropped if the site names %s', async (_, signedIn, expected) => {
    const { tab, site, browser, said } = await writeOffline()
    site.answer = undefined
    site.signedIn = signedIn
    void tab.core.models.refreshSignIn()
    await browser.clock.advance(minuteMs)
    expect([tab.core.contact(), shown(tab)]).toEqual(expected)
    expect([...said(adaToken), ...said(graceToken)].map(({ text }) => text)).toEqual(['Dear Ada', 'Dear Grace'])
  })
})
