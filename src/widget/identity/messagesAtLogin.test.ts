import { describe, expect, it } from 'vitest'
import { settle } from '../testing/fakeClock.ts'
import { ada, adaToken, contactToken, createMemoryUpdate, graceToken } from '../testing/fixtures.ts'
import { createSite, visible } from '../testing/siteFixtures.ts'

const body = (token: string) => JSON.stringify({ data: { token } })

describe('a message of a contact that the browser has no room for', () => {
  /** Ada's session is stored, but no message can be stored any more. The page writes one before the site has answered. */
  async function speakWithoutRoom({ isExpired }: { isExpired: boolean }) {
    const setUp = createSite()
    const { site, platform, browser, respond, openTab } = setUp
    site.signedIn = 'ada'
    const former = openTab()
    former.core.setOpen(true)
    await settle()
    former.core.destroy()
    if (isExpired) platform.end(adaToken, 'expired')
    const answer = site.holdAnswer()
    const update = createMemoryUpdate(browser.records)
    const tab = openTab({
      update: (keys: Parameters<typeof update>[0], change: Parameters<typeof update>[1]) =>
        update(keys, (...found) => {
          const changes = change(...found)
          const { outbox = [] } = changes as { outbox?: unknown[] }
          if (outbox.length) throw new DOMException('Full', 'QuotaExceededError')
          return changes
        }),
    })
    tab.core.models.message({ text: 'I need help', prefill: 'with' })
    tab.core.setOpen(true)
    await settle()
    const next = contactToken('d')
    platform.addContact(next, ada)
    return { ...setUp, tab, answer, next, respond }
  }

  it.each([
    ['the token works', false],
    ['the token has expired', true],
  ])('is sent if the site gives the same contact another token, where %s', async (_, isExpired) => {
    const { tab, answer, next, respond, browser } = await speakWithoutRoom({ isExpired })
    answer(respond(200, body(next)))
    await browser.clock.advance(5000)
    expect(visible(tab)).toEqual(['Dear Ada', 'I need help'])
    expect(tab.core.models.draft.text.value).toBe('with')
  })

  it.each([
    ['the token works', false],
    ['the token has expired', true],
  ])('is dropped if the site names somebody else, where %s', async (_, isExpired) => {
    const { tab, answer, respond, browser, said } = await speakWithoutRoom({ isExpired })
    answer(respond(200, body(graceToken)))
    await browser.clock.advance(5000)
    expect([visible(tab), tab.core.models.draft.text.value]).toEqual([['Dear Grace'], ''])
    expect([...said(adaToken), ...said(graceToken)].map(({ text }) => text)).toEqual(['Dear Ada', 'Dear Grace'])
  })
})
