import { describe, expect, it } from 'vitest'
import { settle } from '../testing/fakeClock.ts'
import { ada, adaToken, createAcme, outcome, shown, status } from '../testing/fixtures.ts'

describe('the back/forward cache', () => {
  it('shows nothing of the visitor, and the session continues when the page returns', async () => {
    const { browser } = createAcme()
    const tab = browser.openTab({ start: false })
    await tab.core.login(adaToken)
    await settle()
    tab.fire('pagehide')
    expect([shown(tab), tab.core.models.session.contact.value]).toEqual([[], null])
    tab.fire('pageshow')
    await settle()
    expect([shown(tab), tab.core.models.session.contact.value]).toEqual([['Dear Ada'], ada])
  })

  it('does not interrupt a login', async () => {
    const { browser } = createAcme()
    const tab = browser.openTab({ start: false })
    const login = outcome(tab.core.login(adaToken))
    tab.fire('pagehide')
    tab.fire('pageshow')
    expect(await login).toBe('Ada Lovelace')
    await settle()
    expect(shown(tab)).toEqual(['Dear Ada'])
  })

  it('shows nothing of a contact who has logged out in the meantime', async () => {
    const { browser, platform } = createAcme()
    const tab = browser.openTab({ start: false })
    await tab.core.login(adaToken)
    await settle()
    tab.fire('pagehide')
    const other = browser.openTab()
    await settle()
    await other.core.logout()
    await settle()
    const requests = platform.log.length
    tab.fire('pageshow')
    await settle()
    expect([status(tab), shown(tab)]).toEqual(['anonymous', []])
    expect(platform.log.slice(requests).filter(({ token }) => token === adaToken)).toEqual([])
  })
})
