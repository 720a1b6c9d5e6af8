import { describe, expect, it } from 'vitest'
import { settle } from '../testing/fakeClock.ts'
import { ada, adaToken, grace, graceToken, shown, status } from '../testing/fixtures.ts'
import { createSite, createSiteWithAda, isHidden, visible } from '../testing/siteFixtures.ts'

const body = (token: string) => JSON.stringify({ data: { token } })

describe('the site', () => {
  it('is asked only once if the chat is opened again meanwhile, because each question could create a token', async () => {
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

describe('while the site is being asked', () => {
  it('a logout while the platform verifies the new token is not undone, and the token is revoked', async () => {
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

  it('the token of a sign-in is stored before the page hears of it, because other tabs would not wait while the page is busy', async () => {
    const { tab, site, browser } = await createSiteWithAda()
    site.signedIn = 'grace'
    const stored = new Set<string | null>()
    const push = tab.events.push.bind(tab.events)
    tab.events.push = (...events) => {
      if (events.some(([name]) => name === 'auth')) stored.add(browser.token())
      return push(...events)
    }
    await tab.core.models.refreshSignIn()
    expect(tab.core.contact()).toEqual(grace)
    expect([...stored]).toEqual([graceToken])
  })

  it('a page that destroys the widget does not ask', async () => {
    const { openTab, site, platform } = await createSiteWithAda()
    platform.intercept = (_, path) => (path === '/session/retrieve' ? new Promise(() => {}) : undefined)
    const tab = openTab()
    await settle()
    tab.core.destroy()
    await settle()
    expect(site.questions).toEqual([])
  })

  it('a tab that waits before it asks again does not keep another tab from asking', async () => {
    const { tab, openTab, site, respond } = await createSiteWithAda()
    site.answer = () => respond(503)
    void tab.core.models.refreshSignIn()
    await settle()
    site.answer = undefined
    const other = openTab()
    await settle()
    expect(visible(other)).toEqual(['Dear Ada'])
  })

  it('a new token is kept while the platform cannot verify it', async () => {
    const { tab, site, respond, platform, browser } = await createSiteWithAda()
    site.signedIn = 'grace'
    platform.intercept = (_, path) => (path === '/session/retrieve' ? respond(503) : undefined)
    void tab.core.models.refreshSignIn()
    await browser.clock.advance(10_000)
    expect([tab.core.models.signIn.isUnreachable.value, isHidden(tab)]).toEqual([true, true])
    platform.intercept = () => undefined
    await browser.clock.advance(20_000)
    expect([tab.core.contact(), site.questions.length]).toEqual([grace, 1])
  })

  it('a new token that the platform cannot verify for a minute is revoked, and the site is asked again', async () => {
    const { tab, site, respond, platform, browser } = await createSiteWithAda()
    site.signedIn = 'grace'
    platform.intercept = (_, path) => (path === '/session/retrieve' ? respond(503) : undefined)
    void tab.core.models.refreshSignIn()
    await browser.clock.advance(50_000)
    site.signedIn = 'ada'
    await browser.clock.advance(60_000)
    platform.intercept = () => undefined
    await browser.clock.advance(60_000)
    expect([tab.core.contact(), platform.sessions.get(graceToken)?.ended]).toEqual([ada, 'logged_out'])
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

  it('an expired token is renewed once, although several requests were refused because of it', async () => {
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

  it('the context that the page sets on load is sent for the contact whom the site names', async () => {
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

describe('two tabs of several processes, of which one sees late what the other writes to localStorage', () => {
  /** Ada's chat in two tabs. After `hold()`, `late` sees nothing that `prompt` stores until `show()`. It has the stream. */
  async function createLateTab() {
    const held: (() => void)[] = []
    let isLate = false
    const show = () => {
      isLate = false
      for (const fn of held.splice(0)) fn()
    }
    const setUp = createSite({
      apart: true,
      post(lane, fn) {
        if (lane === 'storage to tab 0' && isLate) held.push(fn)
        else queueMicrotask(fn)
      },
    })
    setUp.site.signedIn = 'ada'
    const tabs = [setUp.openTab(), setUp.openTab()] as const
    await tabs[0].core.models.refreshSignIn()
    await settle()
    const [late, prompt] = tabs
    expect([late.core.contact(), prompt.core.contact()]).toEqual([ada, ada])
    function hold() {
      isLate = true
    }
    return { ...setUp, late, prompt, tabs, show, hold }
  }

  it.each(['logged_out', 'revoked', 'contact_deleted'] as const)(
    'after %s, refresh() in the late tab does not undo the sign-in of the other',
    async reason => {
      const { late, prompt, tabs, show, hold, platform } = await createLateTab()
      if (reason === 'logged_out') await prompt.core.logout()
      else platform.end(adaToken, reason)
      await settle()
      for (const tab of tabs) expect(status(tab)).toBe('anonymous')
      platform.addContact(adaToken, ada)
      hold()
      await prompt.core.models.refreshSignIn()
      expect(prompt.core.contact()).toEqual(ada)
      const refreshed = late.core.models.refreshSignIn()
      show()
      await refreshed
      await settle()
      for (const tab of tabs) expect(tab.core.contact()).toEqual(ada)
    },
  )

  it('a sign-out at the site stays one in the late tab, which the platform tells first that the session has ended', async () => {
    const { late, prompt, tabs, hold, show, site, browser } = await createLateTab()
    site.signedIn = null
    hold()
    await prompt.core.models.refreshSignIn()
    await browser.clock.advance(1000)
    show()
    await browser.clock.advance(1000)
    for (const tab of tabs) expect([status(tab), tab.core.models.session.endReason.value]).toEqual(['anonymous', null])
    site.signedIn = 'grace'
    late.core.setOpen(true)
    await settle()
    for (const tab of tabs) expect(tab.core.contact()).toEqual(grace)
  })
})
