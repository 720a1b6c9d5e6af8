import { describe, expect, it } from 'vitest'
import { settle } from '../testing/fakeClock.ts'
import { createAcme, createMemoryUpdate, graceToken, shown, status } from '../testing/fixtures.ts'
import { storedDraft } from '../testing/tabFixtures.ts'

describe('a tab that was frozen while storage was emptied', () => {
  it('does not erase data of the contact who has logged in since', async () => {
    const { browser, platform } = createAcme()
    const update = createMemoryUpdate(browser.records)
    let release = () => {}
    const held = new Promise<void>(resolve => {
      release = resolve
    })
    browser.storeEpoch('logout')
    // It is about to open what is stored.
    const frozen = browser.openTab({ deaf: true, update: (...request) => held.then(() => update(...request)) })
    await settle()
    browser.local.clear()
    const next = browser.openTab()
    await browser.clock.advance(100)
    await next.core.login(graceToken)
    await settle()
    next.setOnline(false)
    platform.down = true
    next.core.models.conversation.outbox.send('Not sent yet')
    next.core.models.draft.setText('Half a')
    await browser.clock.advance(500)
    const before = JSON.stringify([...browser.records])
    expect(before).toMatch(/Dear Grace.*Not sent yet/)
    release()
    await settle()
    expect([JSON.stringify([...browser.records]), storedDraft(browser)]).toEqual([before, 'Half a'])
    platform.down = false
    next.setOnline(true)
    frozen.deafen(false)
    await browser.clock.advance(5000)
    expect([status(frozen), shown(frozen)]).toEqual(['identified', ['Dear Grace', 'Not sent yet']])
  })
})
