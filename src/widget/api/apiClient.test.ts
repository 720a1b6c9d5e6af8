import { describe, expect, it } from 'vitest'
import { settle } from '../testing/fakeClock.ts'
import { htmlPage, problem, reply } from '../testing/fakePlatform.ts'
import { adaToken, createAcme, outcome, shown } from '../testing/fixtures.ts'

async function signIn() {
  const acme = createAcme()
  const tab = acme.browser.openTab({ start: false })
  await tab.core.login(adaToken)
  await settle()
  const requests = (path: string) => acme.platform.log.filter(each => each.path === path)
  return { ...acme, tab, requests, conversation: tab.core.models.conversation }
}

/** A response that a service worker has cached for another person. */
const messageOfGrace = { id: 'g', seq: 1, author: 'bot', text: 'Dear Grace', format: 'plain', createdAt: '' }
const sessionOfGrace = {
  contact: { id: 'grace', name: 'Grace Hopper' },
  conversation: { lastSeq: 1, readSeq: 0, unread: 1, revision: 0 },
}

describe('a response that belongs to another request', () => {
  it.each([
    ['without a nonce', {}],
    ['with the nonce of another request', { nonce: 'AAAAAAAAAAAAAAAA' }],
  ])('identifies nobody, is not stored and is requested again: %s', async (_, envelope) => {
    const { platform, browser } = createAcme()
    platform.intercept = (_, path) => (path === '/session/retrieve' ? reply(200, sessionOfGrace, envelope) : undefined)
    const tab = browser.openTab({ start: false })
    const login = outcome(tab.core.login(adaToken))
    await browser.clock.advance(2000)
    expect(tab.core.contact()).toBeNull()
    platform.intercept = () => undefined
    await browser.clock.advance(2000)
    expect([await login, shown(tab)]).toEqual(['Ada Lovelace', ['Dear Ada']])
    expect(JSON.stringify([...browser.records])).not.toContain('race')
  })

  it.each([
    ['without a nonce', {}],
    ['with the nonce of another request', { nonce: 'AAAAAAAAAAAAAAAA' }],
  ])('shows and stores no message and is requested again: %s', async (_, envelope) => {
    const { platform, browser } = createAcme()
    platform.intercept = (_, path) =>
      path === '/messages/list' ? reply(200, [messageOfGrace], { revision: 0, ...envelope }) : undefined
    const tab = browser.openTab({ start: false })
    await tab.core.login(adaToken)
    await browser.clock.advance(2000)
    expect([shown(tab), JSON.stringify([...browser.records])]).toEqual([[], expect.not.stringContaining('Grace')])
    platform.intercept = () => undefined
    await browser.clock.advance(5000)
    expect(shown(tab)).toEqual(['Dear Ada'])
  })

  it('is recognized by a nonce, which is new for each attempt', async () => {
    const { platform, browser } = createAcme()
    const nonces = new Set<string>()
    platform.intercept = (_, path, { body }) => {
      if (path !== '/session/retrieve') return undefined
      nonces.add((JSON.parse(String(body)) as { nonce: string }).nonce)
      return problem(503, 'unavailable')
    }
    void outcome(browser.openTab({ start: false }).core.login(adaToken))
    await browser.clock.advance(3000)
    expect(nonces.size).toBeGreaterThan(2)
    for (const nonce of nonces) expect(nonce).toMatch(/^[A-Za-z0-9_-]{16,64}$/)
  })
})

describe('an error response', () => {
  it.each([
    ['is a page of a proxy', () => htmlPage(401)],
    ['has a code that the platform does not know for tokens', () => problem(401, 'proxy_authentication')],
    ['only looks like a problem', () => problem(401, 'token_expired', { 'content-type': 'application/json' })],
  ])('neither ends the session nor deletes the unsent message if it %s', async (_, respond) => {
    const { platform, browser, tab, said, conversation } = await signIn()
    platform.intercept = (_, path) => (path === '/messages' ? respond() : undefined)
    tab.core.models.draft.setText('Half a')
    conversation.outbox.send('Unsent')
    await browser.clock.advance(3000)
    expect(tab.core.contact()?.id).toBe('ada')
    expect(conversation.outbox.pending.value).toMatchObject([{ text: 'Unsent', status: 'waiting' }])
    expect(tab.core.models.draft.text.value).toBe('Half a')
    platform.intercept = () => undefined
    await browser.clock.advance(10_000)
    expect(said(adaToken).at(-1)?.text).toBe('Unsent')
  })

  it.each([
    ['token_expired', 'expired'],
    ['token_revoked', 'revoked'],
    ['unauthorized', 'revoked'],
    ['contact_deleted', 'contact_deleted'],
  ])('ends the session if its code is %s', async (code, reason) => {
    const { platform, tab, conversation } = await signIn()
    platform.intercept = (_, path) => (path === '/messages' ? problem(401, code) : undefined)
    conversation.outbox.send('Too late')
    await settle()
    expect([tab.core.contact(), tab.core.models.session.endReason.value]).toEqual([null, reason])
  })

  it('that is permanent is not retried: the history', async () => {
    const { platform, browser } = createAcme()
    platform.intercept = (_, path) => (path === '/messages/list' ? problem(404, 'not_found') : undefined)
    const tab = browser.openTab({ start: false })
    await tab.core.login(adaToken)
    await browser.clock.advance(600_000)
    const requests = () => platform.log.filter(({ path }) => path === '/messages/list').length
    expect([requests(), tab.core.models.conversation.messageStore.history.value]).toEqual([1, 'failed'])
    platform.intercept = () => undefined
    await tab.core.models.conversation.messageStore.loadOlder()
    expect([requests(), shown(tab)]).toEqual([2, ['Dear Ada']])
    expect(tab.core.models.conversation.messageStore.history.value).toBe('complete')
  })

  it('that is permanent is not retried: the session', async () => {
    const { platform, browser, tab } = await signIn()
    tab.core.destroy()
    platform.intercept = (_, path) => (path === '/session/retrieve' ? problem(403, 'origin_not_allowed') : undefined)
    const before = platform.log.length
    browser.openTab()
    await browser.clock.advance(600_000)
    expect(platform.log.length - before).toBe(1)
  })
})

describe('a fetch replaced by the page that never settles', () => {
  it('is given up after 15 s, although it ignores the signal', async () => {
    const { platform, browser } = createAcme()
    let calls = 0
    const fetch = ((url: string, init: RequestInit) =>
      calls++ ? platform.fetch(url, init) : new Promise(() => {})) as typeof globalThis.fetch
    const tab = browser.openTab({ start: false, fetch })
    tab.core.setOpen(true)
    await browser.clock.advance(17_000)
    expect(tab.core.models.conversation.botProfile.status.value).toBe('ready')
  })
})

it('a request that is no longer wanted is aborted with a reason that says so, for a page that wraps fetch', async () => {
  const { platform, browser } = createAcme()
  const reasons: unknown[] = []
  platform.intercept = (_, path, { signal }) => {
    if (path !== '/session/retrieve') return undefined
    signal?.addEventListener('abort', () => reasons.push(signal.reason))
    return new Promise(() => {})
  }
  const tab = browser.openTab({ start: false, fetch: (url, init) => platform.fetch(url, init) })
  void outcome(tab.core.login(adaToken))
  await browser.clock.advance(9000)
  void tab.core.logout()
  await settle()
  expect(reasons).toEqual(['Natter: nobody waits for this request any more'])
})
