import { describe, expect, it } from 'vitest'
import { settle } from '../testing/fakeClock.ts'
import { ada, adaToken, authOf, contactToken, grace, shown, status } from '../testing/fixtures.ts'
import { createSite, createSiteWithAda, isHidden, visible } from '../testing/siteFixtures.ts'

const minuteMs = 60_000

describe('with tokenUrl', () => {
  it('a closed chat with no stored contact asks nothing', async () => {
    const { site, openTab } = createSite()
    openTab()
    await settle()
    expect(site.questions).toEqual([])
  })

  it('opening the chat logs in whoever is signed in at the site', async () => {
    const { site, openTab, browser } = createSite()
    site.signedIn = 'ada'
    const tab = openTab()
    tab.core.setOpen(true)
    await settle()
    expect(site.questions).toEqual([{ contact: null, token: 'none' }])
    expect([tab.core.contact(), visible(tab), browser.token()]).toEqual([ada, ['Dear Ada'], adaToken])
  })

  it('opening the chat when nobody is signed in keeps the anonymous chat', async () => {
    const { site, openTab } = createSite()
    const tab = openTab()
    tab.core.models.conversation.outbox.send('Hello')
    await settle()
    tab.core.setOpen(true)
    await settle()
    expect(site.questions).toEqual([{ contact: null, token: 'none' }])
    expect([status(tab), visible(tab)]).toEqual(['anonymous', ['Hello']])
  })

  it('a reload shows nothing of the contact before the site has said that they are still signed in', async () => {
    const { site, openTab, respond } = await createSiteWithAda()
    const answer = site.holdAnswer()
    const tab = openTab()
    await settle()
    expect(site.questions).toEqual([{ contact: 'ada', token: 'valid' }])
    expect([isHidden(tab), tab.core.contact()]).toEqual([true, ada])
    // The page itself is told no sooner.
    const { auth } = tab.core.models
    expect([auth.state(), auth.contact(), authOf(tab)]).toEqual([
      'identifying',
      null,
      [['identifying', null, 'restored']],
    ])
    answer(respond(204))
    await settle()
    expect(visible(tab)).toEqual(['Dear Ada'])
    expect([auth.state(), auth.contact(), authOf(tab).at(-1)]).toEqual([
      'identified',
      ada,
      ['identified', 'ada', 'restored'],
    ])
  })

  it('a reload after the site has signed the contact out forgets them in every tab, and revokes the token', async () => {
    const { site, openTab, tab: other, browser, platform } = await createSiteWithAda()
    site.signedIn = null
    const tab = openTab()
    await settle()
    expect([status(tab), shown(tab), status(other), shown(other), browser.token()]).toEqual([
      'anonymous',
      [],
      'anonymous',
      [],
      null,
    ])
    expect(platform.sessions.get(adaToken)?.ended).toBe('logged_out')
  })

  it('the view is blank after the page was hidden for a minute, until the site has answered', async () => {
    const { tab, browser, site, respond } = await createSiteWithAda()
    tab.setHidden(true)
    await browser.clock.advance(minuteMs - 1)
    expect(isHidden(tab)).toBe(false)
    await browser.clock.advance(1)
    expect([isHidden(tab), site.questions]).toEqual([true, []])
    const answer = site.holdAnswer()
    tab.setHidden(false)
    await settle()
    expect([isHidden(tab), site.questions]).toEqual([true, [{ contact: 'ada', token: 'valid' }]])
    answer(respond(401))
    await settle()
    expect([status(tab), shown(tab)]).toEqual(['anonymous', []])
  })

  it('a page that was hidden for less than a minute still shows the chat', async () => {
    const { tab, browser, site } = await createSiteWithAda()
    tab.setHidden(true)
    await browser.clock.advance(minuteMs - 1)
    tab.setHidden(false)
    await browser.clock.advance(minuteMs)
    expect([visible(tab), site.questions]).toEqual([['Dear Ada'], []])
  })

  it.each(['freeze', 'pagehide'] as const)('the view is blank at once on %s', async signal => {
    const { tab } = await createSiteWithAda()
    tab.fire(signal)
    expect(isHidden(tab)).toBe(true)
  })

  it('a page from the back/forward cache shows nothing before the site has answered', async () => {
    const { tab, site } = await createSiteWithAda()
    tab.fire('pagehide')
    site.signedIn = 'grace'
    tab.fire('pageshow')
    expect(isHidden(tab)).toBe(true)
    await settle()
    expect([tab.core.contact(), visible(tab)]).toEqual([grace, ['Dear Grace']])
  })

  it('a hidden tab asks nothing until it is visible', async () => {
    const { openTab, site } = await createSiteWithAda()
    const tab = openTab({ hidden: true })
    await settle()
    expect([isHidden(tab), site.questions]).toEqual([true, []])
    tab.setHidden(false)
    await settle()
    expect([visible(tab), site.questions.length]).toEqual([['Dear Ada'], 1])
  })

  it('opening the chat asks each time, and two tabs ask one after the other', async () => {
    const { tab, site, openTab } = await createSiteWithAda()
    const other = openTab()
    await settle()
    site.questions.length = 0
    tab.core.setOpen(false)
    tab.core.setOpen(true)
    other.core.setOpen(true)
    await settle()
    expect(site.questions).toEqual([
      { contact: 'ada', token: 'valid' },
      { contact: 'ada', token: 'valid' },
    ])
    expect([visible(tab), visible(other)]).toEqual([['Dear Ada'], ['Dear Ada']])
  })

  it('an expired token is renewed, and nothing unsent is lost', async () => {
    const { tab, site, platform, browser } = await createSiteWithAda()
    const next = contactToken('c')
    platform.addContact(next, ada)
    site.tokens['ada'] = next
    platform.end(adaToken, 'expired')
    tab.core.models.conversation.outbox.send('Still there?')
    await browser.clock.advance(5_000)
    expect(site.questions).toContainEqual({ contact: 'ada', token: 'expired' })
    expect([tab.core.contact(), browser.token(), visible(tab)]).toEqual([ada, next, ['Dear Ada', 'Still there?']])
  })

  it('another token of the same contact continues the session in every tab, and the former one is revoked', async () => {
    const { tab, site, platform, browser, openTab, respond } = await createSiteWithAda()
    const other = openTab()
    await settle()
    const next = contactToken('c')
    platform.addContact(next, ada)
    const { epoch } = browser.identity()
    const before = [tab, other].map(each => authOf(each).length)
    site.answer = () => respond(200, JSON.stringify({ data: { token: next } }))
    void tab.core.models.refreshSignIn()
    await browser.clock.advance(10_000)
    site.answer = undefined
    expect([browser.identity().epoch, browser.token()]).toEqual([epoch, next])
    expect([tab, other].map(each => authOf(each).length)).toEqual(before)
    expect([platform.sessions.get(adaToken)?.ended, platform.sessions.get(next)?.ended]).toEqual(['logged_out', null])
    other.core.models.conversation.outbox.send('Still there?')
    await browser.clock.advance(5000)
    expect([visible(tab), visible(other)]).toEqual([
      ['Dear Ada', 'Still there?'],
      ['Dear Ada', 'Still there?'],
    ])
  })

  it.each(['logout', 'revoked', 'contact_deleted'] as const)(
    'after %s, opening the chat logs nobody in, in any tab or page load, until the page calls refresh()',
    async reason => {
      const { tab, site, openTab, platform, browser } = await createSiteWithAda()
      if (reason === 'logout') await tab.core.logout()
      else platform.end(adaToken, reason)
      await browser.clock.advance(5_000)
      const next = openTab()
      next.core.setOpen(true)
      tab.core.setOpen(false)
      tab.core.setOpen(true)
      await settle()
      expect([site.questions, status(tab), status(next)]).toEqual([[], 'anonymous', 'anonymous'])
      platform.addContact(adaToken, ada)
      await next.core.models.refreshSignIn()
      await settle()
      expect([next.core.contact(), tab.core.contact()]).toEqual([ada, ada])
    },
  )

  it('refresh() asks the site again, although an older question is still open', async () => {
    const { openTab, site, respond } = createSite()
    const tab = openTab()
    const answers: ((response: Response) => void)[] = []
    site.answer = () => new Promise(resolve => answers.push(resolve))
    tab.core.setOpen(true)
    await settle()
    site.answer = undefined
    site.signedIn = 'ada'
    const refreshed = tab.core.models.refreshSignIn()
    await settle()
    answers[0]?.(respond(401))
    await refreshed
    await settle()
    expect(tab.core.contact()).toEqual(ada)
  })

  it('a logout is not undone by a later answer of the site', async () => {
    const { tab, site, respond } = await createSiteWithAda()
    const answer = site.holdAnswer()
    tab.core.setOpen(false)
    tab.core.setOpen(true)
    await settle()
    void tab.core.logout()
    answer(respond(200, JSON.stringify({ data: { token: adaToken } })))
    await settle()
    expect([status(tab), shown(tab)]).toEqual(['anonymous', []])
  })

  it('login() needs no answer of the site', async () => {
    const { openTab, site } = createSite()
    const tab = openTab()
    await tab.core.login(adaToken)
    await settle()
    expect([visible(tab), site.questions]).toEqual([['Dear Ada'], []])
  })

  it('the launcher shows no unread number before the site has answered', async () => {
    const { openTab, site, platform, said, respond } = await createSiteWithAda()
    platform.say(said(adaToken), { text: 'News' })
    const answer = site.holdAnswer()
    const names: string[] = []
    openTab({ renderLauncher: ({ texts }: { texts: { chat: string } }) => void names.push(texts.chat) })
    await settle()
    expect(names.filter(name => name !== 'Chat')).toEqual([])
    answer(respond(204))
    await settle()
    expect(names.at(-1)).toMatch(/^Chat, \d+ unread$/)
  })
})
