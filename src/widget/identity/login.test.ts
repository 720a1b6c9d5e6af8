import { describe, expect, it } from 'vitest'
import { settle } from '../testing/fakeClock.ts'
import { problem } from '../testing/fakePlatform.ts'
import {
  ada,
  adaToken,
  authOf,
  contactToken,
  createAcme,
  graceToken,
  outcome,
  shown,
  status,
} from '../testing/fixtures.ts'

describe('login', () => {
  it('identifies the visitor, keeps the token and shows the conversation', async () => {
    const { browser } = createAcme()
    const tab = browser.openTab({ start: false })
    const login = tab.core.login(adaToken)
    expect(status(tab)).toBe('identifying')
    expect(await login).toEqual({ contact: ada })
    await settle()
    expect(browser.token()).toBe(adaToken)
    expect(shown(tab)).toEqual(['Dear Ada'])
    expect(authOf(tab)).toEqual([
      ['identifying', null, 'login'],
      ['identified', 'ada', 'login'],
    ])
  })

  it('holds its lock before the page hears of it, because other tabs would take it for failed if the page is busy then', async () => {
    const { browser } = createAcme()
    const tab = browser.openTab()
    await settle()
    const isHeld: boolean[] = []
    const push = tab.events.push.bind(tab.events)
    tab.events.push = (...events) => {
      isHeld.push(browser.origin.held().includes('natter:bot:session'))
      return push(...events)
    }
    await tab.core.login(adaToken)
    expect(isHeld[0]).toBe(true)
  })

  it('with the same token resolves at once and disturbs nothing', async () => {
    const { browser, platform } = createAcme()
    const tab = browser.openTab({ start: false })
    await tab.core.login(adaToken)
    await settle()
    const requests = platform.log.length
    const before = tab.core.models.conversation.messageStore.messages.value
    expect(await tab.core.login(adaToken)).toEqual({ contact: ada })
    expect(platform.log.length).toBe(requests)
    expect(tab.core.models.conversation.messageStore.messages.value).toBe(before)
    expect(authOf(tab)).toHaveLength(2)
  })

  it('with the stored token waits for the session that is being restored', async () => {
    const { browser, platform } = createAcme()
    browser.storeIdentity({ token: adaToken })
    const tab = browser.openTab()
    expect(await tab.core.login(adaToken)).toEqual({ contact: ada })
    expect(platform.log.filter(({ path }) => path === '/session/retrieve')).toHaveLength(1)
    expect(browser.token()).toBe(adaToken)
  })

  it('with the stored token disturbs no other tab, even before the session has started', async () => {
    const { browser } = createAcme()
    const one = browser.openTab({ start: false })
    await one.core.login(adaToken)
    await settle()
    const before = authOf(one).length
    const { epoch } = browser.identity()
    const late = browser.openTab({ start: false })
    expect(await late.core.login(adaToken)).toEqual({ contact: ada })
    one.fire('storage')
    await settle()
    expect([browser.identity().epoch, authOf(one).length]).toEqual([epoch, before])
    expect([status(one), status(late)]).toEqual(['identified', 'identified'])
  })

  it('rejects a malformed token without a request, and leaves nobody identified', async () => {
    const { browser, platform } = createAcme()
    const tab = browser.openTab({ start: false })
    await tab.core.login(adaToken)
    await settle()
    const requests = platform.log.length
    expect(await outcome(tab.core.login('c:123'))).toBe('token_malformed')
    for (const none of [undefined, [adaToken]]) {
      expect(await outcome(tab.core.login(none as unknown as string))).toBe('token_malformed')
    }
    await settle()
    expect(platform.log.length).toBe(requests)
    expect([status(tab), shown(tab), browser.token()]).toEqual(['anonymous', [], null])
  })

  it('rejects with an Error when the platform refuses the token, and never leaves the previous conversation', async () => {
    const { browser } = createAcme()
    const tab = browser.openTab({ start: false })
    await tab.core.login(adaToken)
    await settle()
    const login = tab.core.login(contactToken('f'))
    expect(shown(tab)).toEqual([])
    await expect(login).rejects.toBeInstanceOf(Error)
    expect(await outcome(login)).toBe('token_invalid')
    await settle()
    expect([status(tab), shown(tab), browser.token()]).toEqual(['anonymous', [], null])
    expect(JSON.stringify([...browser.records])).not.toContain('Ada')
  })

  it('rejects after 10 s without an answer', async () => {
    const { browser, platform } = createAcme()
    platform.down = true
    const tab = browser.openTab({ start: false })
    const result = outcome(tab.core.login(adaToken))
    await browser.clock.advance(9_999)
    expect(status(tab)).toBe('identifying')
    await browser.clock.advance(1)
    expect(await result).toBe('network')
    expect([status(tab), browser.token()]).toEqual(['anonymous', null])
  })

  it('rejects at once if the platform refuses pages of this origin', async () => {
    const { browser, platform } = createAcme()
    platform.down = true
    const asked: string[] = []
    const isOriginRefused = async () => asked.push('asked') > 0
    const tab = browser.openTab({ start: false, isOriginRefused })
    expect(await outcome(tab.core.login(adaToken))).toBe('origin_not_allowed')
    await settle()
    expect([asked.length, status(tab), browser.token()]).toEqual([1, 'anonymous', null])
  })

  it('stores the token again if the page has cleared localStorage since the last login with it', async () => {
    const { browser } = createAcme()
    const tab = browser.openTab({ start: false })
    await tab.core.login(adaToken)
    browser.local.clear()
    expect(await outcome(tab.core.login(adaToken))).toBe('Ada Lovelace')
    tab.fire('visibilitychange')
    await settle()
    expect([status(tab), browser.token()]).toEqual(['identified', adaToken])
  })

  it('with the same token restores the session of a page that returns from the back/forward cache', async () => {
    const { browser } = createAcme()
    const tab = browser.openTab({ start: false })
    await tab.core.login(adaToken)
    tab.fire('pagehide')
    expect(await outcome(tab.core.login(adaToken))).toBe('Ada Lovelace')
    await settle()
    expect(shown(tab)).toEqual(['Dear Ada'])
  })

  it('emits `auth` when storage was cleared while the page was in the back/forward cache', async () => {
    const { browser } = createAcme()
    const tab = browser.openTab({ start: false })
    await tab.core.login(adaToken)
    tab.fire('pagehide')
    browser.local.clear()
    tab.fire('pageshow')
    await settle()
    expect(authOf(tab).at(-1)).toEqual(['anonymous', null, 'logout'])
  })

  it('is not undone by a late report that its first attempt was refused', async () => {
    const { browser, platform } = createAcme()
    platform.down = true
    const refusal = Promise.withResolvers<boolean>()
    const tab = browser.openTab({ start: false, isOriginRefused: () => refusal.promise })
    const result = outcome(tab.core.login(adaToken))
    await settle()
    platform.down = false
    await browser.clock.advance(3000)
    expect(await result).toBe('Ada Lovelace')
    refusal.resolve(true)
    await settle()
    expect([status(tab), browser.token()]).toEqual(['identified', adaToken])
  })

  it('succeeds if the platform can be reached again within 10 s', async () => {
    const { browser, platform } = createAcme()
    platform.down = true
    const tab = browser.openTab({ start: false })
    const result = outcome(tab.core.login(adaToken))
    await browser.clock.advance(3000)
    platform.down = false
    await browser.clock.advance(3000)
    expect(await result).toBe('Ada Lovelace')
  })

  it('rejects with `destroyed` if the page destroys the widget meanwhile', async () => {
    const { browser } = createAcme()
    const tab = browser.openTab({ start: false })
    const [first, same] = [outcome(tab.core.login(adaToken)), outcome(tab.core.login(adaToken))]
    tab.core.destroy()
    expect([await first, await same]).toEqual(['destroyed', 'destroyed'])
  })

  it('is superseded by a later login or logout, and the last one counts', async () => {
    const { browser } = createAcme()
    const tab = browser.openTab({ start: false })
    const first = outcome(tab.core.login(adaToken))
    const second = tab.core.logout()
    const third = outcome(tab.core.login(graceToken))
    await second
    expect([await first, await third]).toEqual(['superseded', 'Grace Hopper'])
    await settle()
    expect([shown(tab), browser.token()]).toEqual([['Dear Grace'], graceToken])
  })

  it.each(['identifying', 'identified'])(
    'is superseded by a login or logout that the page starts when it hears of `%s`',
    async authState => {
      for (const by of ['logout', 'login'] as const) {
        const { browser } = createAcme()
        let emitted = false
        let next: Promise<unknown> | undefined
        const tab = browser.openTab({
          start: false,
          onHeard() {
            if (emitted || tab.core.state() !== authState) return
            emitted = true
            next = by === 'login' ? outcome(tab.core.login(graceToken)) : tab.core.logout()
          },
        })
        const first = outcome(tab.core.login(adaToken))
        await settle()
        expect([await first, await next]).toEqual(['superseded', by === 'login' ? 'Grace Hopper' : undefined])
        await browser.clock.advance(12_000)
        expect([shown(tab), browser.token()]).toEqual(by === 'login' ? [['Dear Grace'], graceToken] : [[], null])
        expect(authOf(tab).at(-1)?.[0]).toBe(tab.core.state())
      }
    },
  )

  it('with another contact’s token emits `auth` and shows only that contact’s conversation', async () => {
    const { browser } = createAcme()
    const tab = browser.openTab({ start: false })
    await tab.core.login(adaToken)
    await settle()
    await tab.core.login(graceToken)
    await settle()
    expect(shown(tab)).toEqual(['Dear Grace'])
    expect(authOf(tab).at(-1)).toEqual(['identified', 'grace', 'replaced'])
    expect(JSON.stringify([...browser.records])).not.toContain('Dear Ada')
  })

  it('with a new token of the same contact keeps unsent messages', async () => {
    const { browser, platform, said } = createAcme()
    const again = contactToken('c')
    platform.addContact(again, ada)
    const tab = browser.openTab({ start: false })
    await tab.core.login(adaToken)
    await settle()
    tab.setOnline(false)
    tab.core.models.conversation.outbox.send('Written offline')
    await settle()
    tab.setOnline(true)
    platform.intercept = (method, path) =>
      method === 'POST' && path === '/messages' ? problem(503, 'unavailable') : undefined
    await tab.core.login(again)
    platform.intercept = () => undefined
    await browser.clock.advance(5000)
    expect(said(again).map(({ text }) => text)).toEqual(['Dear Ada', 'Written offline'])
  })

  it('does not take over anonymous messages', async () => {
    const { browser, said } = createAcme()
    const tab = browser.openTab()
    tab.core.models.conversation.outbox.send('A secret')
    await settle()
    expect(shown(tab)).toEqual(['A secret'])
    await tab.core.login(adaToken)
    await settle()
    expect(shown(tab)).toEqual(['Dear Ada'])
    expect(said(adaToken)).toHaveLength(1)
    await tab.core.logout()
    await settle()
    expect(shown(tab)).toEqual([])
  })
})
