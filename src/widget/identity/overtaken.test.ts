import { describe, expect, it } from 'vitest'
import { createFakeClock, settle } from '../testing/fakeClock.ts'
import { createFakePlatform } from '../testing/fakePlatform.ts'
import { createFakeBrowser, shown, type Tab } from '../testing/fixtures.ts'
import { laterEpoch } from '../testing/laterEpoch.ts'
import { createSite, visible } from '../testing/siteFixtures.ts'

const send = ({ core }: Tab, text: string) => core.models.conversation.outbox.send(text)

describe('a later epoch that localStorage never shows', () => {
  it.each(['login', 'signed_out', 'storage_reset', 'expired'] as const)(
    'does not keep the site from being asked, since nobody has logged out (%s)',
    async reason => {
      const { openTab, site, browser } = createSite()
      const first = laterEpoch()
      const later = laterEpoch(first, reason)
      browser.records.set('meta', { epoch: later, reason, owner: reason === 'login' ? 'grace' : '', token: '' })
      // The browser has crashed before this entry was replaced on disk.
      browser.storeIdentity({ epoch: first, reason: 'signed_out' })
      site.signedIn = 'grace'
      const tab = openTab()
      tab.core.setOpen(true)
      await browser.clock.advance(20_000)
      expect(visible(tab)).toEqual(['Dear Grace'])
      tab.life.die()
      const next = openTab()
      next.core.setOpen(true)
      await browser.clock.advance(20_000)
      expect(visible(next)).toEqual(['Dear Grace'])
    },
  )
})

describe('two tabs where a consent tool has replaced `setItem`, or the page has filled localStorage', () => {
  it('go on with their conversations', async () => {
    const platform = createFakePlatform()
    const browser = createFakeBrowser(platform, createFakeClock())
    const open = () => {
      const tab = browser.openTab({ start: false })
      tab.storage.setItem = () => {}
      tab.core.start()
      return tab
    }
    const one = open()
    await browser.clock.advance(1000)
    send(one, 'First')
    await browser.clock.advance(10_000)
    expect(shown(one)).toEqual(['First'])
    const other = open()
    await browser.clock.advance(10_000)
    for (let turn = 0; turn < 4; turn++) {
      send(one, `One ${turn}`)
      await browser.clock.advance(10_000)
      send(other, `Other ${turn}`)
      await browser.clock.advance(10_000)
    }
    await settle()
    expect(shown(one)).toEqual(['First', 'One 0', 'One 1', 'One 2', 'One 3'])
  })
})
