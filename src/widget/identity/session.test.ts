import { describe, expect, it } from 'vitest'
import { settle } from '../testing/fakeClock.ts'
import { problem } from '../testing/fakePlatform.ts'
import { ada, adaToken, authOf, createAcme, graceToken, outcome, shown, status } from '../testing/fixtures.ts'
import { storageKey } from './storedIdentity.ts'

describe('logout', () => {
  it('clears everything at once, then revokes the token in a request that outlives the page', async () => {
    const { browser, platform } = createAcme()
    const tab = browser.openTab({ start: false })
    await tab.core.login(adaToken)
    await settle()
    tab.core.models.draft.setText('half a thought')
    await settle()
    const logout = tab.core.logout()
    expect([status(tab), shown(tab), tab.core.models.draft.text.value, browser.token()]).toEqual([
      'anonymous',
      [],
      '',
      null,
    ])
    // Until the database is clear as well.
    const workPending = storageKey('bot', 'workPending')
    expect(browser.local.get(workPending)).toBe(browser.identity().epoch)
    await logout
    await settle()
    expect(browser.local.get(workPending)).toBeUndefined()
    expect(JSON.stringify([...browser.records])).not.toMatch(/Ada|half a thought|c:/)
    expect(platform.log.find(({ method }) => method === 'DELETE')).toMatchObject({ token: adaToken, keepalive: true })
    expect(platform.sessions.get(adaToken)?.ended).toBe('logged_out')
  })

  it('never rejects, and clears everything without a network, too', async () => {
    const { browser, platform } = createAcme()
    const tab = browser.openTab({ start: false })
    await tab.core.login(adaToken)
    await settle()
    platform.down = true
    await expect(tab.core.logout()).resolves.not.toThrow()
    expect([status(tab), shown(tab), browser.token()]).toEqual(['anonymous', [], null])
    expect(JSON.stringify([...browser.records])).not.toContain('Ada')
  })
})

describe('a logout without a network', () => {
  async function logOutOffline() {
    const acme = createAcme()
    const tab = acme.browser.openTab({ start: false })
    await tab.core.login(adaToken)
    await settle()
    tab.setOnline(false)
    await tab.core.logout()
    await acme.browser.clock.advance(60_000)
    expect(acme.platform.sessions.get(adaToken)?.ended).toBeNull()
    async function reconnect() {
      tab.setOnline(true)
      await acme.browser.clock.advance(1000)
      return acme.platform.sessions.get(adaToken)?.ended
    }
    return { ...acme, tab, reconnect }
  }

  it('revokes the token when the network returns, and stores it nowhere until then', async () => {
    const { browser, reconnect } = await logOutOffline()
    expect(JSON.stringify([...browser.local, ...browser.records])).not.toContain(adaToken)
    expect(await reconnect()).toBe('logged_out')
  })

  it.each<[string, (acme: Awaited<ReturnType<typeof logOutOffline>>) => unknown]>([
    ['the page is left', ({ tab }) => tab.fire('pagehide')],
    ['the widget is destroyed', ({ tab }) => tab.core.destroy()],
    ['ten minutes have passed', ({ browser }) => browser.clock.advance(600_000)],
    ['the page logs in with it again', ({ tab }) => void tab.core.login(adaToken).catch(() => {})],
  ])('forgets the token when %s', async (_, change) => {
    const acme = await logOutOffline()
    await change(acme)
    expect(await acme.reconnect()).toBeNull()
  })
})

describe('a page that destroys the widget at logout', () => {
  it('revokes the token nevertheless', async () => {
    const { browser, platform } = createAcme()
    const tab = browser.openTab({ start: false, fetch: lateFetch(platform.fetch) })
    await tab.core.login(adaToken)
    await settle()
    const logout = tab.core.logout()
    tab.core.destroy()
    await logout
    expect(platform.sessions.get(adaToken)?.ended).toBe('logged_out')
  })
})

/** A network that gives up what has been aborted before it was sent. */
const lateFetch = (fetch: typeof globalThis.fetch) =>
  (async (url: string, init: RequestInit = {}) => {
    await Promise.resolve()
    if (init.signal?.aborted) throw new DOMException('Aborted', 'AbortError')
    return fetch(url, init)
  }) as unknown as typeof globalThis.fetch

describe('a logout before the core is loaded', () => {
  it('erases everything once the core is loaded, even if the clock was set back or storage was emptied', async () => {
    for (const isEmptied of [false, true]) {
      const { browser } = createAcme()
      const tab = browser.openTab({ start: false })
      await tab.core.login(adaToken)
      await settle()
      expect(JSON.stringify([...browser.records])).toContain('Dear Ada')
      tab.life.die()
      const { now } = browser.clock
      browser.clock.now = () => now() - 31_536_000_000
      if (isEmptied) browser.local.clear()
      // As the loader does.
      browser.storeEpoch('logout')
      const next = browser.openTab({ start: false })
      const finished = next.core.finishLogout([adaToken])
      await browser.clock.advance(6000)
      await finished
      expect([status(next), browser.token()]).toEqual(['anonymous', null])
      expect(browser.local.has(storageKey('bot', 'workPending'))).toBe(false)
      expect(JSON.stringify([...browser.records])).not.toContain('Ada')
    }
  })

  it('revokes its tokens, but does not end a login that another tab has begun in the meantime', async () => {
    const { browser, platform } = createAcme()
    browser.storeIdentity({ token: adaToken })
    browser.storeEpoch('logout')
    const other = browser.openTab()
    await other.core.login(graceToken)
    const tab = browser.openTab({ start: false })
    await tab.core.finishLogout([adaToken, null])
    await settle()
    expect([status(other), browser.token()]).toEqual(['identified', graceToken])
    expect([adaToken, graceToken].map(each => platform.sessions.get(each)?.ended)).toEqual(['logged_out', null])
  })

  it('does not revoke a token with which the page has logged in again', async () => {
    const { browser, platform } = createAcme()
    const tab = browser.openTab()
    await tab.core.login(adaToken)
    await browser.openTab({ start: false }).core.finishLogout([adaToken])
    expect([status(tab), platform.sessions.get(adaToken)?.ended]).toEqual(['identified', null])
  })

  it('resolves to the tokens that it could not revoke for want of a network', async () => {
    const { browser, platform } = createAcme()
    browser.storeEpoch('logout')
    platform.down = true
    expect(await browser.openTab({ start: false }).core.finishLogout([adaToken, null])).toEqual([adaToken])
    platform.down = false
    expect(await browser.openTab({ start: false }).core.finishLogout([adaToken])).toEqual([])
    expect(platform.sessions.get(adaToken)?.ended).toBe('logged_out')
  })
})

describe('a logout', () => {
  it('also revokes the stored token of a login in another tab that this tab has not noticed', async () => {
    const { browser, platform } = createAcme()
    const tab = browser.openTab({ start: false, deaf: true })
    await tab.core.login(adaToken)
    await browser.openTab().core.login(graceToken)
    await tab.core.logout()
    expect([adaToken, graceToken].map(each => platform.sessions.get(each)?.ended)).toEqual(['logged_out', 'logged_out'])
  })
})

describe('a session', () => {
  it('is restored on the next page', async () => {
    const { browser } = createAcme()
    const first = browser.openTab({ start: false })
    await first.core.login(adaToken)
    await settle()
    first.core.destroy()
    const second = browser.openTab()
    expect(status(second)).toBe('restoring')
    await settle()
    expect([status(second), shown(second)]).toEqual(['identified', ['Dear Ada']])
    expect(authOf(second).at(-1)).toEqual(['identified', 'ada', 'restored'])
  })

  it.each([
    ['revoked', 'revoked'],
    ['expired', 'expired'],
    ['contact_deleted', 'contact_deleted'],
  ] as const)('that was %s ends on the next page, which shows the reason', async (reason, expected) => {
    const { browser, platform } = createAcme()
    browser.storeIdentity({ token: adaToken })
    platform.end(adaToken, reason)
    const tab = browser.openTab()
    await settle()
    expect([status(tab), tab.core.models.session.endReason.value, browser.token()]).toEqual([
      'anonymous',
      expected,
      null,
    ])
    expect(authOf(tab).at(-1)).toEqual(['anonymous', null, expected])
  })

  it('is restored however late the platform answers, and until then nothing is shown', async () => {
    const { browser, platform } = createAcme()
    browser.storeIdentity({ token: adaToken })
    platform.down = true
    const tab = browser.openTab()
    await browser.clock.advance(60_000)
    expect([status(tab), shown(tab), browser.token()]).toEqual(['restoring', [], adaToken])
    platform.down = false
    await browser.clock.advance(30_000)
    expect(status(tab)).toBe('identified')
  })

  it('that the platform refuses to restore is kept, and the visitor can retry', async () => {
    for (const token of [adaToken, 'a visitor']) {
      const { browser, platform } = createAcme()
      const first = browser.openTab({ start: false })
      if (token === adaToken) await first.core.login(adaToken)
      else {
        first.core.start()
        first.core.models.conversation.outbox.send('Dear Ada')
      }
      await settle()
      const stored = browser.identity()
      first.life.die()
      platform.intercept = (_, path) => (path === '/session/retrieve' ? problem(403, 'insufficient_scope') : undefined)
      const tab = browser.openTab()
      await browser.clock.advance(60_000)
      const { messageStore } = tab.core.models.conversation
      expect([status(tab), messageStore.history.value, shown(tab)]).toEqual(['restoreFailed', 'failed', []])
      expect(tab.events).toContainEqual(['error', { code: 'history_failed' }])
      expect(browser.identity()).toEqual(stored)
      const requests = platform.log.length
      await browser.clock.advance(60_000)
      expect(platform.log.length).toBe(requests)
      await messageStore.loadOlder()
      await settle()
      expect(status(tab)).toBe('restoreFailed')
      platform.intercept = () => undefined
      await messageStore.loadOlder()
      await settle()
      expect([status(tab), shown(tab)]).toEqual([token === adaToken ? 'identified' : 'anonymous', ['Dear Ada']])
    }
  })

  it('that could not be restored can be logged in to with the same token', async () => {
    const { browser, platform } = createAcme()
    browser.storeIdentity({ token: adaToken })
    platform.intercept = (_, path) => (path === '/session/retrieve' ? problem(403, 'insufficient_scope') : undefined)
    const tab = browser.openTab()
    await settle()
    expect(await outcome(tab.core.login(adaToken))).toBe('token_invalid')
    expect([status(tab), browser.token()]).toEqual(['anonymous', null])
    browser.storeIdentity({ token: adaToken })
    const next = browser.openTab()
    await settle()
    platform.intercept = () => undefined
    expect(await outcome(next.core.login(adaToken))).toBe('Ada Lovelace')
  })

  it('ends at once in every tab when the platform revokes it', async () => {
    const { browser, platform } = createAcme()
    const one = browser.openTab({ start: false })
    await one.core.login(adaToken)
    const other = browser.openTab()
    await settle()
    platform.end(adaToken, 'revoked')
    await settle()
    for (const tab of [one, other]) {
      expect([status(tab), shown(tab), tab.core.models.session.endReason.value]).toEqual(['anonymous', [], 'revoked'])
    }
    expect(browser.token()).toBeNull()
  })

  it('shows nothing that was stored for another contact', async () => {
    const { browser, platform } = createAcme()
    const first = browser.openTab({ start: false })
    await first.core.login(adaToken)
    await settle()
    first.core.destroy()
    // Somebody has changed the stored token by hand; Grace's answer takes its time.
    browser.storeIdentity({ token: graceToken })
    const second = browser.openTab()
    let seen: string[] = []
    second.core.models.conversation.messageStore.messages.subscribe(messages => {
      seen = [...seen, ...messages.map(({ text }) => text)]
    })
    await settle()
    expect(seen).toEqual(['Dear Grace'])
    expect(JSON.stringify([...browser.records])).not.toContain('Dear Ada')
    expect(platform.streams.size).toBeGreaterThan(0)
  })

  it('requests and stores nothing before it has begun, whatever happens to the page', async () => {
    const { browser, platform } = createAcme()
    const tab = browser.openTab({ start: false })
    for (const signal of [
      'storage',
      'natter:auth',
      'visibilitychange',
      'offline',
      'online',
      'pagehide',
      'pageshow',
    ] as const) {
      tab.fire(signal)
      await settle()
    }
    expect([browser.local.size, browser.records.size, platform.log]).toEqual([0, 0, []])
    // Nor where another tab has logged in meanwhile.
    browser.storeIdentity({ token: adaToken })
    tab.fire('storage')
    await settle()
    expect(platform.log).toEqual([])
    browser.local.clear()
    tab.core.start()
    await settle()
    expect([browser.identity().reason, browser.records.size]).toEqual(['storage_reset', 1])
    // Away and back, it finds what has been stored meanwhile.
    tab.fire('pagehide')
    browser.storeIdentity({ token: adaToken })
    tab.fire('pageshow')
    await settle()
    expect([status(tab), shown(tab)]).toEqual(['identified', ['Dear Ada']])
  })

  it('does not begin after the widget was destroyed', async () => {
    const { browser, platform } = createAcme()
    for (const stored of [null, adaToken]) {
      if (stored) browser.storeIdentity({ token: stored })
      const tab = browser.openTab({ start: false })
      tab.core.destroy()
      tab.core.start()
      await settle()
      expect([browser.local.size, browser.records.size, platform.log]).toEqual([stored ? 1 : 0, 0, []])
    }
  })

  it('works if the browser stores nothing', async () => {
    const { browser } = createAcme()
    const tab = browser.openTab({ start: false, blocked: true })
    expect(await tab.core.login(adaToken)).toEqual({ contact: ada })
    expect(tab.core.models.session.isStorageBlocked.value).toBe(true)
    tab.core.models.conversation.outbox.send('Hello')
    await settle()
    expect(shown(tab)).toEqual(['Dear Ada', 'Hello'])
    await tab.core.logout()
    await settle()
    expect([status(tab), shown(tab)]).toEqual(['anonymous', []])
    expect(browser.local.size).toBe(0)
  })
})
