import { describe, expect, it, vi } from 'vitest'
import { nextEpoch } from '../../storage/epoch.ts'
import { settle } from '../../testing/fakeClock.ts'
import { ada, adaToken, grace, graceToken, shown, status } from '../../testing/fixtures.ts'
import { createSite, createSiteWithAda, isHidden, visible } from '../../testing/siteFixtures.ts'

const minuteMs = 60_000
const body = (token: string) => JSON.stringify({ data: { token } })

describe('while the page is away', () => {
  it('an answer that comes when the page has been hidden for a minute shows nothing', async () => {
    const { tab, site, respond, browser } = await createSiteWithAda()
    site.answer = () => respond(503)
    void tab.core.models.refreshSignIn()
    await settle()
    tab.setHidden(true)
    await browser.clock.advance(2 * minuteMs)
    site.answer = undefined
    await browser.clock.advance(2 * minuteMs)
    expect(isHidden(tab)).toBe(true)
    tab.setHidden(false)
    await settle()
    expect(visible(tab)).toEqual(['Dear Ada'])
  })

  it('an answer that a frozen page was given an hour ago does not count when it goes on', async () => {
    const { tab, site, respond, browser } = await createSiteWithAda()
    const answer = site.holdAnswer()
    void tab.core.models.refreshSignIn()
    await settle()
    tab.setHidden(true)
    tab.fire('freeze')
    tab.life.freeze()
    answer(respond(204))
    await browser.clock.advance(60 * minuteMs)
    site.holdAnswer()
    tab.setHidden(false)
    tab.life.thaw()
    await settle()
    expect([isHidden(tab), site.questions.length]).toEqual([true, 2])
  })

  it('an answer that was given before the device slept for an hour does not count', async () => {
    const { tab, site, respond, browser } = await createSiteWithAda()
    const answer = site.holdAnswer()
    void tab.core.models.refreshSignIn()
    await settle()
    tab.life.freeze()
    answer(respond(204))
    await browser.clock.advance(60 * minuteMs)
    site.holdAnswer()
    tab.life.thaw()
    await settle()
    expect(isHidden(tab)).toBe(true)
    await browser.clock.advance(minuteMs)
    expect(site.questions.length).toBeGreaterThan(1)
  })

  it('a login of an hour ago is not shown before the site has answered, though the page is visible before its timers run', async () => {
    const { openTab, site, browser } = createSite()
    const tab = openTab()
    await settle()
    tab.setHidden(true)
    tab.life.freeze()
    tab.setHidden(false)
    const other = openTab()
    site.signedIn = 'ada'
    await other.core.models.refreshSignIn()
    other.core.destroy()
    await browser.clock.advance(60 * minuteMs)
    site.questions.length = 0
    site.holdAnswer()
    tab.life.thaw()
    await settle()
    expect([tab.core.contact(), isHidden(tab), site.questions.length]).toEqual([ada, true, 1])
  })

  it('a login of an hour ago in another tab is shown after the site has answered, not before', async () => {
    const { openTab, site, browser } = createSite()
    const tab = openTab()
    await settle()
    tab.setHidden(true)
    tab.life.freeze()
    const other = openTab()
    site.signedIn = 'ada'
    await other.core.models.refreshSignIn()
    other.core.destroy()
    await browser.clock.advance(60 * minuteMs)
    const answer = site.holdAnswer()
    tab.setHidden(false)
    tab.life.thaw()
    await settle()
    expect([tab.core.contact(), isHidden(tab)]).toEqual([ada, true])
    answer({ status: 401, text: async () => '' } as Response)
    await settle()
    expect([status(tab), shown(tab)]).toEqual(['anonymous', []])
  })

  it('a page that was loaded in a hidden tab and asked there is blank after a minute', async () => {
    const { openTab, site, browser } = await createSiteWithAda()
    const tab = openTab({ hidden: true })
    await tab.core.models.refreshSignIn()
    await browser.clock.advance(60 * minuteMs)
    expect(isHidden(tab)).toBe(true)
    site.signedIn = null
    tab.setHidden(false)
    await settle()
    expect(status(tab)).toBe('anonymous')
  })

  it('what asks the site is made once: a page that was loaded hidden and looked at soon stays as it is', async () => {
    const { openTab, browser } = await createSiteWithAda()
    const tab = openTab({ hidden: true })
    tab.fire('visibilitychange')
    await settle()
    tab.setHidden(false)
    await browser.clock.advance(5 * minuteMs)
    expect(visible(tab)).toEqual(['Dear Ada'])
  })

  it('a chat that is opened in a hidden tab asks the site when the tab is visible', async () => {
    const { openTab, site } = createSite()
    site.signedIn = 'ada'
    const tab = openTab({ hidden: true })
    tab.core.setOpen(true)
    await settle()
    expect(site.questions).toEqual([])
    tab.setHidden(false)
    await settle()
    expect(visible(tab)).toEqual(['Dear Ada'])
  })
})

describe('the site', () => {
  it('is asked once however often the chat is opened meanwhile: each question could make a token', async () => {
    const { openTab, site, respond } = createSite()
    const tab = openTab()
    const answer = site.holdAnswer()
    for (let count = 0; count < 3; count++) {
      tab.core.setOpen(true)
      await settle()
      tab.core.setOpen(false)
    }
    answer(respond(401))
    await settle()
    expect(site.questions).toHaveLength(1)
  })
})

describe('a page that has not asked the site yet', () => {
  it.each([
    ['a closed chat', false],
    ['an open chat that the site could not answer', true],
  ])('shows nothing of a contact whose login in another tab is heard of late, in %s', async (_, isOpen) => {
    const { openTab, site, respond, browser } = createSite()
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const tab = openTab()
    site.answer = () => respond(404)
    tab.core.setOpen(isOpen)
    await settle()
    const answer = site.holdAnswer()
    browser.storeIdentity({ epoch: nextEpoch(browser.identity().epoch), reason: 'login', token: adaToken })
    tab.fire('storage')
    await settle()
    expect([tab.core.contact(), isHidden(tab), site.questions.at(-1)]).toEqual([
      ada,
      true,
      { contact: 'ada', token: 'valid' },
    ])
    answer(respond(401))
    await settle()
    expect([status(tab), shown(tab), browser.token()]).toEqual(['anonymous', [], null])
  })

  it('asks only when the database has agreed to what localStorage shows', async () => {
    const { openTab, site, browser } = createSite()
    const login = nextEpoch('')
    browser.records.set('stored', { epoch: nextEpoch(login), owner: 'ada', transcript: [], outbox: [] })
    browser.storeIdentity({ epoch: login, reason: 'signed_out' })
    const tab = openTab()
    tab.core.setOpen(true)
    await settle()
    expect(site.questions).toEqual([])
    browser.storeIdentity({ epoch: nextEpoch(login), reason: 'login', token: adaToken })
    tab.fire('storage')
    await settle()
    expect(site.questions).toEqual([{ contact: 'ada', token: 'valid' }])
  })
})

describe('an open anonymous chat', () => {
  it.each([
    ['was hidden for a minute', minuteMs, 1],
    ['was hidden for less than a minute', minuteMs - 1, 0],
  ])('asks the site again if the page %s', async (_, ms, count) => {
    const { openTab, site, browser } = createSite()
    const tab = openTab()
    tab.core.setOpen(true)
    await settle()
    site.questions.length = 0
    tab.setHidden(true)
    await browser.clock.advance(ms)
    expect(site.questions).toEqual([])
    tab.setHidden(false)
    await settle()
    expect(site.questions.length).toBe(count)
  })

  it('asks the site when it comes back from the back/forward cache, and a closed one does not', async () => {
    const { openTab, site } = createSite()
    const [tab, closed] = [openTab(), openTab()]
    tab.core.setOpen(true)
    await settle()
    site.questions.length = 0
    site.signedIn = 'ada'
    closed.fire('pagehide')
    closed.fire('pageshow')
    await settle()
    expect(site.questions).toEqual([])
    closed.core.destroy()
    tab.fire('pagehide')
    tab.fire('pageshow')
    await settle()
    expect([site.questions.length, visible(tab)]).toEqual([1, ['Dear Ada']])
  })
})

describe('while the site is being asked', () => {
  it('a logout while the platform looks at the new token is not undone, and the token is revoked', async () => {
    const { tab, site, platform, browser } = await createSiteWithAda()
    site.signedIn = 'grace'
    let letThrough = () => {}
    const held = new Promise<undefined>(resolve => {
      letThrough = () => resolve(undefined)
    })
    const { fetch } = platform
    let first = true
    platform.intercept = (_, path, init) => {
      if (path !== '/session/retrieve' || !first) return undefined
      first = false
      return held.then(() => fetch(`https://chat.example/widget${path}`, init))
    }
    void tab.core.models.refreshSignIn()
    await settle()
    void tab.core.logout()
    letThrough()
    await browser.clock.advance(5000)
    expect([status(tab), shown(tab), browser.token()]).toEqual(['anonymous', [], null])
    expect(platform.sessions.get(graceToken)?.ended).toBe('logged_out')
  })

  it('a question that is no longer wanted is not sent', async () => {
    const { openTab, site, platform } = await createSiteWithAda()
    platform.intercept = (_, path) => (path === '/session/retrieve' ? new Promise(() => {}) : undefined)
    const tab = openTab()
    await settle()
    tab.core.destroy()
    await settle()
    expect(site.questions).toEqual([])
  })

  it('a tab that waits to ask again keeps no other tab from asking', async () => {
    const { tab, openTab, site, respond } = await createSiteWithAda()
    site.answer = () => respond(503)
    void tab.core.models.refreshSignIn()
    await settle()
    site.answer = undefined
    const other = openTab()
    await settle()
    expect(visible(other)).toEqual(['Dear Ada'])
  })

  it('refresh() resolves when it is known who is signed in, also if the chat is opened meanwhile', async () => {
    const { openTab, site, respond } = createSite()
    const tab = openTab()
    const answer = site.holdAnswer()
    let isKnown = false
    void tab.core.models.refreshSignIn().then(() => {
      isKnown = true
    })
    await settle()
    tab.core.setOpen(true)
    await settle()
    expect(isKnown).toBe(false)
    answer(respond(200, body(adaToken)))
    await settle()
    expect([isKnown, tab.core.contact()]).toEqual([true, ada])
  })

  it('an expired token that several requests were refused for is replaced once', async () => {
    const { tab, site, platform, browser } = await createSiteWithAda()
    const session = platform.sessions.get(adaToken)
    if (session) session.ended = 'expired'
    tab.core.models.conversation.outbox.send('One')
    tab.core.models.conversation.readState.markRead()
    for (const stream of platform.streams) stream.close()
    site.holdAnswer()
    await browser.clock.advance(5000)
    expect(site.questions).toEqual([{ contact: 'ada', token: 'expired' }])
  })

  it.each([
    ['nobody was signed in before', false],
    ['somebody else was signed in before', true],
  ])('what the page says for the visitor goes to whom the site names, where %s', async (_, isOther) => {
    const { openTab, site, said, platform, browser } = isOther ? await createSiteWithAda() : createSite()
    site.signedIn = 'grace'
    const tab = openTab()
    void tab.core.models.message({ text: 'I need help', prefill: 'with' })
    tab.core.setOpen(true)
    await browser.clock.advance(1000)
    expect(said(graceToken).map(({ text }) => text)).toEqual(['Dear Grace', 'I need help'])
    const sent = platform.log.filter(({ method, path }) => method === 'POST' && path === '/messages')
    expect(sent.map(({ token }) => token)).toEqual([graceToken])
    expect(tab.core.models.draft.text.value).toBe('with')
  })

  it('what the page says for an anonymous visitor is sent though the site can not be reached', async () => {
    const { openTab, site, respond, browser } = createSite()
    site.answer = () => respond(503)
    const tab = openTab()
    void tab.core.models.message({ text: 'I need help' })
    await browser.clock.advance(1000)
    expect(visible(tab)).toEqual(['I need help'])
  })

  it('the context that the page gives on load is that of whom the site names, not of whom is stored', async () => {
    const { openTab, site, platform } = await createSiteWithAda()
    site.signedIn = 'grace'
    const tab = openTab()
    tab.core.models.setContext({ plan: 'hers' })
    await settle()
    expect(tab.core.contact()).toEqual(grace)
    tab.core.models.conversation.outbox.send('Hello')
    await settle()
    const sent = platform.log.findLast(({ method, path }) => method === 'POST' && path === '/messages')
    expect(sent?.body).toMatchObject({ text: 'Hello', context: { plan: 'hers' } })
  })
})
