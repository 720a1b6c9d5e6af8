import { describe, expect, it } from 'vitest'
import { settle } from '../testing/fakeClock.ts'
import { problem } from '../testing/fakePlatform.ts'
import { ada, adaToken, contactToken, createAcme, outcome, type Tab } from '../testing/fixtures.ts'
import { storedDraft } from '../testing/tabFixtures.ts'
import { maxDraftLength } from './draft.ts'

const draftOf = ({ core }: Tab) => core.models.draft
const textOf = (tab: Tab) => draftOf(tab).text.value

/** Ada has a stored draft, and a page is loaded while the platform does not answer. */
async function reload() {
  const acme = createAcme()
  const { browser, platform } = acme
  const former = browser.openTab({ start: false })
  await former.core.login(adaToken)
  await settle()
  draftOf(former).setText('Begun before')
  await browser.clock.advance(300)
  former.core.destroy()
  let answer = () => {}
  const held = new Promise<void>(resolve => {
    answer = resolve
  })
  const { fetch } = platform
  platform.intercept = (_, path, init) =>
    path === '/session/retrieve' && init.headers
      ? held.then(() => {
          platform.intercept = () => undefined
          return fetch(`https://chat.example/widget${path}`, init)
        })
      : undefined
  return { ...acme, tab: browser.openTab(), answer: () => answer() }
}

describe('what is written while the stored session is restored', () => {
  it.each([0, 5000])('is appended to the stored draft, though the platform answers only after %i ms', async ms => {
    const { browser, tab, answer } = await reload()
    draftOf(tab).setText('Written')
    await browser.clock.advance(ms)
    draftOf(tab).setText('Written now')
    answer()
    await browser.clock.advance(1000)
    expect(textOf(tab)).toBe('Begun before\nWritten now')
    expect(storedDraft(browser)).toBe('Begun before\nWritten now')
  })

  it('is shown as cut if the stored draft leaves it no room', async () => {
    const { browser, tab, answer } = await reload()
    draftOf(tab).setText('x'.repeat(maxDraftLength))
    answer()
    await browser.clock.advance(1000)
    expect([textOf(tab).length, draftOf(tab).isTruncated.value]).toEqual([maxDraftLength, true])
    expect(textOf(tab)).toMatch(/^Begun before\nx+$/)
  })

  it('is appended once if the page prefills it on every load', async () => {
    const { browser, tab, answer } = await reload()
    tab.core.models.message({ prefill: 'Begun before' })
    answer()
    await browser.clock.advance(1000)
    expect(textOf(tab)).toBe('Begun before')
  })

  it('stays deleted if the visitor has deleted it', async () => {
    const { browser, tab, answer } = await reload()
    draftOf(tab).setText('Written')
    await browser.clock.advance(5000)
    draftOf(tab).setText('')
    answer()
    await browser.clock.advance(1000)
    expect(textOf(tab)).toBe('Begun before')
  })

  it.each(['pagehide', 'visibilitychange', 'destroy'])(
    'survives the page together with the stored draft: %s',
    async how => {
      const { browser, tab, answer } = await reload()
      draftOf(tab).setText('Written')
      await browser.clock.advance(1000)
      if (how === 'destroy') tab.core.destroy()
      else tab.fire(how as 'pagehide')
      await settle()
      tab.life.die()
      answer()
      const next = browser.openTab()
      await browser.clock.advance(1000)
      expect(textOf(next)).toBe('Begun before\nWritten')
    },
  )

  it('goes on when the tab was hidden meanwhile', async () => {
    const { browser, tab, answer } = await reload()
    draftOf(tab).setText('Written')
    tab.setHidden(true)
    tab.setHidden(false)
    draftOf(tab).setText('Written now')
    answer()
    await browser.clock.advance(1000)
    expect(textOf(tab)).toBe('Begun before\nWritten now')
  })

  it('goes on together with the stored draft when the page logs in with another token of the same contact', async () => {
    const { browser, platform, tab, answer } = await reload()
    const newToken = contactToken('c')
    platform.addContact(newToken, ada)
    draftOf(tab).setText('Written')
    answer()
    expect(await outcome(tab.core.login(newToken))).toBe(ada.name)
    await browser.clock.advance(1000)
    expect(textOf(tab)).toBe('Begun before\nWritten')
  })

  it('is not lost when restoring is tried again, though nothing can be stored', async () => {
    const { platform, browser } = createAcme()
    browser.storeIdentity({ reason: 'login', token: adaToken })
    platform.intercept = (_, path) => (path === '/session/retrieve' ? problem(403, 'forbidden') : undefined)
    const tab = browser.openTab({ update: () => Promise.reject(new DOMException('Full', 'QuotaExceededError')) })
    await settle()
    draftOf(tab).setText('Half a')
    tab.core.models.conversation.outbox.send('Hello')
    platform.intercept = () => undefined
    await tab.core.models.conversation.messageStore.loadOlder()
    await browser.clock.advance(5000)
    expect([tab.core.contact(), textOf(tab)]).toEqual([ada, 'Half a'])
    expect(platform.sessions.get(adaToken)?.messages.at(-1)?.text).toBe('Hello')
  })
})
