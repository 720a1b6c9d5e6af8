import { describe, expect, it } from 'vitest'
import { settle } from '../testing/fakeClock.ts'
import { adaToken, createAcme, graceToken, outcome, shown, status } from '../testing/fixtures.ts'

/** Two tabs, in one of which a login is under way. */
async function withLogin(locks: boolean) {
  const acme = createAcme()
  const { browser, platform } = acme
  const one = browser.openTab({ locks })
  const other = browser.openTab({ locks })
  await settle()
  const answered = Promise.withResolvers<void>()
  platform.intercept = (_, path, init) => {
    if (path !== '/session/retrieve' || !`${new Headers(init.headers).get('authorization')}`.includes(adaToken)) return
    return answered.promise.then(() => {
      platform.intercept = () => undefined
      return platform.fetch(`https://chat.example/widget${path}`, init)
    })
  }
  const login = outcome(one.core.login(adaToken))
  await settle()
  return { ...acme, one, other, login, answer: answered.resolve }
}

describe('a login whose page is closed before it finishes', () => {
  it('ends within a second for the next page load and for other tabs', async () => {
    const { browser, one, other } = await withLogin(true)
    expect(status(other)).toBe('identifying')
    one.life.die()
    const next = browser.openTab()
    expect(status(next)).toBe('identifying')
    await browser.clock.advance(1000)
    expect([status(other), status(next)]).toEqual(['anonymous', 'anonymous'])
  })

  it('ends after 12 s if the browser has no locks', async () => {
    const { browser, one, other } = await withLogin(false)
    one.life.die()
    await browser.clock.advance(11_000)
    expect(status(other)).toBe('identifying')
    await browser.clock.advance(1000)
    expect(status(other)).toBe('anonymous')
  })
})

describe('a login that the platform has not answered yet', () => {
  it.each([true, false])('makes other tabs wait for its result (with locks: %s)', async locks => {
    const { browser, one, other, login, answer } = await withLogin(locks)
    const next = browser.openTab({ locks })
    await browser.clock.advance(8000)
    for (const tab of [other, next]) expect([status(tab), shown(tab)]).toEqual(['identifying', []])
    answer()
    expect(await login).toBe('Ada Lovelace')
    await browser.clock.advance(1000)
    for (const tab of [one, other, next]) expect([status(tab), shown(tab)]).toEqual(['identified', ['Dear Ada']])
  })

  it('keeps other tabs waiting if a login in another tab replaces it', async () => {
    const { browser, other, login, platform } = await withLogin(true)
    const third = browser.openTab()
    await settle()
    const slow = new Promise<undefined>(resolve => void browser.clock.setTimeout(() => resolve(undefined), 5000))
    const { fetch } = platform
    platform.intercept = (_, path, init) => {
      if (path !== '/session/retrieve') return undefined
      platform.intercept = () => undefined
      return slow.then(() => fetch(`https://chat.example/widget${path}`, init))
    }
    const next = outcome(other.core.login(graceToken))
    await browser.clock.advance(4000)
    expect([await login, status(third)]).toEqual(['superseded', 'identifying'])
    await browser.clock.advance(2000)
    expect([await next, status(third), shown(third)]).toEqual(['Grace Hopper', 'identified', ['Dear Grace']])
  })

  it('holds its lock until it succeeds or a logout replaces it', async () => {
    const { browser, one, login, answer } = await withLogin(true)
    expect(browser.origin.held()).toContain('natter:bot:session')
    answer()
    await login
    await settle()
    expect(browser.origin.held()).not.toContain('natter:bot:session')
    void outcome(one.core.login(graceToken))
    await settle()
    await one.core.logout()
    await settle()
    expect(browser.origin.held()).not.toContain('natter:bot:session')
  })
})

describe('a login when localStorage is full', () => {
  it('identifies the contact in every open tab if an identity was stored before', async () => {
    const { browser, one, other, login, answer } = await withLogin(true)
    await one.core.logout()
    browser.faults.isFull = true
    answer()
    await login
    expect(await outcome(one.core.login(adaToken))).toBe('Ada Lovelace')
    await browser.clock.advance(30_000)
    for (const tab of [one, other]) expect([status(tab), shown(tab)]).toEqual(['identified', ['Dear Ada']])
  })

  it('identifies the contact in its own tab only if nothing could ever be stored', async () => {
    const { browser } = createAcme()
    browser.faults.isFull = true
    const one = browser.openTab()
    const other = browser.openTab()
    await browser.clock.advance(10_000)
    await one.core.login(adaToken)
    await browser.clock.advance(30_000)
    expect([status(one), shown(one), status(other)]).toEqual(['identified', ['Dear Ada'], 'anonymous'])
  })
})

it('the contact of a login whose page was left at once keeps what it writes on the next page before the platform answers', async () => {
  const { browser, platform, said } = createAcme()
  // IndexedDB takes a moment, and the visitor follows a link.
  const login = browser.openTab()
  await settle()
  let isMoved = false
  const { set } = browser.records
  browser.records.set = (key, record) => {
    set.call(browser.records, key, record)
    isMoved = true
    return browser.records
  }
  void login.core.login(adaToken).catch(() => {})
  while (!browser.token() || !isMoved) await Promise.resolve()
  login.fire('pagehide')
  login.life.die()
  expect(browser.token()).toBe(adaToken)
  await settle()
  expect(browser.records.get('meta')).toMatchObject({ owner: '' })
  // The next page: the platform is slow.
  platform.intercept = (_, path) => (path === '/session/retrieve' ? new Promise(() => {}) : undefined)
  const next = browser.openTab()
  await settle()
  next.core.models.conversation.outbox.send('Held')
  await browser.clock.advance(1000)
  next.fire('pagehide')
  next.life.die()
  platform.intercept = () => undefined
  const last = browser.openTab()
  await browser.clock.advance(60_000)
  expect([said(adaToken).at(-1)?.text, shown(last).at(-1)]).toEqual(['Held', 'Held'])
})
