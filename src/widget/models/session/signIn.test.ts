import { describe, expect, it, vi } from 'vitest'
import { settle } from '../../testing/fakeClock.ts'
import {
  ada,
  adaToken,
  contactToken,
  createAcme,
  grace,
  graceToken,
  shown,
  status,
  type Tab,
} from '../../testing/fixtures.ts'
import type { TokenUrlQuestion } from './askTokenUrl.ts'

const tokenUrl = '/chat-token'
const minuteMs = 60_000

/** A site with a sign-in of its own, whose server makes tokens as the SDK's `tokenHandler` does. */
function createSite() {
  const acme = createAcme()
  const { platform, browser } = acme
  const tokens: Record<string, string> = { ada: adaToken, grace: graceToken }
  const questions: TokenUrlQuestion[] = []
  const site = {
    signedIn: null as string | null,
    /** In the place of its answer. */
    answer: undefined as undefined | (() => Promise<Response> | Response),
    questions,
    tokens,
  }
  const respond = (status: number, body = '', type = 'basic') =>
    ({ status, type, ok: status < 300, text: async () => body }) as unknown as Response
  const fetch = (async (url: string, init: RequestInit) => {
    if (url !== tokenUrl) return platform.fetch(url, init)
    const question = JSON.parse(`${init.body}`) as TokenUrlQuestion
    questions.push(question)
    if (site.answer) {
      const aborted = new Promise<never>((_, reject) => init.signal?.addEventListener('abort', reject))
      return Promise.race([site.answer(), aborted])
    }
    if (!site.signedIn) return respond(401)
    if (question.contact === site.signedIn && question.token === 'valid') return respond(204)
    return respond(200, JSON.stringify({ data: { token: tokens[site.signedIn] } }))
  }) as typeof globalThis.fetch
  const openTab = (options = {}) => browser.openTab({ tokenUrl, fetch, ...options })
  return { ...acme, site, respond, openTab }
}

const isHidden = ({ core }: Tab) => core.models.signIn.isViewHidden.value
/** What the visitor sees of a contact. */
const visible = (tab: Tab) => (isHidden(tab) ? [] : shown(tab))

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

  it('opening the chat of nobody keeps the anonymous chat', async () => {
    const { site, openTab } = createSite()
    const tab = openTab()
    tab.core.models.conversation.outbox.send('Hello')
    await settle()
    tab.core.setOpen(true)
    await settle()
    expect(site.questions).toEqual([{ contact: null, token: 'none' }])
    expect([status(tab), visible(tab)]).toEqual(['anonymous', ['Hello']])
  })

  /** A tab that has shown Ada's chat. */
  async function withAda() {
    const setUp = createSite()
    setUp.site.signedIn = 'ada'
    const tab = setUp.openTab()
    tab.core.setOpen(true)
    await settle()
    setUp.site.questions.length = 0
    return { ...setUp, tab }
  }

  it('a reload shows nothing of the contact before the site has said that they are still signed in', async () => {
    const { site, openTab, respond } = await withAda()
    let answerNow = (_: Response) => {}
    site.answer = () =>
      new Promise(resolve => {
        answerNow = resolve
      })
    const tab = openTab()
    await settle()
    expect(site.questions).toEqual([{ contact: 'ada', token: 'valid' }])
    expect([isHidden(tab), tab.core.contact()]).toEqual([true, ada])
    answerNow(respond(204))
    await settle()
    expect(visible(tab)).toEqual(['Dear Ada'])
  })

  it('a reload after the site has signed the contact out forgets them in every tab, and revokes the token', async () => {
    const { site, openTab, tab: other, browser, platform } = await withAda()
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
    const { tab, browser, site, respond } = await withAda()
    tab.setHidden(true)
    await browser.clock.advance(minuteMs - 1)
    expect(isHidden(tab)).toBe(false)
    await browser.clock.advance(1)
    expect([isHidden(tab), site.questions]).toEqual([true, []])
    let answerNow = (_: Response) => {}
    site.answer = () =>
      new Promise(resolve => {
        answerNow = resolve
      })
    tab.setHidden(false)
    await settle()
    expect([isHidden(tab), site.questions]).toEqual([true, [{ contact: 'ada', token: 'valid' }]])
    answerNow(respond(401))
    await settle()
    expect([status(tab), shown(tab)]).toEqual(['anonymous', []])
  })

  it('a page that was hidden for less than a minute goes on as it was', async () => {
    const { tab, browser, site } = await withAda()
    tab.setHidden(true)
    await browser.clock.advance(minuteMs - 1)
    tab.setHidden(false)
    await browser.clock.advance(minuteMs)
    expect([visible(tab), site.questions]).toEqual([['Dear Ada'], []])
  })

  it.each(['freeze', 'pagehide'] as const)('the view is blank at once on %s', async signal => {
    const { tab } = await withAda()
    tab.fire(signal)
    expect(isHidden(tab)).toBe(true)
  })

  it('a page from the back/forward cache shows nothing before the site has answered', async () => {
    const { tab, site } = await withAda()
    tab.fire('pagehide')
    site.signedIn = 'grace'
    tab.fire('pageshow')
    expect(isHidden(tab)).toBe(true)
    await settle()
    expect([tab.core.contact(), visible(tab)]).toEqual([grace, ['Dear Grace']])
  })

  it('a hidden tab asks nothing until it is visible', async () => {
    const { openTab, site } = await withAda()
    const tab = openTab({ hidden: true })
    await settle()
    expect([isHidden(tab), site.questions]).toEqual([true, []])
    tab.setHidden(false)
    await settle()
    expect([visible(tab), site.questions.length]).toEqual([['Dear Ada'], 1])
  })

  it('opening the chat asks each time, and two tabs ask one after the other', async () => {
    const { tab, site, openTab } = await withAda()
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

  it.each([
    ['the network fails', () => Promise.reject(new TypeError('Failed to fetch'))],
    ['the site answers 500', (respond: ReturnType<typeof createSite>['respond']) => respond(500)],
  ])('the view stays blank and nothing is erased while %s', async (_, answer) => {
    const { openTab, site, respond, browser } = await withAda()
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
  })

  it('asks again when the site has not answered for 15 s', async () => {
    const { openTab, site, browser } = await withAda()
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
  ])('an address that %s is reported, and nothing is shown or erased', async (_, code, body, type, what) => {
    const { openTab, site, respond, browser } = await withAda()
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
  })

  it('a 204 is no answer where nobody is shown', async () => {
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
    const { openTab, site, respond, browser } = await withAda()
    const error = vi.spyOn(console, 'error').mockImplementation(() => {})
    site.answer = () => respond(200, JSON.stringify({ data: { token: contactToken('9') } }))
    const tab = openTab()
    await settle()
    expect([isHidden(tab), browser.token(), tab.core.contact()]).toEqual([true, adaToken, ada])
    expect(error.mock.calls.join()).not.toContain('9999')
    error.mockRestore()
  })

  it('somebody else who has signed in meanwhile takes over, and the former token is revoked', async () => {
    const { openTab, site, platform, browser } = await withAda()
    site.signedIn = 'grace'
    const tab = openTab()
    await settle()
    expect([tab.core.contact(), visible(tab), browser.token()]).toEqual([grace, ['Dear Grace'], graceToken])
    expect(platform.sessions.get(adaToken)?.ended).toBe('logged_out')
  })

  it('an expired token is replaced, and nothing unsent is lost', async () => {
    const { tab, site, platform, browser } = await withAda()
    const next = contactToken('c')
    platform.addContact(next, ada)
    site.tokens['ada'] = next
    platform.end(adaToken, 'expired')
    tab.core.models.conversation.outbox.send('Still there?')
    await browser.clock.advance(5_000)
    expect(site.questions).toContainEqual({ contact: 'ada', token: 'expired' })
    expect([tab.core.contact(), browser.token(), visible(tab)]).toEqual([ada, next, ['Dear Ada', 'Still there?']])
  })

  it.each(['logout', 'revoked', 'contact_deleted'] as const)(
    'after %s nobody is logged in by opening the chat, in any tab or page load, until the page calls refresh()',
    async reason => {
      const { tab, site, openTab, platform, browser } = await withAda()
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

  it('refresh() after the site has signed somebody in asks again, though an older question is still open', async () => {
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

  it('a logout while the site is being asked is not undone by its answer', async () => {
    const { tab, site, respond } = await withAda()
    let answerNow = (_: Response) => {}
    site.answer = () =>
      new Promise(resolve => {
        answerNow = resolve
      })
    tab.core.setOpen(false)
    tab.core.setOpen(true)
    await settle()
    void tab.core.logout()
    answerNow(respond(200, JSON.stringify({ data: { token: adaToken } })))
    await settle()
    expect([status(tab), shown(tab)]).toEqual(['anonymous', []])
  })

  it('a call of login() needs no answer of the site', async () => {
    const { openTab, site } = createSite()
    const tab = openTab()
    await tab.core.login(adaToken)
    await settle()
    expect([visible(tab), site.questions]).toEqual([['Dear Ada'], []])
  })

  it('unread messages are not counted at the launcher before the site has answered', async () => {
    const { openTab, site, platform, said, respond } = await withAda()
    platform.say(said(adaToken), { text: 'News' })
    let answerNow = (_: Response) => {}
    site.answer = () =>
      new Promise(resolve => {
        answerNow = resolve
      })
    const names: string[] = []
    openTab({ show: ({ texts }: { texts: { chat: string } }) => void names.push(texts.chat) })
    await settle()
    expect(names.filter(name => name !== 'Chat')).toEqual([])
    answerNow(respond(204))
    await settle()
    expect(names.at(-1)).toMatch(/^Chat, \d+ unread$/)
  })
})
