import { describe, expect, it } from 'vitest'
import { settle } from '../testing/fakeClock.ts'
import { ada, adaToken, authOf, contactToken, createAcme, grace, graceToken, status } from '../testing/fixtures.ts'
import { createSiteWithAda, visible } from '../testing/siteFixtures.ts'

const hour = 3_600_000

describe('a tab that is suspended while it asks the site', () => {
  async function suspended() {
    const setUp = await createSiteWithAda()
    const { tab, site } = setUp
    const answer = site.holdAnswer()
    void tab.core.models.refreshSignIn()
    await settle()
    expect(setUp.browser.origin.held()).toContain('natter:bot:signIn')
    tab.life.freeze()
    site.answer = undefined
    return { ...setUp, answer }
  }

  it('keeps another tab waiting for half a minute only', async () => {
    const { openTab, browser } = await suspended()
    const other = openTab()
    await browser.clock.advance(29_000)
    expect(visible(other)).toEqual([])
    await browser.clock.advance(2000)
    expect(visible(other)).toEqual(['Dear Ada'])
  })

  it.each([
    ['nobody', 401, ''],
    ['Ada', 200, JSON.stringify({ data: { token: adaToken } })],
  ])('does not end the login of another tab when it is resumed with the answer %s', async (_, code, body) => {
    const { openTab, tab, site, browser, respond, answer } = await suspended()
    const other = openTab()
    site.signedIn = 'grace'
    void other.core.models.refreshSignIn()
    await browser.clock.advance(31_000)
    expect(other.core.contact()).toEqual(grace)
    answer(respond(code, body))
    await browser.clock.advance(hour)
    tab.life.thaw()
    await browser.clock.advance(20_000)
    for (const each of [tab, other]) expect([each.core.contact(), visible(each)]).toEqual([grace, ['Dear Grace']])
    expect(authOf(other).map(([, , reason]) => reason)).not.toContain('logout')
    expect(browser.token()).toBe(graceToken)
  })

  it('asks again if the platform had not verified the token yet, because somebody else may be signed in now', async () => {
    const { tab, site, platform, openTab, browser } = await createSiteWithAda()
    site.signedIn = 'grace'
    let verify = () => {}
    platform.intercept = (_, path, init) => {
      if (path !== '/session/retrieve') return undefined
      platform.intercept = () => undefined
      return new Promise(resolve => {
        verify = () => resolve(platform.fetch(`https://chat.example/widget${path}`, init))
      })
    }
    void tab.core.models.refreshSignIn()
    await settle()
    tab.life.freeze()
    site.signedIn = 'ada'
    const other = openTab()
    await browser.clock.advance(31_000)
    expect(visible(other)).toEqual(['Dear Ada'])
    verify()
    await browser.clock.advance(hour)
    tab.life.thaw()
    await browser.clock.advance(20_000)
    for (const each of [tab, other]) {
      expect([each.core.contact(), visible(each)]).toEqual([ada, ['Dear Ada']])
      expect(authOf(each).map(([, contact]) => contact)).not.toContain('grace')
    }
    expect(platform.sessions.get(graceToken)?.ended).toBe('logged_out')
  })
})

describe('a tab that is suspended while it renews an expired token', () => {
  it('keeps another tab waiting for half a minute only, and does not end the session when it is resumed', async () => {
    const { platform, browser } = createAcme()
    const newToken = contactToken('c')
    platform.addContact(newToken, ada)
    let answer = (_: null) => {}
    const never = new Promise<null>(resolve => {
      answer = resolve
    })
    const one = browser.openTab({ start: false, refreshToken: () => never })
    await one.core.login(adaToken)
    const other = browser.openTab({ refreshToken: async () => newToken })
    await settle()
    platform.end(adaToken, 'expired')
    one.core.models.conversation.outbox.send('Meanwhile')
    await browser.clock.advance(1000)
    one.life.freeze()
    other.core.models.conversation.readState.markRead()
    await browser.clock.advance(31_000)
    expect([browser.token(), status(other)]).toEqual([newToken, 'identified'])
    answer(null)
    await browser.clock.advance(hour)
    one.life.thaw()
    await browser.clock.advance(90_000)
    expect(browser.token()).toBe(newToken)
    for (const tab of [one, other]) expect(tab.core.contact()).toEqual(ada)
  })
})
