import { effect } from '@preact/signals-core'
import { describe, expect, it } from 'vitest'
import { settle } from '../testing/fakeClock.ts'
import { adaToken, createAcme } from '../testing/fixtures.ts'

describe('without a stream, before the visitor has written', () => {
  function opened() {
    const { platform, browser } = createAcme()
    const tab = browser.openTab()
    return { platform, browser, tab, conversation: tab.core.models.conversation }
  }

  it('offline is shown at once when the browser loses the network, until it is back', async () => {
    const { platform, browser, tab, conversation } = opened()
    await settle()
    tab.setOnline(false)
    await settle()
    expect(conversation.connection.value).toBe('offline')
    tab.setOnline(true)
    await settle()
    expect(conversation.connection.value).toBe('idle')
    const before = platform.log.length
    await browser.clock.advance(60_000)
    expect(platform.log.length).toBe(before)
  })

  it('offline is not shown while requests work, whatever navigator.onLine says', async () => {
    const { platform, browser, tab, conversation } = opened()
    await settle()
    const states: string[] = []
    const stop = effect(() => void states.push(conversation.connection.value))
    tab.hintOnline(false)
    await browser.clock.advance(60_000)
    expect(states).toEqual(['idle'])
    platform.intercept = () => Promise.reject(new TypeError('Failed to fetch'))
    tab.hintOnline(false)
    await browser.clock.advance(60_000)
    // The network is back, but navigator.onLine stays false.
    platform.intercept = () => undefined
    await browser.clock.advance(30_000)
    stop()
    expect(states).toEqual(['idle', 'offline', 'idle'])
  })

  it('offline is shown although the browser has cached the profile of the bot', async () => {
    const { platform, browser } = createAcme()
    let hasNetwork = true
    const fetch = (async (url: string, init: RequestInit) => {
      const isCached = url.endsWith('/widget') && init.cache !== 'no-store'
      if (!hasNetwork && !isCached) throw new TypeError('Failed to fetch')
      return platform.fetch(url, init)
    }) as typeof globalThis.fetch
    const tab = browser.openTab({ fetch })
    tab.core.setOpen(true)
    await settle()
    hasNetwork = false
    tab.hintOnline(false)
    await settle()
    expect(tab.core.models.conversation.connection.value).toBe('offline')
  })
})

describe('the event stream', () => {
  it('reconnects after a time offline', async () => {
    const { platform, browser } = createAcme()
    const tab = browser.openTab({ start: false })
    await tab.core.login(adaToken)
    for (let time = 0; time < 3; time++) {
      tab.setOnline(false)
      await browser.clock.advance(1000)
      tab.setOnline(true)
      await browser.clock.advance(1000)
    }
    expect([tab.core.models.conversation.connection.value, platform.streams.size]).toEqual(['live', 1])
  })

  it('reconnects after a time offline while the history is still loading', async () => {
    const { platform, browser, said } = createAcme()
    const tab = browser.openTab({ start: false })
    platform.intercept = (_, path) => (path === '/messages/list' ? new Promise<Response>(() => {}) : undefined)
    await tab.core.login(adaToken)
    await settle()
    tab.setOnline(false)
    tab.setOnline(true)
    await settle()
    tab.core.models.conversation.outbox.send('Hello')
    await settle()
    expect(said(adaToken).at(-1)?.text).toBe('Hello')
  })
})
