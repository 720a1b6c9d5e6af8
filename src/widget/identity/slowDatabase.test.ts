import { describe, expect, it } from 'vitest'
import { settle } from '../testing/fakeClock.ts'
import { adaToken, createAcme, createMemoryUpdate, outcome, shown, status } from '../testing/fixtures.ts'

describe('a slow database', () => {
  it('does not bring back a contact who has logged out in the meantime', async () => {
    const { browser } = createAcme()
    let release = () => {}
    const held = new Promise<void>(resolve => {
      release = resolve
    })
    const update = createMemoryUpdate(browser.records)
    const tab = browser.openTab({ start: false, update: (...request) => held.then(() => update(...request)) })
    const login = outcome(tab.core.login(adaToken))
    await settle()
    void tab.core.logout()
    release()
    expect(await login).toBe('superseded')
    await settle()
    expect([status(tab), tab.core.contact(), shown(tab), browser.token()]).toEqual(['anonymous', null, [], null])
    expect(JSON.stringify([...browser.records])).not.toContain('ada')
  })

  it('does not make a tab report a message twice if another tab has created the anonymous session', async () => {
    const { browser } = createAcme()
    const update = createMemoryUpdate(browser.records)
    const one = browser.openTab()
    await settle()
    let release = () => {}
    const held = new Promise<void>(resolve => {
      release = resolve
    })
    const other = browser.openTab({ update: (...request) => held.then(() => update(...request)) })
    one.core.models.conversation.outbox.send('Hello')
    await browser.clock.advance(1000)
    release()
    await browser.clock.advance(1000)
    expect(shown(other)).toEqual(['Hello'])
    expect(other.events.filter(([name]) => name === 'message')).toHaveLength(1)
  })
})
