import { expect, it } from 'vitest'
import { createFakeClock } from '../testing/fakeClock.ts'
import type { Post } from '../testing/fakeTraffic.ts'
import { adaToken, createAcme, createFakeBrowser } from '../testing/fixtures.ts'

it('a draft that a page stores after a logout in another process is erased as soon as that tab sees it', async () => {
  const { platform } = createAcme()
  const clock = createFakeClock()
  // Each process sees what the other has written to localStorage 1 s later.
  const post: Post = (lane, fn) => (lane.startsWith('storage') ? void clock.setTimeout(fn, 500) : queueMicrotask(fn))
  const browser = createFakeBrowser(platform, clock, { post, apart: true })
  const stored = () => [...browser.local.values()].join()
  const tab = browser.openTab({ start: false })
  await tab.core.login(adaToken)
  await clock.advance(3000)
  const other = browser.openTab()
  await clock.advance(3000)
  void other.core.logout()
  tab.core.models.draft.setText('Half a')
  tab.fire('pagehide')
  tab.life.die()
  await clock.advance(600)
  expect(stored()).toContain('Half a')
  await clock.advance(1000)
  expect(stored()).not.toContain('Half a')
})
