import { describe, expect, it } from 'vitest'
import { settle } from '../testing/fakeClock.ts'
import { contactToken, createAcme, graceToken, outcome } from '../testing/fixtures.ts'

describe('an anonymous session that a login replaces', () => {
  async function chatted() {
    const acme = createAcme()
    const [tab, other] = [acme.browser.openTab(), acme.browser.openTab()]
    await settle()
    tab.core.models.conversation.outbox.send('Said')
    await settle()
    const token = acme.browser.token() as string
    const ended = () => acme.platform.sessions.get(token)?.ended
    return { ...acme, tab, other, token, ended }
  }

  it.each(['succeeds', 'fails'])('is revoked once every tab can see the login, whether that %s', async how => {
    const { browser, tab, other, ended } = await chatted()
    other.deafen(true)
    await outcome(tab.core.login(how === 'succeeds' ? graceToken : contactToken('f')))
    await browser.clock.advance(4000)
    expect(ended()).toBeNull()
    other.deafen(false)
    other.fire('storage')
    await browser.clock.advance(2000)
    expect(ended()).toBe('logged_out')
    const contact = how === 'succeeds' ? 'Grace Hopper' : undefined
    for (const each of [tab, other]) expect(each.core.contact()?.name).toBe(contact)
  })

  it('is revoked at once when the page is left', async () => {
    const { platform, tab, token, ended } = await chatted()
    await tab.core.login(graceToken)
    tab.fire('pagehide')
    await settle()
    expect(ended()).toBe('logged_out')
    expect(platform.log.find(({ method }) => method === 'DELETE')).toMatchObject({ token, keepalive: true })
  })

  it('is revoked at once when the page destroys the widget', async () => {
    const { tab, ended } = await chatted()
    await tab.core.login(graceToken)
    tab.core.destroy()
    await settle()
    expect(ended()).toBe('logged_out')
  })
})
