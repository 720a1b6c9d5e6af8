import { describe, expect, it } from 'vitest'
import { storageKey } from '../identity/storedIdentity.ts'
import { settle } from '../testing/fakeClock.ts'
import { problem } from '../testing/fakePlatform.ts'
import { ada, adaToken, contactToken, createAcme, createMemoryUpdate, graceToken } from '../testing/fixtures.ts'
import { storedDraft, tabsOfAda } from '../testing/tabFixtures.ts'
import { maxDraftLength } from './draft.ts'

async function writing() {
  const acme = createAcme()
  const { browser } = acme
  const tab = browser.openTab({ start: false })
  await tab.core.login(adaToken)
  await settle()
  return { ...acme, tab, kept: () => storedDraft(browser), draft: tab.core.models.draft }
}

describe('the draft', () => {
  it('is saved 300 ms after a key, and with the next one 300 ms later', async () => {
    const { browser, draft, kept } = await writing()
    for (const text of ['H', 'He', 'Hel', 'Hell', 'Hello']) {
      draft.setText(text)
      await browser.clock.advance(50)
    }
    expect(kept()).toBe('')
    await browser.clock.advance(50)
    expect(kept()).toBe('Hello')
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

  it('is stored on pagehide, and shown again on pageshow', async () => {
    const { tab, draft, kept } = await writing()
    draft.setText('Hello')
    tab.fire('pagehide')
    expect([draft.text.value, kept()]).toEqual(['', 'Hello'])
    tab.fire('pageshow')
    await settle()
    expect([draft.text.value, kept()]).toEqual(['Hello', 'Hello'])
  })

  it.each(['a key', 'pagehide', 'pageshow', 'destroy'])(
    'is not written after another tab has logged out, though this one has not noticed: %s',
    async how => {
      const { tabs, clock, local } = await tabsOfAda(2)
      const [tab, other] = tabs
      tab.deafen(true)
      tab.core.models.draft.setText('Only')
      await clock.advance(300)
      expect(storedDraft({ local })).toBe('Only')
      if (how === 'pageshow') tab.fire('pagehide')
      else tab.core.models.draft.setText('Only Ada’s')
      void other.core.logout()
      expect(storedDraft({ local })).toBe('')
      if (how === 'destroy') tab.core.destroy()
      else if (how !== 'a key') tab.fire(how as 'pagehide')
      await clock.advance(1000)
      expect([...local.values()].join()).not.toContain('Only')
    },
  )

  it.each(['storage', 'start'])('of another epoch is deleted: %s', async how => {
    const { browser, tab, draft, kept } = await writing()
    draft.setText('Late')
    await browser.clock.advance(300)
    const key = storageKey('bot', 'draft')
    const late = `${browser.local.get(key)}`
    await tab.core.logout()
    await settle()
    browser.local.set(key, late)
    if (how === 'storage') tab.fire('storage')
    else browser.openTab()
    expect(kept()).toBe('')
  })

  it.each(['pagehide', 'after 300 ms'])(
    'is stored again if a late write of another epoch has replaced it: %s',
    async when => {
      const { browser, tab, draft, kept } = await writing()
      draft.setText('Hello')
      await browser.clock.advance(300)
      browser.local.set(storageKey('bot', 'draft'), JSON.stringify({ epoch: '1.others', owner: '', text: 'Late' }))
      tab.fire('storage')
      expect([draft.text.value, kept()]).toEqual(['Hello', ''])
      if (when === 'pagehide') tab.fire('pagehide')
      else await browser.clock.advance(300)
      expect(kept()).toBe('Hello')
    },
  )

  it('is saved when the page destroys the widget', async () => {
    const { tab, draft, kept } = await writing()
    draft.setText('Hello')
    tab.core.destroy()
    await settle()
    expect(kept()).toBe('Hello')
  })

  it('stays in storage until the message is there, and is not shown again meanwhile', async () => {
    const acme = createAcme()
    const { browser } = acme
    const update = createMemoryUpdate(browser.records)
    let store = Promise.resolve()
    const tab = browser.openTab({ start: false, update: (...request) => store.then(() => update(...request)) })
    await tab.core.login(adaToken)
    await settle()
    const { conversation, draft } = tab.core.models
    tab.setOnline(false)
    draft.setText('Hello')
    let proceed = () => {}
    store = new Promise(resolve => {
      proceed = resolve
    })
    conversation.outbox.send('Hello', { finishesDraft: true })
    await settle()
    tab.fire('storage')
    expect([draft.text.value, storedDraft(browser)]).toEqual(['', 'Hello'])
    proceed()
    await settle()
    expect([draft.text.value, storedDraft(browser)]).toEqual(['', ''])
    expect(JSON.stringify(browser.records.get('outbox'))).toContain('Hello')
  })

  it('is not removed by a message if another tab has changed it meanwhile', async () => {
    const { tabs, clock, local } = await tabsOfAda(2)
    const [tab, other] = tabs
    tab.core.models.draft.setText('Hello')
    await clock.advance(300)
    tab.core.models.conversation.outbox.send('Hello', { finishesDraft: true })
    other.core.models.draft.setText('Hello, and')
    other.fire('visibilitychange')
    await clock.advance(1000)
    expect([tab, other].map(({ core }) => core.models.draft.text.value)).toEqual(['Hello, and', 'Hello, and'])
    expect(storedDraft({ local })).toBe('Hello, and')
  })

  it('is no longer saved after the logout', async () => {
    const { browser, tab, draft } = await writing()
    draft.setText('Only Ada’s')
    await tab.core.logout()
    await browser.clock.advance(1000)
    expect([draft.text.value, JSON.stringify([...browser.local])]).toEqual([
      '',
      expect.not.stringContaining('Only Ada'),
    ])
  })

  it('is shown in other tabs, not letter by letter', async () => {
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

  it('does not come back from a frozen tab after another tab has sent it', async () => {
    const { tabs, clock, messages } = await tabsOfAda(2)
    const [frozen, other] = tabs
    const draftOf = (tab: typeof other) => tab.core.models.draft
    draftOf(frozen).setText('Hello')
    await clock.advance(300)
    expect(draftOf(other).text.value).toBe('Hello')
    frozen.life.freeze()
    other.core.models.conversation.outbox.send('Hello', { finishesDraft: true })
    await clock.advance(1000)
    draftOf(other).setText('Another')
    await clock.advance(1000)
    frozen.life.thaw()
    await clock.advance(5000)
    expect(messages.at(-1)?.text).toBe('Hello')
    for (const tab of tabs) expect(draftOf(tab).text.value).toBe('Another')
  })

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
    expect(storedDraft(browser)).toBe('Half a')
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
    expect(JSON.stringify([...browser.local])).not.toContain('Half a')
  })
})
