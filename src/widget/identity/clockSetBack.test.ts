import { describe, expect, it } from 'vitest'
import { createFakeClock, settle } from '../testing/fakeClock.ts'
import { createFakePlatform } from '../testing/fakePlatform.ts'
import { createFakeBrowser, createMemoryUpdate, shown, type Tab } from '../testing/fixtures.ts'

const send = ({ core }: Tab, text: string) => core.models.conversation.outbox.send(text)
const pending = ({ core }: Tab) => core.models.conversation.outbox.pending.value.map(({ text }) => text)

/** A browser whose clock can be set back. Timers run on. */
function createBrowser() {
  const clock = createFakeClock()
  let offset = 0
  const browser = createFakeBrowser(createFakePlatform(), { ...clock, now: () => clock.now() + offset })
  const setBack = () => {
    offset -= 3_600_000
  }
  return { browser, clock, setBack }
}

/** Storage was emptied and the clock set back after a visitor has left, so IndexedDB has an epoch in the future. */
async function afterAnother() {
  const { browser, clock, setBack } = createBrowser()
  const before = browser.openTab()
  send(before, 'Said before')
  await clock.advance(1000)
  expect(shown(before)).toEqual(['Said before'])
  before.life.die()
  browser.local.clear()
  setBack()
  return { browser, clock }
}

describe('after the clock was set back and storage was emptied', () => {
  it.each([
    ['in an open page', true],
    ['before the core was loaded', false],
  ])('a logout %s erases the conversation of the former visitor', async (_, isLoaded) => {
    const { browser, clock } = await afterAnother()
    if (!isLoaded) browser.storeEpoch('logout')
    const tab = browser.openTab()
    if (isLoaded) void tab.core.logout()
    await clock.advance(10_000)
    expect(JSON.stringify([...browser.records])).not.toMatch(/Said before|v:/)
    send(tab, 'Said after')
    await clock.advance(1000)
    expect(shown(tab)).toEqual(['Said after'])
    expect(browser.identity().reason).toBe('logout')
  })

  it('the next visitor sees nothing of the former one, although IndexedDB was slow', async () => {
    const { browser, clock } = await afterAnother()
    const update = createMemoryUpdate(browser.records)
    let isSlow = true
    const tab = browser.openTab({ update: (...request) => (isSlow ? new Promise(() => {}) : update(...request)) })
    await clock.advance(4000)
    isSlow = false
    send(tab, 'Said after')
    await clock.advance(10_000)
    expect([shown(tab), pending(tab)]).toEqual([['Said after'], []])
  })
})

it('a tab that waits for a later epoch goes on after 5 s, although the clock is set back meanwhile', async () => {
  const { browser, clock, setBack } = createBrowser()
  const tab = browser.openTab()
  await settle()
  browser.records.set('meta', { epoch: `${clock.now() + 1}.1random`, reason: 'storage_reset', owner: '', token: '' })
  send(tab, 'Said')
  await clock.advance(1000)
  setBack()
  await clock.advance(6000)
  expect([shown(tab), pending(tab)]).toEqual([['Said'], []])
})
