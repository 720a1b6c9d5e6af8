// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createRouter, parseRoute, takeOidcResponse } from './router.ts'

const parse = (path: string) => parseRoute(new URL(path, 'https://chat.example'))

describe('addresses', () => {
  it.each([
    ['/desk', { page: 'inbox', view: 'waiting', filters: '', conversationId: null }],
    ['/desk/mine', { page: 'inbox', view: 'mine', filters: '', conversationId: null }],
    ['/desk/constructor', { page: 'inbox', view: 'waiting', filters: '', conversationId: null }],
    ['/desk/c/abc?view=bot', { page: 'inbox', view: 'bot', filters: '', conversationId: 'abc' }],
    [
      '/desk/c/abc?view=all&x=1&days=7&query=a+b',
      { page: 'inbox', view: 'all', filters: 'query=a+b&days=7', conversationId: 'abc' },
    ],
    ['/desk/c/abc', { page: 'inbox', view: 'all', filters: '', conversationId: 'abc' }],
    ['/desk/saved', { page: 'saved' }],
    ['/desk/team', { page: 'team', tab: 'members' }],
    ['/desk/team/audit', { page: 'team', tab: 'audit' }],
    ['/desk/numbers', { page: 'numbers', days: 30, bot: '' }],
    ['/desk/numbers?days=7&bot=b1', { page: 'numbers', days: 7, bot: 'b1' }],
    ['/desk/numbers?days=8', { page: 'numbers', days: 30, bot: '' }],
    ['/desk/bots', { page: 'bots', botId: null }],
    ['/desk/bots/abc', { page: 'bots', botId: 'abc' }],
    ['/desk/invite#secret', { page: 'invitation', token: 'secret' }],
  ])('%s', (path, route) => {
    expect(parse(path)).toEqual(route)
  })
})

describe('the router', () => {
  let stop = () => {}
  beforeEach(() => {
    history.replaceState(null, '', '/desk/waiting')
  })
  afterEach(() => {
    stop()
    document.body.innerHTML = ''
  })

  /** Clicks what is inside of a link. Returns whether the router has followed it. */
  function click(html: string, init: MouseEventInit = {}) {
    let isFollowed = false
    document.body.innerHTML = html
    addEventListener(
      'click',
      event => {
        isFollowed = event.defaultPrevented
        event.preventDefault()
      },
      { once: true },
    )
    const event = new MouseEvent('click', { bubbles: true, cancelable: true, ...init })
    document.body.querySelector('span, a')?.dispatchEvent(event)
    return isFollowed
  }

  it('removes the token of an invitation from the address bar', () => {
    history.replaceState(null, '', '/desk/invite#secret')
    const router = createRouter()
    expect(router.route.value).toEqual({ page: 'invitation', token: 'secret' })
    expect(location.href).toBe(`${location.origin}/desk/invite`)
  })

  it('removes what the provider has sent back from the address bar', () => {
    expect(takeOidcResponse()).toBeUndefined()
    expect(location.pathname).toBe('/desk/waiting')
    history.replaceState(null, '', '/desk/oidc/callback?code=secret&state=b')
    const steps = history.length
    expect(takeOidcResponse()).toBe('code=secret&state=b')
    expect([location.href, history.length]).toEqual([`${location.origin}/desk/waiting`, steps])
  })

  it('follows a link of the desk, also from inside of it', () => {
    const router = createRouter()
    stop = router.start()
    expect(click('<a href="/desk/c/7?view=mine"><span></span></a>')).toBe(true)
    expect(router.route.value).toEqual({ page: 'inbox', view: 'mine', filters: '', conversationId: '7' })
    expect(location.pathname).toBe('/desk/c/7')
  })

  it('asks whether a page is left, for links and the back button, and shows it until then', () => {
    const router = createRouter()
    stop = router.start()
    router.go('/desk/bots/b1')
    let leave = () => {}
    const end = router.confirmLeave(go => {
      leave = go
    })
    click('<a href="/desk/mine"></a>')
    expect([location.pathname, router.route.value.page]).toEqual(['/desk/bots/b1', 'bots'])
    history.replaceState(null, '', '/desk/all')
    dispatchEvent(new PopStateEvent('popstate'))
    expect([location.pathname, router.route.value.page]).toEqual(['/desk/bots/b1', 'bots'])
    leave()
    expect(router.route.value).toMatchObject({ page: 'inbox', view: 'all' })
    end()
    click('<a href="/desk/mine"></a>')
    expect(router.route.value).toMatchObject({ view: 'mine' })
  })

  it('loads the page again if the browser has kept it, with what a former member has seen', () => {
    const reload = vi.spyOn(location, 'reload').mockImplementation(() => {})
    stop = createRouter().start()
    dispatchEvent(Object.assign(new Event('pageshow'), { persisted: false }))
    expect(reload).not.toHaveBeenCalled()
    dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true }))
    expect(reload).toHaveBeenCalledOnce()
  })

  it('leaves other links, and those for a new tab, to the browser', () => {
    const router = createRouter()
    stop = router.start()
    expect(click('<a href="/desk/mine"></a>', { ctrlKey: true })).toBe(false)
    expect(click('<a href="/desk/mine" target="_blank"></a>')).toBe(false)
    expect(click('<a href="/desk/api/conversations/7/attachments/8"></a>')).toBe(false)
    expect(click('<a href="/docs"></a>')).toBe(false)
    expect(click('<a href="https://shop.example/desk/mine"></a>')).toBe(false)
    expect(router.route.value).toMatchObject({ view: 'waiting' })
  })
})
