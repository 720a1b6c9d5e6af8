import { describe, expect, it } from 'vitest'
import { createFakeClock, settle } from '../testing/fakeClock.ts'
import type { Post } from '../testing/fakeTraffic.ts'
import { adaToken, createAcme, createFakeBrowser, graceToken, shown, status, type Tab } from '../testing/fixtures.ts'
import { numberOf, storageKey } from './storedIdentity.ts'

const pending = ({ core }: Tab) => core.models.conversation.outbox.pending.value.map(({ text }) => text)
const draft = ({ core }: Tab) => core.models.draft.text.value
const send = ({ core }: Tab, text: string) => core.models.conversation.outbox.send(text)
const visitorTokens = ({ sessions }: ReturnType<typeof createAcme>['platform']) =>
  [...sessions].filter(([token, { ended }]) => token.startsWith('v') && !ended).map(([token]) => token)

/** Two tabs in processes of their own: what one writes to localStorage the other sees after so long. */
async function twoProcesses(storageMs: number) {
  const acme = createAcme()
  const clock = createFakeClock()
  const post: Post = (lane, fn) =>
    lane.startsWith('storage') ? void clock.setTimeout(fn, storageMs) : queueMicrotask(fn)
  const browser = createFakeBrowser(acme.platform, clock, { post, apart: true })
  const one = browser.openTab()
  await clock.advance(3 * storageMs)
  const other = browser.openTab()
  await clock.advance(3 * storageMs)
  return { ...acme, browser, clock, one, other }
}

describe('the anonymous session of several tabs', () => {
  it.each([40, 400, 4000])(
    'is created once, although each tab sees what the other has written to localStorage %i ms later',
    async ms => {
      const { platform, clock, one, other } = await twoProcesses(ms)
      send(one, 'From one')
      send(other, 'From the other')
      await clock.advance(20_000)
      expect(platform.log.filter(({ path }) => path === '/sessions')).toHaveLength(1)
      for (const tab of [one, other]) expect(shown(tab).sort()).toEqual(['From one', 'From the other'])
    },
  )

  it('is created by another tab if the tab that was creating it is closed', async () => {
    const { platform, browser } = createAcme()
    const one = browser.openTab()
    const other = browser.openTab()
    await settle()
    platform.intercept = (_, path) => (path === '/sessions' ? new Promise(() => {}) : undefined)
    send(one, 'From one')
    await settle()
    send(other, 'From the other')
    await settle()
    one.life.die()
    platform.intercept = () => undefined
    await browser.clock.advance(25_000)
    expect([visitorTokens(platform).length, shown(other)]).toEqual([1, ['From the other', 'From one']])
  })

  it('is nothing that a contact waits for, though the tab that creates it is suspended', async () => {
    const { platform, browser } = createAcme()
    const one = browser.openTab()
    const other = browser.openTab()
    await settle()
    platform.intercept = (_, path) => (path === '/sessions' ? new Promise(() => {}) : undefined)
    send(one, 'From one')
    await settle()
    one.life.freeze()
    await other.core.login(adaToken)
    send(other, 'From Ada')
    await browser.clock.advance(1000)
    expect([pending(other), shown(other)]).toEqual([[], expect.arrayContaining(['From Ada'])])
  })

  it('is revoked and not used if another tab logs out while it is created', async () => {
    const { platform, browser } = createAcme()
    const one = browser.openTab()
    const other = browser.openTab()
    await settle()
    let answer = () => {}
    const slow = new Promise<undefined>(resolve => {
      answer = () => resolve(undefined)
    })
    const { fetch } = platform
    platform.intercept = (_, path) => {
      if (path !== '/sessions') return undefined
      platform.intercept = () => undefined
      return slow.then(() => fetch('https://chat.example/widget/sessions', {}))
    }
    send(one, 'From one')
    await settle()
    one.deafen(true)
    await other.core.logout()
    answer()
    await browser.clock.advance(1000)
    expect([visitorTokens(platform), browser.token(), shown(other)]).toEqual([[], null, []])
    expect(JSON.stringify([...browser.records])).not.toContain('v:')
  })

  it('is revoked at logout, although the tab that logs out has not seen its token yet', async () => {
    const { platform, browser, clock, one, other } = await twoProcesses(500)
    send(one, 'From one')
    await clock.advance(10)
    await settle()
    expect(visitorTokens(platform)).toHaveLength(1)
    void other.core.logout()
    await clock.advance(10_000)
    expect([visitorTokens(platform), browser.token(), shown(one), shown(other)]).toEqual([[], null, [], []])
  })

  it('is not restored from a token that a late write has stored again after a logout', async () => {
    const { browser, platform } = createAcme()
    const tab = browser.openTab()
    await settle()
    send(tab, 'Said before')
    await settle()
    const before = browser.identity()
    tab.life.die()
    const other = browser.openTab()
    await settle()
    // The platform is not told of the logout.
    platform.down = true
    await other.core.logout()
    other.core.destroy()
    platform.down = false
    browser.storeIdentity(before)
    const next = browser.openTab()
    const seen: string[] = []
    next.core.models.conversation.messageStore.messages.subscribe(all => seen.push(...all.map(({ text }) => text)))
    await browser.clock.advance(10_000)
    expect([seen, status(next), browser.token()]).toEqual([[], 'anonymous', null])
  })

  it('is created although localStorage holds an older epoch than the database after a crash', async () => {
    const { browser } = createAcme()
    const tab = browser.openTab()
    await settle()
    send(tab, 'Said before')
    await settle()
    const before = { ...browser.identity(), token: null }
    for (let times = 0; times < 3; times++) await tab.core.logout()
    tab.life.die()
    browser.storeIdentity(before)
    const next = browser.openTab()
    await browser.clock.advance(6000)
    send(next, 'Said after')
    await browser.clock.advance(60_000)
    expect([shown(next), pending(next)]).toEqual([['Said after'], []])
  })

  it.each([
    ['keeps what is written where storage was emptied', 'storage_reset', ['Said'], 'storage_reset'],
    ['drops what was written before a logout', 'logout', [], 'logout'],
  ] as const)(
    '%s, if localStorage never shows the later epoch that the database has',
    async (_, ended, kept, reason) => {
      const { browser } = createAcme()
      const tab = browser.openTab()
      await settle()
      await browser.clock.advance(60_000)
      // As a tab leaves it that has died, and a late write has put the epoch back.
      const later = browser.clock.now()
      browser.records.set('meta', { epoch: `${later}.1random`, reason: ended, owner: '', token: '' })
      send(tab, 'Said')
      await browser.clock.advance(7000)
      expect([shown(tab), pending(tab)]).toEqual([kept, []])
      expect(browser.identity().reason).toBe(reason)
      expect(numberOf(browser.identity().epoch)).toBeGreaterThan(later)
    },
  )

  it('leaves no token behind at logout or login', async () => {
    for (const end of [(tab: Tab) => tab.core.logout(), (tab: Tab) => tab.core.login(graceToken)]) {
      const { browser } = createAcme()
      const tab = browser.openTab()
      await settle()
      send(tab, 'Said')
      await settle()
      expect(JSON.stringify([...browser.records])).toContain('v:')
      await end(tab)
      await settle()
      expect(JSON.stringify([[...browser.records], [...browser.local]])).not.toContain('v:')
    }
  })
})

describe('an anonymous session that has expired', () => {
  async function expired() {
    const acme = createAcme()
    const tab = acme.browser.openTab()
    await settle()
    send(tab, 'Yesterday')
    await settle()
    const token = acme.browser.token() as string
    return { ...acme, tab, token, expire: () => acme.platform.end(token, 'expired') }
  }

  it('keeps the draft and the message that is being sent for the next session', async () => {
    const { platform, browser, tab, token, expire } = await expired()
    platform.intercept = (_, path) => (path === '/events' ? new Promise(() => {}) : undefined)
    expire()
    tab.core.models.draft.setText('Half a')
    send(tab, 'Today')
    await browser.clock.advance(3000)
    const [next] = visitorTokens(platform)
    expect(next).not.toBe(token)
    expect([shown(tab), pending(tab), draft(tab), browser.token()]).toEqual([['Today'], [], 'Half a', next])
    expect(platform.sessions.get(next as string)?.messages.map(({ text }) => text)).toEqual(['Today'])
  })

  it('keeps the unsent messages of every open tab for the next session', async () => {
    const { browser, tab, expire } = await expired()
    const other = browser.openTab()
    await settle()
    for (const each of [tab, other]) each.setOnline(false)
    send(tab, 'From one')
    send(other, 'From the other')
    expire()
    for (const each of [tab, other]) each.setOnline(true)
    await browser.clock.advance(5000)
    for (const each of [tab, other]) expect(shown(each).sort()).toEqual(['From one', 'From the other'])
  })

  it('leaves nothing to a page that is loaded afterwards', async () => {
    const { platform, browser, tab, expire } = await expired()
    tab.setOnline(false)
    send(tab, 'Not sent')
    tab.core.models.draft.setText('Half a')
    await settle()
    tab.life.die()
    expire()
    const next = browser.openTab()
    await browser.clock.advance(3000)
    expect([shown(next), pending(next), draft(next), visitorTokens(platform)]).toEqual([[], [], '', []])
    expect(JSON.stringify([...browser.records])).not.toMatch(/Not sent|Half a|Yesterday/)
  })

  it('shows nothing of its conversation in the next session', async () => {
    const { browser, tab, expire } = await expired()
    expire()
    await browser.clock.advance(1000)
    send(tab, 'Today')
    await browser.clock.advance(1000)
    expect(shown(tab)).toEqual(['Today'])
    expect(JSON.stringify([...browser.records])).not.toContain('Yesterday')
  })

  it('loses everything unsent if it was revoked instead', async () => {
    const { platform, browser, tab, token } = await expired()
    tab.core.models.draft.setText('Half a')
    tab.setOnline(false)
    send(tab, 'Not sent')
    platform.end(token, 'revoked')
    tab.setOnline(true)
    await browser.clock.advance(3000)
    expect([shown(tab), pending(tab), draft(tab)]).toEqual([[], [], ''])
  })
})

describe('localStorage.clear()', () => {
  it('ends an anonymous session, and the next one keeps what the visitor has not sent', async () => {
    const { platform, browser } = createAcme()
    const tab = browser.openTab()
    await settle()
    send(tab, 'Said')
    await settle()
    const token = browser.token()
    tab.core.models.draft.setText('Half a')
    tab.storage.clear()
    send(tab, 'Not lost')
    await browser.clock.advance(3000)
    expect([shown(tab), draft(tab)]).toEqual([['Not lost'], 'Half a'])
    expect(browser.token()).not.toBe(token)
    expect(platform.sessions.get(token as string)?.messages).toHaveLength(1)
  })

  it.each([
    ['clears storage', (tab: Tab) => tab.storage.clear()],
    ['removes the identity', (tab: Tab) => tab.storage.removeItem(storageKey('bot', 'identity'))],
  ])('logs a contact out in every tab and erases what was unsent if the page %s', async (_, clear) => {
    const { browser } = createAcme()
    const tab = browser.openTab({ start: false })
    await tab.core.login(adaToken)
    const other = browser.openTab()
    await settle()
    tab.core.models.draft.setText('Half a')
    clear(tab)
    tab.fire('visibilitychange')
    await settle()
    for (const each of [tab, other]) expect([status(each), shown(each), draft(each)]).toEqual(['anonymous', [], ''])
    expect(JSON.stringify([[...browser.records], [...browser.local]])).not.toMatch(/Ada|Half a|c:/)
  })

  it('leaves no data of the former person, although the counting of epochs starts again', async () => {
    const { browser } = createAcme()
    const tab = browser.openTab({ start: false })
    for (const token of [graceToken, adaToken, graceToken, adaToken]) await tab.core.login(token)
    await settle()
    expect(JSON.stringify([...browser.records])).toContain('Dear Ada')
    tab.life.die()
    browser.local.clear()
    const next = browser.openTab()
    await settle()
    expect([status(next), shown(next)]).toEqual(['anonymous', []])
    expect(JSON.stringify([...browser.records])).not.toContain('Ada')
    // What is written now is stored.
    next.core.models.draft.setText('Half a')
    await browser.clock.advance(300)
    next.life.die()
    const last = browser.openTab()
    await settle()
    expect(draft(last)).toBe('Half a')
  })
})
