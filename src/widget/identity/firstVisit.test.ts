import { describe, expect, it } from 'vitest'
import { createFakeClock, settle } from '../testing/fakeClock.ts'
import { createFakePlatform } from '../testing/fakePlatform.ts'
import type { Post } from '../testing/fakeTraffic.ts'
import { createFakeBrowser, createMemoryUpdate, shown, type Tab } from '../testing/fixtures.ts'

const send = ({ core }: Tab, text: string) => core.models.conversation.outbox.send(text)
const pending = ({ core }: Tab) => core.models.conversation.outbox.pending.value.map(({ text }) => text)

/** A browser whose tabs have a process each: what one of them writes to localStorage comes late to the others. */
function createBrowser(delayMs: number) {
  const platform = createFakePlatform()
  const clock = createFakeClock()
  const post: Post = (lane, fn) =>
    lane.startsWith('storage') ? void clock.setTimeout(fn, delayMs) : queueMicrotask(fn)
  return { platform, clock, browser: createFakeBrowser(platform, clock, { post, apart: true }) }
}

describe('several tabs on a first visit, each in its own process', () => {
  it.each([
    ['at the same moment', 0],
    ['one after the other', 300],
  ])('have one conversation and lose no message if they open and send %s', async (_, betweenMs) => {
    for (const delayMs of [0, 40, 1000]) {
      const { platform, clock, browser } = createBrowser(delayMs)
      const tabs: Tab[] = []
      for (const name of ['one', 'two', 'three']) {
        const tab = browser.openTab()
        tabs.push(tab)
        send(tab, `From ${name}`)
        await clock.advance(betweenMs)
      }
      await clock.advance(20_000)
      const all = ['From one', 'From three', 'From two']
      const live = [...platform.sessions.values()].filter(({ ended }) => !ended)
      expect(live.map(({ messages }) => messages.map(({ text }) => text).sort())).toEqual([all])
      for (const tab of tabs) expect([shown(tab).sort(), pending(tab)]).toEqual([all, []])
    }
  })

  it('keep the draft that is written while they agree on the first epoch', async () => {
    const { clock, browser } = createBrowser(1000)
    const one = browser.openTab()
    await settle()
    const other = browser.openTab()
    other.core.models.draft.setText('Half a')
    await clock.advance(10_000)
    expect([one, other].map(({ core }) => core.models.draft.text.value)).toContain('Half a')
    expect(browser.identity().reason).toBe('storage_reset')
  })

  it('show nothing of the former visitor if localStorage was emptied while no page was open', async () => {
    const { platform, clock, browser } = createBrowser(0)
    const before = browser.openTab()
    send(before, 'Said before')
    await clock.advance(1000)
    before.life.die()
    browser.local.clear()
    const tab = browser.openTab()
    send(tab, 'Said after')
    await clock.advance(10_000)
    expect(shown(tab)).toEqual(['Said after'])
    expect([...platform.sessions.values()].map(({ messages }) => messages.length)).toEqual([1, 1])
  })

  it('lose no message if a slow database makes one begin another epoch and the other is reloaded', async () => {
    const platform = createFakePlatform()
    const clock = createFakeClock()
    const post: Post = (lane, fn) =>
      lane === 'storage of tab 0' ? void clock.setTimeout(fn, 4000) : queueMicrotask(fn)
    const browser = createFakeBrowser(platform, clock, { post, apart: true })
    const tab = browser.openTab({ fetch: () => new Promise(() => {}) })
    await settle()
    const agreed = JSON.stringify([...browser.records])
    browser.openTab({ update: () => new Promise(() => {}) })
    send(tab, 'Said')
    await clock.advance(3000)
    // localStorage shows the epoch of the one, and IndexedDB that of the other.
    expect(agreed).not.toContain(browser.identity().epoch)
    expect(JSON.stringify(browser.records.get('outbox'))).toContain('Said')
    tab.fire('pagehide')
    tab.life.die()
    const next = browser.openTab()
    await clock.advance(20_000)
    expect(agreed).toContain(browser.identity().epoch)
    expect([shown(next), pending(next)]).toEqual([['Said'], []])
  })

  it('each send without IndexedDB', async () => {
    const { clock, browser } = createBrowser(0)
    const update = createMemoryUpdate(browser.records)
    const tab = browser.openTab({ update: (...request) => new Promise(() => update(...request)) })
    send(tab, 'Said')
    await clock.advance(10_000)
    expect(shown(tab)).toEqual(['Said'])
  })
})
