import { describe, expect, it } from 'vitest'
import { createFakeClock, settle } from '../testing/fakeClock.ts'
import type { Post } from '../testing/fakeTraffic.ts'
import {
  ada,
  adaToken,
  authOf,
  contactToken,
  createAcme,
  createFakeBrowser,
  graceToken,
  outcome,
  shown,
  status,
} from '../testing/fixtures.ts'
import * as siteChunk from './site.ts'

const newToken = contactToken('c')

/** Two tabs of Ada's, whose page gives what `answer` says, and notes what it was asked. */
async function setUp(answer: () => Promise<string | null>) {
  const acme = createAcme()
  acme.platform.addContact(newToken, ada)
  const asked: string[] = []
  const refreshToken = (expired: string) => {
    asked.push(expired)
    return answer()
  }
  const one = acme.browser.openTab({ start: false, refreshToken })
  await one.core.login(adaToken)
  const other = acme.browser.openTab({ refreshToken })
  await settle()
  return { ...acme, asked, refreshToken, one, other }
}

/** A page that answers when it is told to. */
function later() {
  let give = (_: string) => {}
  const given = new Promise<string>(resolve => {
    give = resolve
  })
  return { answer: () => given, give: (token: string) => give(token) }
}

describe('an expired token', () => {
  it('is renewed by one tab for all, and what is shown or being sent stays', async () => {
    const { answer, give } = later()
    const { browser, platform, said, asked, one, other } = await setUp(answer)
    const seen: number[] = []
    for (const tab of [one, other])
      tab.core.models.conversation.messageStore.messages.subscribe(all => seen.push(all.length))
    platform.end(adaToken, 'expired')
    one.core.models.conversation.outbox.send('Meanwhile')
    await browser.clock.advance(3000)
    expect([asked, status(one), status(other), said(newToken).length]).toEqual([
      [adaToken],
      'identified',
      'identified',
      1,
    ])
    give(newToken)
    await browser.clock.advance(3000)
    expect([asked, browser.token()]).toEqual([[adaToken], newToken])
    for (const tab of [one, other]) {
      expect(shown(tab)).toEqual(['Dear Ada', 'Meanwhile'])
      expect(authOf(tab).map(([state]) => state)).toEqual(['identifying', 'identified'])
    }
    expect(Math.min(...seen)).toBe(1)
  })

  it('is renewed once, although the other tab sees the new token only after the lock is free', async () => {
    const { platform } = createAcme()
    const clock = createFakeClock()
    const post: Post = (lane, fn) => (lane.startsWith('storage') ? void clock.setTimeout(fn, 40) : queueMicrotask(fn))
    const browser = createFakeBrowser(platform, clock, { post, apart: true })
    platform.addContact(newToken, ada)
    const asked: string[] = []
    const refreshToken = async (expired: string) => {
      asked.push(expired)
      return newToken
    }
    const one = browser.openTab({ start: false, refreshToken })
    await one.core.login(adaToken)
    await clock.advance(100)
    const other = browser.openTab({ refreshToken })
    await settle()
    platform.end(adaToken, 'expired')
    await clock.advance(3000)
    expect([asked, status(one), status(other)]).toEqual([[adaToken], 'identified', 'identified'])
  })

  it('ends the session in every tab if the page returns no other token of a contact', async () => {
    for (const answer of [null, 'nonsense', adaToken, contactToken('f')]) {
      const { browser, platform, asked, one, other } = await setUp(async () => answer)
      platform.end(adaToken, 'expired')
      await browser.clock.advance(3000)
      expect(asked).toEqual([adaToken])
      for (const tab of [one, other]) {
        expect([status(tab), shown(tab), tab.core.models.session.endReason.value]).toEqual(['anonymous', [], 'expired'])
      }
      expect(browser.token()).toBeNull()
      expect(JSON.stringify([...browser.records])).not.toContain('Ada')
    }
  })

  it('makes the widget ask the page again after a failure, but not forever', async () => {
    let failures = 2
    const { browser, platform, asked, one } = await setUp(async () => {
      if (failures-- > 0) throw new Error('The site is down')
      return newToken
    })
    platform.end(adaToken, 'expired')
    await browser.clock.advance(5000)
    expect([asked.length, shown(one)]).toEqual([3, ['Dear Ada']])
    failures = 99
    platform.end(newToken, 'expired')
    await browser.clock.advance(20_000)
    expect([asked.length, status(one)]).toEqual([7, 'anonymous'])
  })

  it('is kept while there is no network', async () => {
    const { browser, platform, asked, one, other } = await setUp(async () => {
      if (!online) throw new TypeError('Failed to fetch')
      return newToken
    })
    let online = false
    platform.end(adaToken, 'expired')
    await settle()
    for (const tab of [one, other]) tab.setOnline(false)
    await browser.clock.advance(600_000)
    expect([status(one), shown(one)]).toEqual(['identified', ['Dear Ada']])
    expect(asked.length).toBeGreaterThan(4)
    online = true
    for (const tab of [one, other]) tab.setOnline(true)
    await browser.clock.advance(3000)
    for (const tab of [one, other]) expect([status(tab), shown(tab)]).toEqual(['identified', ['Dear Ada']])
    expect(browser.token()).toBe(newToken)
  })

  it('is kept, with what was written, while the code that renews it cannot be fetched', async () => {
    const { browser, platform, said } = createAcme()
    platform.addContact(newToken, ada)
    let canLoad = false
    const tab = browser.openTab({
      start: false,
      refreshToken: async () => newToken,
      async site() {
        if (!canLoad) throw new TypeError('Failed to fetch dynamically imported module')
        return siteChunk
      },
    })
    await tab.core.login(adaToken)
    platform.end(adaToken, 'expired')
    tab.core.models.conversation.outbox.send('Unsent')
    await browser.clock.advance(3000)
    expect([status(tab), browser.token()]).toEqual(['identified', adaToken])
    canLoad = true
    await browser.clock.advance(30_000)
    expect([status(tab), said(newToken).at(-1)?.text]).toEqual(['identified', 'Unsent'])
  })

  it('ends the session if the page never answers', async () => {
    const { browser, platform, one, other } = await setUp(() => new Promise(() => {}))
    platform.end(adaToken, 'expired')
    await browser.clock.advance(120_000)
    expect([status(one), status(other)]).toEqual(['anonymous', 'anonymous'])
  })

  it('is not renewed if it was revoked', async () => {
    const { browser, platform, asked, one } = await setUp(async () => newToken)
    platform.end(adaToken, 'revoked')
    await browser.clock.advance(3000)
    expect([asked, status(one), one.core.models.session.endReason.value]).toEqual([[], 'anonymous', 'revoked'])
  })

  it('that is renewed with another contact’s token shows only that contact’s messages', async () => {
    const { browser, platform, one, other } = await setUp(async () => graceToken)
    platform.end(adaToken, 'expired')
    await browser.clock.advance(3000)
    for (const tab of [one, other]) expect([shown(tab), tab.core.contact()?.id]).toEqual([['Dear Grace'], 'grace'])
    expect(JSON.stringify([...browser.records])).not.toContain('Dear Ada')
  })

  it('that a page load finds is renewed before anything is shown, and a login with it waits for that', async () => {
    const { browser, platform, one, other, refreshToken } = await setUp(async () => newToken)
    one.core.models.draft.setText('Half a')
    await settle()
    one.core.destroy()
    other.core.destroy()
    platform.end(adaToken, 'expired')
    const next = browser.openTab({ refreshToken })
    const login = outcome(next.core.login(adaToken))
    await browser.clock.advance(3000)
    expect([await login, shown(next), next.core.models.draft.text.value, browser.token()]).toEqual([
      'Ada Lovelace',
      ['Dear Ada'],
      'Half a',
      newToken,
    ])
    expect(authOf(next).at(-1)).toEqual(['identified', 'ada', 'restored'])
  })

  it('does not bring back a contact who has logged out while the page was being asked', async () => {
    const { answer, give } = later()
    const { browser, platform, one, other } = await setUp(answer)
    platform.end(adaToken, 'expired')
    await browser.clock.advance(1000)
    await other.core.logout()
    give(newToken)
    await browser.clock.advance(3000)
    for (const tab of [one, other]) expect([status(tab), shown(tab)]).toEqual(['anonymous', []])
    expect(browser.token()).toBeNull()
  })

  it('is not renewed in storage once another tab has logged out, even if this tab has not noticed', async () => {
    const { answer, give } = later()
    const { browser, platform, one, other } = await setUp(answer)
    platform.end(adaToken, 'expired')
    await browser.clock.advance(0)
    one.deafen(true)
    platform.intercept = (_, path) => (path === '/events/stream' ? new Promise(() => {}) : undefined)
    await other.core.logout()
    const written: string[] = []
    browser.local.set = (key, value) => {
      written.push(value)
      return Map.prototype.set.call(browser.local, key, value)
    }
    give(newToken)
    await browser.clock.advance(3000)
    expect(written).not.toContain(newToken)
  })
})
