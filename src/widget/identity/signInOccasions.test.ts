import { describe, expect, it, vi } from 'vitest'
import { settle } from '../testing/fakeClock.ts'
import { ada, adaToken, contactToken, grace, graceToken, shown, status } from '../testing/fixtures.ts'
import { laterEpoch } from '../testing/laterEpoch.ts'
import { createSite, createSiteWithAda, isHidden, visible } from '../testing/siteFixtures.ts'

const minuteMs = 60_000

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
    browser.storeIdentity({ epoch: laterEpoch(browser.identity().epoch, 'login'), reason: 'login', token: adaToken })
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

  it('asks only when the database has accepted the epoch in localStorage', async () => {
    const { openTab, site, browser } = createSite()
    const [first, login] = [laterEpoch(), laterEpoch(laterEpoch(), 'login')]
    browser.records.set('meta', { epoch: login, reason: 'login', owner: 'ada', token: '' })
    browser.storeIdentity({ epoch: first, reason: 'signed_out' })
    const tab = openTab()
    tab.core.setOpen(true)
    await settle()
    expect(site.questions).toEqual([])
    browser.storeIdentity({ epoch: login, reason: 'login', token: adaToken })
    tab.fire('storage')
    await settle()
    expect(site.questions).toEqual([{ contact: 'ada', token: 'valid' }])
  })
})

describe('a page to which the site has named a contact', () => {
  it.each([false, true])(
    'shows nothing of another contact, whom another tab logs in, until the site has named them (hidden: %s)',
    async wasHidden => {
      const { tab, site, respond, browser } = await createSiteWithAda()
      tab.setHidden(wasHidden)
      const answer = site.holdAnswer()
      browser.storeIdentity({
        epoch: laterEpoch(browser.identity().epoch, 'login'),
        reason: 'login',
        token: graceToken,
      })
      tab.fire('storage')
      await settle()
      expect([tab.core.contact(), isHidden(tab)]).toEqual([grace, true])
      tab.setHidden(false)
      await settle()
      expect([isHidden(tab), site.questions]).toEqual([true, [{ contact: 'grace', token: 'valid' }]])
      answer(respond(204))
      await settle()
      expect(visible(tab)).toEqual(['Dear Grace'])
    },
  )

  it('does not ask because of another token, as two tabs of a site that always gives one would never stop', async () => {
    const { tab, site, respond, platform, openTab, browser } = await createSiteWithAda()
    const other = openTab()
    await settle()
    let count = 0
    site.answer = () => {
      const token = contactToken(`${++count}`)
      platform.addContact(token, ada)
      return respond(200, JSON.stringify({ data: { token } }))
    }
    void tab.core.models.refreshSignIn()
    await browser.clock.advance(minuteMs)
    expect(count).toBe(1)
    for (const each of [tab, other]) expect(visible(each)).toEqual(['Dear Ada'])
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

it('a page load asks the site after storage was emptied at the sign-out of a contact, in whichever tab', async () => {
  const { tab, site, openTab, browser } = await createSiteWithAda()
  site.signedIn = null
  browser.local.clear()
  tab.fire('storage')
  await settle()
  expect([status(tab), shown(tab)]).toEqual(['anonymous', []])
  site.signedIn = 'grace'
  const next = openTab()
  next.core.setOpen(true)
  await settle()
  expect([next.core.contact(), visible(next)]).toEqual([grace, ['Dear Grace']])
})
