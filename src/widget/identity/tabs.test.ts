import { describe, expect, it } from 'vitest'
import { settle } from '../testing/fakeClock.ts'
import {
  adaToken,
  authOf,
  createAcme,
  createMemoryUpdate,
  graceToken,
  outcome,
  shown,
  status,
} from '../testing/fixtures.ts'

describe('several tabs', () => {
  it('never use the token of an ended session again, even if a late write restores it', async () => {
    const { browser } = createAcme()
    const tab = browser.openTab({ start: false })
    await tab.core.login(adaToken)
    await settle()
    const before = authOf(tab).length
    const ended = browser.identity()
    browser.storeEpoch('revoked')
    for (let writes = 0; writes < 3; writes++) {
      tab.fire('storage')
      await settle()
      browser.storeIdentity(ended)
    }
    tab.fire('storage')
    await settle()
    expect(authOf(tab).slice(before)).toEqual([['anonymous', null, 'revoked']])
    expect(browser.token()).toBeNull()
  })

  it('follow a login and a logout', async () => {
    const { browser } = createAcme()
    const one = browser.openTab()
    const other = browser.openTab()
    await settle()
    await one.core.login(adaToken)
    await settle()
    expect([status(other), shown(other)]).toEqual(['identified', ['Dear Ada']])
    expect(authOf(other).at(-1)).toEqual(['identified', 'ada', 'login'])
    await one.core.logout()
    await settle()
    expect([status(other), shown(other)]).toEqual(['anonymous', []])
    expect(authOf(other).at(-1)).toEqual(['anonymous', null, 'logout'])
  })

  it('are blank as soon as one begins a login, and become anonymous if its page never finishes it', async () => {
    const { browser, platform } = createAcme()
    const one = browser.openTab({ start: false })
    await one.core.login(adaToken)
    const other = browser.openTab()
    await settle()
    platform.down = true
    void outcome(one.core.login(graceToken))
    one.core.destroy()
    await settle()
    expect([status(other), shown(other)]).toEqual(['identifying', []])
    await browser.clock.advance(12_000)
    expect(status(other)).toBe('anonymous')
  })

  it('keep a login that one finished while another was frozen', async () => {
    const { browser, platform } = createAcme()
    const one = browser.openTab()
    const other = browser.openTab()
    await settle()
    const slow = Promise.withResolvers<void>()
    platform.intercept = (_, path, init) => {
      if (path !== '/session/retrieve') return undefined
      return slow.promise.then(() => platform.fetch(`https://chat.example/widget${path}`, init))
    }
    const login = outcome(one.core.login(adaToken))
    await browser.clock.advance(9000)
    expect(status(other)).toBe('identifying')
    other.life.freeze()
    other.deafen(true)
    platform.intercept = () => undefined
    await browser.clock.advance(900)
    slow.resolve()
    expect(await login).toBe('Ada Lovelace')
    await browser.clock.advance(12_000)
    other.life.thaw()
    await browser.clock.advance(1000)
    for (const tab of [one, other]) expect(status(tab)).toBe('identified')
  })

  it('follow the login that the page begins in one when it hears of a login in another', async () => {
    const { browser } = createAcme()
    let asked = false
    const one = browser.openTab()
    const other = browser.openTab({
      onHeard() {
        if (asked || other.core.state() !== 'identifying') return
        asked = true
        void other.core.login(graceToken)
      },
    })
    await settle()
    expect(await outcome(one.core.login(adaToken))).toBe('superseded')
    await browser.clock.advance(12_000)
    for (const tab of [one, other]) expect([status(tab), shown(tab)]).toEqual(['identified', ['Dear Grace']])
  })

  it('stop a login in one when another logs out', async () => {
    const { browser, platform } = createAcme()
    const one = browser.openTab()
    const other = browser.openTab()
    await settle()
    let answer = () => {}
    const slow = new Promise<void>(resolve => {
      answer = resolve
    })
    platform.intercept = (_, path, init) =>
      path === '/session/retrieve'
        ? slow.then(() => {
            platform.intercept = () => undefined
            return platform.fetch('https://chat.example/widget/session/retrieve', init)
          })
        : undefined
    const login = outcome(one.core.login(adaToken))
    await settle()
    await other.core.logout()
    answer()
    await settle()
    expect(await login).toBe('superseded')
    expect([browser.token(), status(one), status(other)]).toEqual([null, 'anonymous', 'anonymous'])
  })

  it('stop a login in one when another logs out, even if the first has not noticed', async () => {
    const { browser, platform } = createAcme()
    const one = browser.openTab({ deaf: true })
    const other = browser.openTab()
    await settle()
    let answer = () => {}
    const slow = new Promise<undefined>(resolve => {
      answer = () => resolve(undefined)
    })
    const { fetch } = platform
    platform.intercept = (_, path, init) => {
      if (path !== '/session/retrieve') return undefined
      platform.intercept = () => undefined
      return slow.then(() => fetch('https://chat.example/widget/session/retrieve', init))
    }
    const login = outcome(one.core.login(adaToken))
    await settle()
    await other.core.logout()
    answer()
    expect(await login).toBe('superseded')
    await settle()
    expect([browser.token(), status(one), shown(one)]).toEqual([null, 'anonymous', []])
    expect(authOf(one).map(([state]) => state)).toEqual(['identifying', 'anonymous'])
  })

  it('stop a login in one when another logs out, even between its last read of storage and its write', async () => {
    const { browser } = createAcme()
    const one = browser.openTab({ deaf: true })
    const other = browser.openTab()
    await settle()
    const { local } = browser
    let faster: Promise<void> | undefined
    local.set = (key, value) => {
      if (value.includes(adaToken)) faster ??= other.core.logout()
      return Map.prototype.set.call(local, key, value)
    }
    await outcome(one.core.login(adaToken))
    await faster
    await settle()
    expect([browser.token(), status(one), shown(one)]).toEqual([null, 'anonymous', []])
  })

  it('can log in with the same token at the same moment', async () => {
    const { browser } = createAcme()
    const update = createMemoryUpdate(browser.records)
    let answer = () => {}
    const slow = new Promise<void>(resolve => {
      answer = resolve
    })
    const one = browser.openTab({ deaf: true, update: (...request) => slow.then(() => update(...request)) })
    const other = browser.openTab({ deaf: true })
    const first = outcome(one.core.login(adaToken))
    await settle()
    expect(browser.token()).toBe(adaToken)
    expect(await outcome(other.core.login(adaToken))).toBe('Ada Lovelace')
    answer()
    await first
    for (const tab of [one, other]) tab.fire('storage')
    await settle()
    expect([browser.token(), status(one), status(other)]).toEqual([adaToken, 'identified', 'identified'])
  })

  it('store nothing after the token was removed from storage', async () => {
    const { browser, platform, said } = createAcme()
    const one = browser.openTab({ start: false })
    await one.core.login(adaToken)
    const other = browser.openTab({ deaf: true })
    await settle()
    browser.storeIdentity({ token: null })
    one.fire('storage')
    await settle()
    platform.say(said(adaToken), { text: 'Late' })
    await settle()
    expect([status(one), shown(other)]).toEqual(['anonymous', ['Dear Ada', 'Late']])
    expect(JSON.stringify([...browser.records])).not.toMatch(/Dear|Late/)
  })

  it('share one anonymous session when both send first', async () => {
    for (const locks of [true, false]) {
      const { browser, platform } = createAcme()
      const one = browser.openTab({ locks })
      const other = browser.openTab({ locks })
      await settle()
      one.core.models.conversation.outbox.send('From one')
      other.core.models.conversation.outbox.send('From the other')
      await browser.clock.advance(5000)
      const live = [...platform.sessions].filter(([token, { ended }]) => token.startsWith('v') && !ended)
      expect(live).toHaveLength(1)
      for (const tab of [one, other]) expect(shown(tab).sort()).toEqual(['From one', 'From the other'])
    }
  })

  it('share the anonymous session with one whose database is slow and whose network breaks', async () => {
    const { browser } = createAcme()
    const update = createMemoryUpdate(browser.records)
    let answer = () => {}
    const slow = new Promise<void>(resolve => {
      answer = resolve
    })
    const tab = browser.openTab({ update: (...request) => slow.then(() => update(...request)) })
    const other = browser.openTab()
    await settle()
    other.core.models.conversation.outbox.send('From the other')
    await settle()
    tab.setOnline(false)
    tab.setOnline(true)
    answer()
    await browser.clock.advance(1000)
    expect(shown(tab)).toEqual(['From the other'])
  })

  it('keep the draft of one while another begins the anonymous session', async () => {
    const { browser } = createAcme()
    const one = browser.openTab()
    const other = browser.openTab()
    await settle()
    const drafts: string[] = []
    other.core.models.draft.setText('Half a')
    other.core.models.draft.text.subscribe(draft => drafts.push(draft))
    one.core.models.conversation.outbox.send('From one')
    await browser.clock.advance(1000)
    expect([drafts, shown(other)]).toEqual([['Half a'], ['From one']])
  })
})

describe('a tab that becomes visible', () => {
  it('compares its state with storage, in case it has missed a logout in another tab', async () => {
    const { browser } = createAcme()
    const tab = browser.openTab({ start: false })
    await tab.core.login(adaToken)
    await settle()
    tab.setHidden(true)
    // As a tab does that this one doesn't hear, and whose revocation doesn't get through.
    browser.storeEpoch('logout')
    expect(shown(tab)).toEqual(['Dear Ada'])
    tab.setHidden(false)
    expect([status(tab), shown(tab)]).toEqual(['anonymous', []])
  })
})
