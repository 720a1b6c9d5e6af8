import { describe, expect, it } from 'vitest'
import { settle } from '../testing/fakeClock.ts'
import { ada, authOf, grace, graceToken, shown, status, type Tab } from '../testing/fixtures.ts'
import { createSite, createSiteWithAda, isHidden, visible } from '../testing/siteFixtures.ts'

const minuteMs = 60_000

describe('while the page is away', () => {
  it('an answer that arrives when the page has been hidden for a minute shows nothing', async () => {
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

  it('an answer that arrived an hour ago in a frozen page does not count when the page is shown', async () => {
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

  it('an answer from before the device slept for an hour does not count', async () => {
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

  it('a login in another tab an hour ago is not shown before the site has answered again', async () => {
    const { openTab, site, browser } = createSite()
    const tab = openTab()
    tab.core.setOpen(true)
    await settle()
    tab.core.setOpen(false)
    tab.setHidden(true)
    tab.life.freeze()
    const other = openTab()
    site.signedIn = 'ada'
    await other.core.models.refreshSignIn()
    other.core.destroy()
    await browser.clock.advance(60 * minuteMs)
    site.questions.length = 0
    site.holdAnswer()
    tab.setHidden(false)
    tab.life.thaw()
    await settle()
    expect([tab.core.contact(), isHidden(tab), site.questions.length]).toEqual([ada, true, 1])
  })

  it('a login in another tab an hour ago is dropped when the site answers that nobody is signed in', async () => {
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

  it.each([
    ['an answer of the site', (tab: Tab) => tab.core.models.refreshSignIn()],
    ['a login of the page', (tab: Tab) => tab.core.login(graceToken)],
  ])('the page hears of %s at once, and nothing is shown before the site is asked again', async (_, signIn) => {
    const { tab, site, browser } = await createSiteWithAda()
    tab.setHidden(true)
    await browser.clock.advance(2 * minuteMs)
    site.signedIn = 'grace'
    await signIn(tab)
    expect([tab.core.models.auth.state(), tab.core.models.auth.contact()]).toEqual(['identified', grace])
    expect(authOf(tab).at(-1)).toEqual(['identified', 'grace', 'replaced'])
    expect(isHidden(tab)).toBe(true)
    site.holdAnswer()
    tab.setHidden(false)
    await settle()
    expect([isHidden(tab), tab.core.models.auth.contact()]).toEqual([true, grace])
  })

  it('the page hears of a login that it makes in a hidden tab, before the site was ever asked', async () => {
    const { openTab, browser } = createSite()
    const tab = openTab({ hidden: true })
    await tab.core.login(graceToken)
    await settle()
    expect(tab.core.models.auth.contact()).toEqual(grace)
    await browser.clock.advance(minuteMs)
    expect([isHidden(tab), tab.core.models.auth.contact()]).toEqual([true, grace])
  })

  it('another `visibilitychange` while the page is hidden does not restart the minute', async () => {
    const { tab, browser } = await createSiteWithAda()
    tab.setHidden(true)
    await browser.clock.advance(minuteMs - 1000)
    tab.setHidden(true)
    await browser.clock.advance(1000)
    expect(isHidden(tab)).toBe(true)
  })

  it('a page that was loaded in a hidden tab and has asked the site there is blank after a minute', async () => {
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

  it('a page that was loaded in a hidden tab and is shown soon keeps showing the chat', async () => {
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
