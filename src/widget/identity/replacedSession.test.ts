import { describe, expect, it } from 'vitest'
import { createFakeClock, settle } from '../testing/fakeClock.ts'
import type { Post } from '../testing/fakeTraffic.ts'
import { contactToken, createAcme, createFakeBrowser, graceToken, outcome } from '../testing/fixtures.ts'

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

  it.each(['succeeds', 'fails'])(
    'is revoked at once, and a tab that sees the login late follows it if that %s',
    async how => {
      const clock = createFakeClock()
      const post: Post = (lane, fn) =>
        lane.startsWith('storage') ? void clock.setTimeout(fn, 1000) : queueMicrotask(fn)
      const { platform } = createAcme()
      const browser = createFakeBrowser(platform, clock, { post, apart: true })
      const tab = browser.openTab()
      await clock.advance(3000)
      const other = browser.openTab()
      tab.core.models.conversation.outbox.send('Said')
      await clock.advance(3000)
      const token = browser.token() as string
      void outcome(tab.core.login(how === 'succeeds' ? graceToken : contactToken('f')))
      await clock.advance(100)
      expect(platform.sessions.get(token)?.ended).toBe('logged_out')
      await clock.advance(5000)
      const contact = how === 'succeeds' ? 'Grace Hopper' : undefined
      for (const each of [tab, other]) expect(each.core.contact()?.name).toBe(contact)
    },
  )

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
