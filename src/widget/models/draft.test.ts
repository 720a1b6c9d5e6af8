import { describe, expect, it } from 'vitest'
import type { CachedSession, DraftRecord } from '../storage/guards.ts'
import { settle } from '../testing/fakeClock.ts'
import { problem } from '../testing/fakePlatform.ts'
import { ada, adaToken, contactToken, createAcme, createMemoryUpdate, graceToken } from '../testing/fixtures.ts'
import { tabsOfAda } from '../testing/tabFixtures.ts'
import { maxDraftLength } from './draft.ts'

async function writing() {
  const acme = createAcme()
  const { browser } = acme
  const update = createMemoryUpdate(browser.records)
  const written: string[][] = []
  const tab = browser.openTab({
    start: false,
    update: (keys, change) =>
      update(keys, (...found) => {
        const changed = change(...found)
        written.push(Object.keys(changed))
        return changed
      }),
  })
  await tab.core.login(adaToken)
  await settle()
  written.length = 0
  const kept = () => (browser.records.get('draft') as DraftRecord).text
  return { ...acme, tab, written, kept, draft: tab.core.models.draft }
}

describe('the draft', () => {
  it('is saved 300 ms after a key, in a record of its own', async () => {
    const { browser, draft, written, kept } = await writing()
    for (const text of ['H', 'He', 'Hel', 'Hell', 'Hello']) {
      draft.setText(text)
      await browser.clock.advance(50)
    }
    expect([written, kept()]).toEqual([[], ''])
    await browser.clock.advance(300)
    expect([written, kept()]).toEqual([[['draft']], 'Hello'])
  })

  it('keeps text that was just typed when the page logs in with another token of the same contact', async () => {
    const { tab, draft, platform } = await writing()
    const newToken = contactToken('c')
    platform.addContact(newToken, ada)
    draft.setText('Hello')
    await tab.core.login(newToken)
    await settle()
    expect(draft.text.value).toBe('Hello')
    draft.setText('Hello Grace')
    await tab.core.login(graceToken)
    await settle()
    expect(draft.text.value).toBe('')
  })

  it('is saved at once when the page is hidden', async () => {
    const { tab, draft, kept } = await writing()
    draft.setText('Hello')
    tab.fire('visibilitychange')
    await settle()
    expect(kept()).toBe('Hello')
  })

  it('is stored without a transaction on pagehide, and saved in IndexedDB on pageshow', async () => {
    const { tab, draft, kept, written } = await writing()
    draft.setText('Hello')
    tab.fire('pagehide')
    await settle()
    expect([draft.text.value, written]).toEqual(['', []])
    tab.fire('pageshow')
    await settle()
    expect([draft.text.value, kept()]).toEqual(['Hello', 'Hello'])
  })

  /** Ada has typed and left the page before IndexedDB had saved the draft. */
  async function leaveWhileTyping() {
    const acme = createAcme()
    const { browser } = acme
    const update = createMemoryUpdate(browser.records)
    let isGone = false
    const tab = browser.openTab({
      start: false,
      update: (...request) => (isGone ? new Promise(() => {}) : update(...request)),
    })
    await tab.core.login(adaToken)
    await settle()
    tab.core.models.draft.setText('A half-written')
    await browser.clock.advance(500)
    isGone = true
    tab.core.models.draft.setText('A half-written thought')
    return { ...acme, tab, kept: () => [...browser.local.values()].join() }
  }

  it.each([0, 300])('survives a reload %s ms after the last key, although IndexedDB could not save it', async ms => {
    const { browser, tab, kept } = await leaveWhileTyping()
    await browser.clock.advance(ms)
    tab.fire('pagehide')
    const next = browser.openTab()
    await settle()
    expect(next.core.models.draft.text.value).toBe('A half-written thought')
    expect(browser.records.get('draft')).toMatchObject({ text: 'A half-written thought' })
    expect(kept()).not.toContain('thought')
  })

  it('survives a reload if IndexedDB has refused it', async () => {
    const acme = createAcme()
    const { browser } = acme
    const update = createMemoryUpdate(browser.records)
    let isFull = false
    const tab = browser.openTab({
      start: false,
      update: (...request) =>
        isFull ? Promise.reject(new DOMException('Full', 'QuotaExceededError')) : update(...request),
    })
    await tab.core.login(adaToken)
    await settle()
    isFull = true
    tab.core.models.draft.setText('Hello')
    await browser.clock.advance(3000)
    tab.fire('pagehide')
    const next = browser.openTab()
    await settle()
    expect(next.core.models.draft.text.value).toBe('Hello')
  })

  it('does not come back if another tab has sent it since the page was left', async () => {
    const { browser, tab } = await leaveWhileTyping()
    const other = browser.openTab()
    await settle()
    tab.fire('pagehide')
    expect(other.core.models.draft.text.value).toBe('A half-written')
    other.core.models.conversation.outbox.send('A half-written', { finishesDraft: true })
    await settle()
    const next = browser.openTab()
    await settle()
    expect(next.core.models.draft.text.value).toBe('')
  })

  it('of a page that was left is removed by a logout in another tab', async () => {
    const { browser, tab, kept } = await leaveWhileTyping()
    const other = browser.openTab()
    await settle()
    tab.fire('pagehide')
    expect(kept()).toContain('thought')
    void other.core.logout()
    expect(kept()).not.toContain('thought')
    tab.core.models.draft.setText('Only Ada’s')
    tab.fire('pagehide')
    expect(kept()).not.toContain('Ada')
  })

  it('is saved when the page destroys the widget', async () => {
    const { tab, draft, kept } = await writing()
    draft.setText('Hello')
    tab.core.destroy()
    await settle()
    expect(kept()).toBe('Hello')
  })

  it('is emptied in the transaction that stores the message', async () => {
    let onTransaction = () => {}
    const acme = createAcme()
    const { browser } = acme
    const update = createMemoryUpdate(browser.records)
    const tab = browser.openTab({
      start: false,
      update: async (names, change) => {
        await update(names, change)
        onTransaction()
      },
    })
    await tab.core.login(adaToken)
    await settle()
    const { conversation } = tab.core.models
    const kept = () => {
      const { outbox } = browser.records.get('stored') as CachedSession
      return [outbox.map(({ text }) => text), (browser.records.get('draft') as DraftRecord).text]
    }
    tab.setOnline(false)
    tab.core.models.draft.setText('Hello')
    await browser.clock.advance(300)
    const before = kept()
    const transactions: unknown[] = []
    onTransaction = () => transactions.push(kept())
    conversation.outbox.send('Hello', { finishesDraft: true })
    await settle()
    expect([before, transactions[0]]).toEqual([
      [[], 'Hello'],
      [['Hello'], ''],
    ])
    expect(tab.core.models.draft.text.value).toBe('')
  })

  it('is no longer saved after the logout', async () => {
    const { browser, tab, draft } = await writing()
    draft.setText('Only Ada’s')
    await tab.core.logout()
    await browser.clock.advance(1000)
    expect([draft.text.value, JSON.stringify([...browser.records])]).toEqual([
      '',
      expect.not.stringContaining('Only Ada'),
    ])
  })

  it('is sent to other tabs once, not letter by letter', async () => {
    const { tabs, clock } = await tabsOfAda(2)
    const seen: string[] = []
    tabs[1].core.models.draft.text.subscribe(text => seen.push(text))
    for (const text of ['H', 'He', 'Hel', 'Hell', 'Hello']) {
      tabs[0].core.models.draft.setText(text)
      await clock.advance(50)
    }
    await clock.advance(300)
    expect(seen).toEqual(['', 'Hello'])
  })

  it.each([true, false])(
    'does not come back from a frozen tab after another tab has sent it (typing: %s)',
    async isTyping => {
      const { tabs, clock, messages } = await tabsOfAda(2)
      const [frozen, other] = tabs
      const draftOf = (tab: typeof other) => tab.core.models.draft
      draftOf(frozen).setText('Hello')
      await clock.advance(300)
      expect(draftOf(other).text.value).toBe('Hello')
      // The browser freezes the tab before the text is saved.
      if (isTyping) draftOf(frozen).setText('Hello!')
      frozen.life.freeze()
      other.core.models.conversation.outbox.send('Hello', { finishesDraft: true })
      await clock.advance(1000)
      draftOf(other).setText('Another')
      await clock.advance(1000)
      frozen.life.thaw()
      await clock.advance(5000)
      expect(messages.at(-1)?.text).toBe('Hello')
      for (const tab of tabs) expect(draftOf(tab).text.value).toBe('Another')
    },
  )

  it('is cut at the limit, and the model says so', async () => {
    const { draft } = await writing()
    draft.setText('x'.repeat(maxDraftLength))
    expect([draft.text.value.length, draft.isTruncated.value]).toEqual([maxDraftLength, false])
    draft.setText(`${'x'.repeat(maxDraftLength - 1)}😀`)
    expect([draft.text.value, draft.isTruncated.value]).toEqual(['x'.repeat(maxDraftLength - 1), true])
    draft.setText('Short')
    expect([draft.text.value, draft.isTruncated.value]).toEqual(['Short', false])
  })
})

describe('an anonymous session that expires in an open page', () => {
  it('leaves its unsent message and draft to the next anonymous session', async () => {
    const { platform, browser } = createAcme()
    const tab = browser.openTab()
    await settle()
    const { conversation, draft } = tab.core.models
    conversation.outbox.send('First')
    await settle()
    const [old] = [...platform.sessions].at(-1) ?? []
    platform.intercept = (_, path) => (path === '/messages' ? problem(503, 'unavailable') : undefined)
    conversation.outbox.send('Unsent')
    draft.setText('Half a')
    await browser.clock.advance(500)
    platform.intercept = () => undefined
    platform.end(old as string, 'expired')
    await browser.clock.advance(5000)
    const [next, session] = [...platform.sessions].at(-1) ?? []
    expect(next).not.toBe(old)
    expect(session?.messages.map(({ text }) => text)).toEqual(['Unsent'])
    expect([conversation.outbox.pending.value, draft.text.value]).toEqual([[], 'Half a'])
    expect(browser.records.get('draft')).toMatchObject({ text: 'Half a' })
  })

  it('leaves nothing to a page that is loaded afterwards', async () => {
    const { platform, browser } = createAcme()
    const tab = browser.openTab()
    await settle()
    tab.core.models.conversation.outbox.send('First')
    await settle()
    const [old] = [...platform.sessions].at(-1) ?? []
    tab.core.models.draft.setText('Half a')
    tab.core.destroy()
    platform.end(old as string, 'expired')
    const next = browser.openTab()
    await browser.clock.advance(5000)
    expect(next.core.models.draft.text.value).toBe('')
    expect(JSON.stringify([...browser.records])).not.toContain('Half a')
  })
})
