// @vitest-environment happy-dom
import { afterEach, describe, expect, it, vi } from 'vitest'
import { checkContext } from '../loader/setContext.ts'
import { settle } from '../testing/fakeClock.ts'
import { adaToken, contactToken, createAcme, graceToken, type Tab } from '../testing/fixtures.ts'
import { createPageContext } from './pageContext.ts'

const bodies = (log: { path: string; body: unknown }[]) =>
  log.filter(({ path }) => path === '/messages').map(({ body }) => body as { text: string; context?: object })

/** Writes a message and returns the context that was sent with it. */
async function contextOf({ core }: Tab, log: Parameters<typeof bodies>[0]) {
  core.models.conversation.outbox.send('Hello')
  await settle()
  return bodies(log).at(-1)?.context
}

describe('the context of a message', () => {
  it('is the context at the time of writing, even if the message is sent later', async () => {
    const { browser, platform } = createAcme()
    const tab = browser.openTab()
    tab.core.models.setContext({ plan: 'pro', cart: 3 })
    tab.setOnline(false)
    tab.core.models.conversation.outbox.send('Hello')
    tab.core.models.setContext({ cart: 4 })
    tab.setOnline(true)
    await browser.clock.advance(5000)
    expect(bodies(platform.log)).toMatchObject([{ text: 'Hello', context: { plan: 'pro', cart: 3 } }])
    expect(await contextOf(tab, platform.log)).toEqual({ cart: 4 })
    tab.core.models.setContext({})
    expect(await contextOf(tab, platform.log)).toBeUndefined()
  })

  it('survives a reload together with the unsent message', async () => {
    const { browser, platform } = createAcme()
    const tab = browser.openTab()
    await settle()
    platform.down = true
    tab.core.models.setContext({ cart: 3 })
    tab.core.models.conversation.outbox.send('Hello')
    await settle()
    tab.core.destroy()
    platform.down = false
    browser.openTab()
    await browser.clock.advance(5000)
    expect(bodies(platform.log)).toMatchObject([{ text: 'Hello', context: { cart: 3 } }])
  })

  it('stays when an anonymous visitor logs in', async () => {
    const { browser, platform } = createAcme()
    const tab = browser.openTab()
    tab.core.models.setContext({ cart: 3 })
    await tab.core.login(adaToken)
    expect(await contextOf(tab, platform.log)).toEqual({ cart: 3 })
  })

  it.each([
    ['a logout', (tab: Tab) => tab.core.logout()],
    ['another contact’s login', (tab: Tab) => tab.core.login(graceToken)],
  ])('is forgotten after %s', async (_, end) => {
    const { browser, platform } = createAcme()
    const tab = browser.openTab()
    await tab.core.login(adaToken)
    tab.core.models.setContext({ plan: 'pro' })
    expect(await contextOf(tab, platform.log)).toEqual({ plan: 'pro' })
    await end(tab)
    expect(await contextOf(tab, platform.log)).toBeUndefined()
  })

  it('is sent again after a login of the same contact with another token', async () => {
    const { browser, platform } = createAcme()
    const other = contactToken('c')
    platform.addContact(other, { id: 'ada', name: 'Ada Lovelace' })
    const tab = browser.openTab()
    await tab.core.login(adaToken)
    tab.core.models.setContext({ plan: 'pro' })
    await tab.core.login(other)
    expect(await contextOf(tab, platform.log)).toEqual({ plan: 'pro' })
  })
})

describe('the context after the page has replaced its document', () => {
  const adaIs = { id: 'ada', name: 'Ada Lovelace' }
  const graceIs = { id: 'grace', name: 'Grace Hopper' }

  it.each([
    ['is still that of the same contact', 'identified', adaIs, { plan: 'pro' }],
    ['is not that of another one', 'identified', graceIs, undefined],
    ['is not that of nobody', 'anonymous', null, undefined],
  ] as const)('%s', (_, state, contact, expected) => {
    const said = { attributes: {}, contactId: null }
    const before = createPageContext(undefined, said)
    before.setVisitor('identified', adaIs)
    before.set({ plan: 'pro' })
    const context = createPageContext(undefined, said)
    context.setVisitor('identifying', null)
    expect(context.read()).toBeUndefined()
    context.setVisitor(state, contact)
    expect(context.read()).toEqual(expected)
  })
})

describe('the option page', () => {
  afterEach(() => {
    history.replaceState(null, '', '/')
    Reflect.deleteProperty(document, 'title')
    document.title = ''
    vi.unstubAllGlobals()
  })

  it('adds origin, path and title, never query or fragment', () => {
    history.replaceState(null, '', '/orders/17?token=secret#secret')
    document.title = 'Your order'
    const { origin } = location
    expect(createPageContext(true).read()).toEqual({
      'page.origin': origin,
      'page.path': '/orders/17',
      'page.title': 'Your order',
    })
    for (const off of [undefined, false, 'false']) expect(createPageContext(off).read()).toBeUndefined()
  })

  it('is the title of the page where a form field covers it, and the message is not lost', () => {
    document.title = 'Your order'
    // As <form name="title"> does.
    Object.defineProperty(document, 'title', { value: document.createElement('form'), configurable: true })
    expect(createPageContext(true).read()).toMatchObject({ 'page.title': 'Your order' })
  })

  it('takes the path from a function, and sends the message even if it throws', () => {
    history.replaceState(null, '', '/reset/secret')
    expect(createPageContext(path => path.replace(/\/reset\/.*/, '/reset/…')).read()).toMatchObject({
      'page.path': '/reset/…',
    })
    const report = vi.fn()
    vi.stubGlobal('reportError', report)
    const fail = () => {
      throw new Error('The page’s mistake')
    }
    expect(createPageContext(fail).read()).toMatchObject({ 'page.path': '' })
    expect(report).toHaveBeenCalledTimes(1)
  })

  it('leaves out facts about the page if the limits would be exceeded, never those that the site has set', () => {
    document.title = 'x'.repeat(600)
    const context = createPageContext(true)
    expect(`${context.read()?.['page.title']}`).toHaveLength(500)
    const twenty = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`k${index}`, index]))
    context.set(twenty)
    expect(context.read()).toEqual(twenty)
    const large = { a: 'x'.repeat(500), b: 'x'.repeat(500), c: 'x'.repeat(500), d: 'x'.repeat(400) }
    context.set(large)
    expect(context.read()).toMatchObject({ ...large, 'page.path': '/' })
    expect(context.read()).not.toHaveProperty('page.title')
  })
})

describe('checkContext', () => {
  it('copies a valid context, and takes null as an empty one', () => {
    const given = { plan: 'pro', cart: 3, 'is.new-x_1': false }
    const copy = checkContext(given)
    expect(copy).toEqual(given)
    expect(copy).not.toBe(given)
    expect(checkContext(null)).toEqual({})
  })

  it.each([
    ['plan', 'string'],
    [undefined, 'undefined'],
    [[1], '0'],
    [{ '1st': 1 }, '1st'],
    [{ ['k'.repeat(41)]: 1 }, 'k'.repeat(41)],
    [{ plan: 'pro', cart: [1] }, 'cart'],
    [{ cart: undefined }, 'cart'],
    [{ cart: Number.NaN }, 'cart'],
    [{ order: 2 ** 53 }, 'order'],
    [{ cart: null }, 'cart'],
    [{ note: 'x'.repeat(501) }, 'note'],
    [{ note: 'a\0b' }, 'note'],
    [{ note: '\ud800' }, 'note'],
    [Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`k${index}`, 1])), 'k20'],
    [{ a: 'ä'.repeat(500), b: 'ä'.repeat(499), c: 'ä'.repeat(400) }, 'c'],
  ])('refuses %j, and names the key', (context, what) => {
    expect(() => checkContext(context)).toThrow(new TypeError(`Natter: setContext can't take "${what}"`))
  })
})
