import { describe, expect, it, vi } from 'vitest'
import { settle } from '../testing/fakeClock.ts'
import { ada, adaToken, contactToken, grace, graceToken } from '../testing/fixtures.ts'
import { createSite, createSiteWithAda, isHidden, visible } from '../testing/siteFixtures.ts'

const minuteMs = 60_000

describe('tokenUrl', () => {
  it.each([
    ['the network fails', () => Promise.reject(new TypeError('Failed to fetch'))],
    ['the site answers 500', (respond: ReturnType<typeof createSite>['respond']) => respond(500)],
  ])('the view stays blank and nothing is erased while %s', async (_, answer) => {
    const { openTab, site, respond, browser } = await createSiteWithAda()
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    site.answer = () => answer(respond)
    const tab = openTab()
    await browser.clock.advance(5 * minuteMs)
    const { isUnreachable } = tab.core.models.signIn
    expect([isHidden(tab), isUnreachable.value, browser.token(), tab.core.contact()]).toEqual([
      true,
      true,
      adaToken,
      ada,
    ])
    site.answer = undefined
    await browser.clock.advance(minuteMs)
    expect(visible(tab)).toEqual(['Dear Ada'])
    warn.mockRestore()
  })

  it('a 5xx of the site is told to the developer, because visitors only see that the chat reconnects', async () => {
    const { openTab, site, respond } = await createSiteWithAda()
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    site.answer = () => respond(502)
    openTab()
    await settle()
    expect(warn.mock.calls).toEqual([["Natter: tokenUrl /chat-token answered 502. See your server's log."]])
    warn.mockRestore()
  })

  it('is asked with the site’s cookies, without any cache and without following redirects', async () => {
    const { site } = await createSiteWithAda()
    expect(site.requests.at(-1)).toMatchObject({
      method: 'POST',
      credentials: 'include',
      cache: 'no-store',
      redirect: 'manual',
    })
  })

  it('is asked again after 15 s without an answer', async () => {
    const { openTab, site, browser } = await createSiteWithAda()
    site.answer = () => new Promise(() => {})
    const tab = openTab()
    await settle()
    site.answer = undefined
    await browser.clock.advance(17_000)
    expect(visible(tab)).toEqual(['Dear Ada'])
  })

  it.each([
    ['redirects to a page', 0, '', 'opaqueredirect', 'redirected to another address'],
    ['answers 403', 403, '', 'basic', 'answered 403'],
    ['answers 404', 404, '', 'basic', 'answered 404'],
    ['answers with a page', 200, '<!doctype html>', 'basic', 'answered 200 without a contact token'],
    [
      'answers with an anonymous token',
      200,
      `{"data":{"token":"v:${'a'.repeat(64)}"}}`,
      'basic',
      'without a contact token',
    ],
  ])(
    'an address that %s is reported to the page, and nothing is shown or erased',
    async (_, code, body, type, what) => {
      const { openTab, site, respond, browser } = await createSiteWithAda()
      const error = vi.spyOn(console, 'error').mockImplementation(() => {})
      site.answer = () => respond(code, body, type)
      const tab = openTab()
      await browser.clock.advance(5 * minuteMs)
      expect([isHidden(tab), browser.token(), site.questions.length]).toEqual([true, adaToken, 1])
      expect(tab.events.filter(([name]) => name === 'error')).toEqual([['error', { code: 'token_url_failed' }]])
      expect(error.mock.calls.join()).toContain(what)
      error.mockRestore()
      site.answer = undefined
      tab.core.setOpen(true)
      await settle()
      expect(visible(tab)).toEqual(['Dear Ada'])
    },
  )

  it('an invalid answer lets the visitor retry, instead of showing “Reconnecting…” forever', async () => {
    const { openTab, site, respond, browser } = await createSiteWithAda()
    const error = vi.spyOn(console, 'error').mockImplementation(() => {})
    site.answer = () => respond(403)
    const tab = openTab()
    await browser.clock.advance(5 * minuteMs)
    const { signIn } = tab.core.models
    const failures = () => tab.events.filter(([name]) => name === 'error').length
    expect([signIn.hasFailed.value, signIn.isUnreachable.value, isHidden(tab), failures()]).toEqual([
      true,
      false,
      true,
      1,
    ])
    signIn.retry()
    await settle()
    expect([signIn.hasFailed.value, site.questions.length, failures(), browser.token()]).toEqual([true, 2, 2, adaToken])
    error.mockRestore()
    site.answer = undefined
    signIn.retry()
    await settle()
    expect([signIn.hasFailed.value, visible(tab)]).toEqual([false, ['Dear Ada']])
  })

  it('nothing unsent is lost when the network breaks between the answer and the login', async () => {
    const { openTab, site, platform, browser } = await createSiteWithAda()
    const next = contactToken('c')
    platform.addContact(next, ada)
    platform.intercept = (method, path) =>
      method === 'POST' && path === '/messages' ? Promise.reject(new TypeError('Failed to fetch')) : undefined
    const tab = openTab()
    await settle()
    tab.core.models.conversation.outbox.send('Unsent')
    tab.core.models.draft.setText('A draft')
    await browser.clock.advance(1000)
    site.answer = () => {
      // The platform has answered once, about the new token.
      let answers = 0
      platform.intercept = (_, path) =>
        path === '/session/retrieve' && !answers++ ? undefined : Promise.reject(new TypeError('Failed to fetch'))
      return { status: 200, text: async () => JSON.stringify({ data: { token: next } }) } as Response
    }
    void tab.core.models.refreshSignIn()
    await browser.clock.advance(minuteMs)
    platform.intercept = () => undefined
    site.answer = undefined
    await browser.clock.advance(minuteMs)
    expect([tab.core.contact(), visible(tab), tab.core.models.draft.text.value]).toEqual([
      ada,
      ['Dear Ada', 'Unsent'],
      'A draft',
    ])
  })

  it('a 204 is an invalid answer if the chat has no contact', async () => {
    const { openTab, site, respond } = createSite()
    const error = vi.spyOn(console, 'error').mockImplementation(() => {})
    site.answer = () => respond(204)
    const tab = openTab()
    tab.core.setOpen(true)
    await settle()
    expect(tab.events).toContainEqual(['error', { code: 'token_url_failed' }])
    error.mockRestore()
  })

  it('a token that the platform does not accept changes nothing', async () => {
    const { openTab, site, respond, browser } = await createSiteWithAda()
    const error = vi.spyOn(console, 'error').mockImplementation(() => {})
    site.answer = () => respond(200, JSON.stringify({ data: { token: contactToken('9') } }))
    const tab = openTab()
    await settle()
    expect([isHidden(tab), browser.token(), tab.core.contact()]).toEqual([true, adaToken, ada])
    expect(error.mock.calls.join()).not.toContain('9999')
    error.mockRestore()
  })

  it('a token of another contact replaces the former one, which is revoked', async () => {
    const { openTab, site, platform, browser } = await createSiteWithAda()
    site.signedIn = 'grace'
    const tab = openTab()
    await settle()
    expect([tab.core.contact(), visible(tab), browser.token()]).toEqual([grace, ['Dear Grace'], graceToken])
    expect(platform.sessions.get(adaToken)?.ended).toBe('logged_out')
  })

  it('counts as unreachable after 15 s, even if the page wraps fetch and ignores the signal', async () => {
    const { openTab, platform, browser } = await createSiteWithAda()
    const fetch: typeof globalThis.fetch = (url, init) =>
      url === '/chat-token' ? new Promise(() => {}) : platform.fetch(url, init)
    const tab = openTab({ fetch })
    await browser.clock.advance(16_000)
    expect([isHidden(tab), tab.core.models.signIn.isUnreachable.value]).toEqual([true, true])
  })
})
