import { effect } from '@preact/signals-core'
import { describe, expect, it } from 'vitest'
import { settle } from '../testing/fakeClock.ts'
import { htmlPage, openedEvent, problem, shortStream, silentStream } from '../testing/fakePlatform.ts'
import { adaToken, createAcme, shown } from '../testing/fixtures.ts'
import { tabsOfAda } from '../testing/tabFixtures.ts'

async function talking() {
  const acme = createAcme()
  const tab = acme.browser.openTab({ start: false })
  await tab.core.login(adaToken)
  await settle()
  const requests = (path: string) => acme.platform.log.filter(each => each.path === path).length
  return { ...acme, tab, requests, messages: acme.said(adaToken), conversation: tab.core.models.conversation }
}

/** Ends every open stream, as a node does when it shuts down. */
function breakStreams({ streams }: { streams: Set<{ close(): void }> }) {
  for (const stream of streams) stream.close()
  streams.clear()
}

describe('the event stream', () => {
  it('resumes after the last message when it breaks', async () => {
    const { platform, messages, tab, conversation, browser } = await talking()
    for (const stream of platform.streams) stream.close()
    platform.streams.clear()
    platform.say(messages, { text: 'While away' })
    const emitted: string[] = []
    const stop = effect(() => void emitted.push(conversation.connection.value))
    await browser.clock.advance(1000)
    // A node that shuts down ends its streams, which is not shown.
    expect([emitted, shown(tab)]).toEqual([['live'], ['Dear Ada', 'While away']])
    stop()
  })

  it('reconnects as quickly after the tenth break as after the first', async () => {
    const { platform, messages, conversation, browser } = await talking()
    for (let time = 0; time < 10; time++) {
      platform.say(messages, {})
      await settle()
      for (const stream of platform.streams) stream.close()
      platform.streams.clear()
      await browser.clock.advance(600)
      expect(conversation.connection.value).toBe('live')
    }
  })

  it('keeps the format that only the first piece of a reply contains', async () => {
    const { platform, messages, conversation } = await talking()
    const id = '11111111-1111-4111-8111-111111111111'
    platform.emit(messages, { event: 'message.delta', data: { id, offset: 0, text: '**Hel', format: 'markdown' } })
    platform.emit(messages, { event: 'message.delta', data: { id, offset: 5, text: 'lo**' } })
    await settle()
    expect(conversation.reply.streaming.value).toEqual({ id, text: '**Hello**', format: 'markdown' })
  })

  it('does not shorten the retries of a message while it breaks right after each opening', async () => {
    const { platform, conversation, browser } = await talking()
    let tries = 0
    platform.intercept = (_, path, init) => {
      if (path === '/events/stream') return shortStream(openedEvent(init))
      if (path !== '/messages') return undefined
      tries++
      return problem(503, 'unavailable')
    }
    for (const stream of platform.streams) stream.close()
    conversation.outbox.send('Hello')
    await browser.clock.advance(30_000)
    expect(tries).toBeLessThan(10)
    expect(conversation.outbox.pending.value).toMatchObject([{ status: 'waiting' }])
  })

  it('continues after the last message and the last change that have arrived', async () => {
    const { platform, messages, browser } = await talking()
    platform.say(messages, { text: 'Second' })
    platform.remove(messages, 1)
    await settle()
    const bodies: unknown[] = []
    platform.intercept = (_, path, { body }) => {
      if (path === '/events/stream') bodies.push(JSON.parse(`${body}`))
      return undefined
    }
    for (const stream of platform.streams) stream.close()
    await browser.clock.advance(5_000)
    expect(bodies).toMatchObject([{ after: 2, revision: 1 }])
  })

  it('is reopened after 35 s without data', async () => {
    const { platform, browser } = await talking()
    const connections = () => platform.log.filter(({ path }) => path === '/events/stream').length
    await browser.clock.advance(34_000)
    expect(connections()).toBe(1)
    await browser.clock.advance(3000)
    expect(connections()).toBe(2)
    for (let quarter = 0; quarter < 8; quarter++) {
      for (const stream of platform.streams) stream.push(':\n\n')
      await browser.clock.advance(15_000)
    }
    expect(connections()).toBe(2)
  })

  it('is shown as reconnecting when reopening it gets no response for 15 s', async () => {
    const { platform, browser } = createAcme()
    let hangs = false
    const fetch = ((url: string, init: RequestInit) =>
      hangs && url.endsWith('/events/stream')
        ? new Promise((_, reject) => init.signal?.addEventListener('abort', reject))
        : platform.fetch(url, init)) as typeof globalThis.fetch
    const tab = browser.openTab({ start: false, fetch })
    await tab.core.login(adaToken)
    await settle()
    const { connection } = tab.core.models.conversation
    await browser.clock.advance(5000)
    hangs = true
    for (const stream of platform.streams) stream.close()
    await browser.clock.advance(14_000)
    expect(connection.value).toBe('live')
    await browser.clock.advance(2000)
    expect(connection.value).toBe('reconnecting')
    hangs = false
    await browser.clock.advance(2000)
    expect(connection.value).toBe('live')
  })

  it('is still shown as live when a rolling restart breaks it twice in a row', async () => {
    const { platform, browser, conversation } = await talking()
    await browser.clock.advance(5000)
    const shownStates: string[] = []
    const stop = effect(() => void shownStates.push(conversation.connection.value))
    for (let time = 0; time < 2; time++) {
      breakStreams(platform)
      await browser.clock.advance(1000)
    }
    await browser.clock.advance(5000)
    stop()
    expect(shownStates).toEqual(['live'])
  })

  it('is neither reopened 160 times a minute nor shown as live if it always breaks right after opening', async () => {
    const { platform, browser, requests, conversation } = await talking()
    await browser.clock.advance(5000)
    platform.intercept = (_, path, init) => (path === '/events/stream' ? shortStream(openedEvent(init)) : undefined)
    breakStreams(platform)
    await browser.clock.advance(5000)
    const shownStates: string[] = []
    const stop = effect(() => void shownStates.push(conversation.connection.value))
    const before = requests('/events/stream')
    await browser.clock.advance(60_000)
    stop()
    expect(requests('/events/stream') - before).toBeLessThan(6)
    expect(shownStates).toEqual(['reconnecting', 'withoutStream'])
    platform.intercept = () => undefined
    await browser.clock.advance(40_000)
    expect(conversation.connection.value).toBe('live')
  })

  it('is ignored if it does not begin with the nonce of its request', async () => {
    const { platform, browser, tab, conversation } = await talking()
    const foreign = { id: 'x', seq: 2, author: 'bot', text: 'Dear Grace', format: 'plain', createdAt: '' }
    const event = `event: message\ndata: ${JSON.stringify(foreign)}\n\n`
    for (const beginning of ['', 'event: opened\ndata: {"nonce":"of-another-request"}\n\n']) {
      platform.intercept = (_, path) => (path === '/events/stream' ? shortStream(beginning + event) : undefined)
      breakStreams(platform)
      await browser.clock.advance(2400)
      expect([shown(tab), conversation.connection.value]).toEqual([['Dear Ada'], 'reconnecting'])
    }
  })

  it.each([
    ['is held back by a proxy', () => silentStream()],
    ['is refused by a proxy', () => htmlPage(403)],
    ['never gets through a fetch wrapper of the page that awaits the body', () => new Promise<Response>(() => {})],
  ])('is replaced by requests where it %s, until it is live again', async (_, answer) => {
    const { platform, browser, messages, requests, tab, conversation } = await talking()
    platform.intercept = (_, path) => (path === '/events/stream' ? answer() : undefined)
    breakStreams(platform)
    await browser.clock.advance(10_000)
    platform.say(messages, { text: 'By request' })
    await browser.clock.advance(17_000)
    expect(shown(tab)).toEqual(['Dear Ada', 'By request'])
    expect(tab.events.filter(([name]) => name === 'message')).toHaveLength(1)
    conversation.outbox.send('Hello')
    await settle()
    platform.say(messages, { text: 'The answer' })
    await browser.clock.advance(4000)
    expect(shown(tab)).toEqual(['Dear Ada', 'By request', 'Hello', 'The answer'])
    const polled = requests('/messages/list')
    await browser.clock.advance(60_000)
    expect(requests('/messages/list') - polled).toBeLessThan(12)
    platform.intercept = () => undefined
    await browser.clock.advance(120_000)
    const before = requests('/messages/list')
    platform.say(messages, { text: 'Live again' })
    await browser.clock.advance(60_000)
    expect([shown(tab).at(-1), requests('/messages/list') - before]).toEqual(['Live again', 0])
  })

  it('causes no unhandled rejection when a tab that polls leaves the other tabs', async () => {
    const { platform, browser, tabs } = await tabsOfAda(2)
    let isPolled = false
    const slow = Promise.withResolvers<Response>()
    platform.intercept = (_, path) => {
      if (path === '/events/stream') return htmlPage(403)
      if (path !== '/messages/list') return undefined
      isPolled = true
      return slow.promise
    }
    breakStreams(platform)
    await browser.clock.advance(8000)
    expect(isPolled).toBe(true)
    const errors: unknown[] = []
    const onError = (error: unknown) => void errors.push(error)
    process.on('unhandledRejection', onError)
    void tabs[0].core.logout()
    slow.resolve(htmlPage(500))
    await settle()
    await new Promise(resolve => setImmediate(resolve))
    process.off('unhandledRejection', onError)
    expect(errors).toEqual([])
  })

  it('is shown as reconnecting only when polling fails, too', async () => {
    const { platform, browser, conversation } = await talking()
    platform.intercept = (_, path) => (path === '/events/stream' ? htmlPage(403) : undefined)
    breakStreams(platform)
    await browser.clock.advance(4000)
    expect(conversation.connection.value).toBe('reconnecting')
    await browser.clock.advance(2000)
    expect(conversation.connection.value).toBe('withoutStream')
    const states: string[] = []
    const stop = effect(() => void states.push(conversation.connection.value))
    await browser.clock.advance(60_000)
    expect(states).toEqual(['withoutStream'])
    platform.intercept = () => htmlPage(502)
    await browser.clock.advance(40_000)
    stop()
    expect(states).toEqual(['withoutStream', 'reconnecting'])
  })

  it('is not shown as reconnecting while messages between an own one and the last known one are fetched', async () => {
    const { platform, browser, messages, conversation } = await talking()
    platform.intercept = (_, path) => (path === '/events/stream' ? htmlPage(403) : undefined)
    breakStreams(platform)
    await browser.clock.advance(10_000)
    const states: string[] = []
    const stop = effect(() => void states.push(conversation.connection.value))
    platform.say(messages, { text: 'Not seen yet' })
    conversation.outbox.send('Hello')
    await browser.clock.advance(10_000)
    stop()
    expect(states).toEqual(['withoutStream'])
  })

  it('is shown as reconnecting if the network goes while these messages are fetched', async () => {
    const { platform, browser, messages, conversation } = await talking()
    platform.intercept = (method, path) => {
      if (path === '/events/stream') return htmlPage(403)
      // The train enters a tunnel as soon as the message is stored.
      if (method === 'POST' && path === '/messages') queueMicrotask(() => (platform.down = true))
      return undefined
    }
    breakStreams(platform)
    await browser.clock.advance(10_000)
    expect(conversation.connection.value).toBe('withoutStream')
    platform.say(messages, { text: 'Not seen yet' })
    conversation.outbox.send('Hello')
    await browser.clock.advance(120_000)
    expect(conversation.connection.value).toBe('reconnecting')
  })

  it('is replaced by polling in all tabs', async () => {
    const { platform, messages, tabs, clock } = await tabsOfAda(3)
    platform.intercept = (_, path) => (path === '/events/stream' ? htmlPage(403) : undefined)
    breakStreams(platform)
    await clock.advance(10_000)
    platform.say(messages, { text: 'By request' })
    await clock.advance(17_000)
    for (const tab of tabs) expect(shown(tab)).toEqual(['Dear Ada', 'By request'])
  })

  it.each(['visible', 'hidden'])('is replaced by polling while its chunk cannot be loaded, in a %s tab', async how => {
    const { platform, browser, said } = createAcme()
    let isLoadable = false
    const tab = browser.openTab({ start: false, hidden: how === 'hidden', canLoadStreams: () => isLoadable })
    await tab.core.login(adaToken)
    await browser.clock.advance(10_000)
    platform.say(said(adaToken), { text: 'While it fails' })
    await browser.clock.advance(16_000)
    expect([shown(tab).at(-1), tab.core.models.conversation.connection.value]).toEqual([
      'While it fails',
      'withoutStream',
    ])
    isLoadable = true
    await browser.clock.advance(30_000)
    expect(tab.core.models.conversation.connection.value).toBe('live')
  })

  it('is opened although navigator.onLine is false', async () => {
    const { platform, browser, tab, messages, said, conversation } = await talking()
    tab.hintOnline(false)
    await settle()
    expect(conversation.connection.value).toBe('live')
    platform.say(messages, { text: 'It works' })
    conversation.outbox.send('So does this')
    await settle()
    expect([shown(tab), said(adaToken).length]).toEqual([['Dear Ada', 'It works', 'So does this'], 3])
    tab.setOnline(false)
    await browser.clock.advance(60_000)
    expect(conversation.connection.value).toBe('offline')
    // The network is back, but navigator.onLine stays false.
    tab.setOnline(true)
    tab.hintOnline(false)
    await browser.clock.advance(40_000)
    expect(conversation.connection.value).toBe('live')
  })

  it('is shown as offline within a second when the network is gone, and as live within a second when it is back', async () => {
    const { browser, tab, conversation } = await talking()
    tab.setOnline(false)
    await browser.clock.advance(1000)
    expect(conversation.connection.value).toBe('offline')
    tab.setOnline(true)
    await browser.clock.advance(1000)
    expect(conversation.connection.value).toBe('live')
  })
})
