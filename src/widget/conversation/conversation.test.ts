import { describe, expect, it } from 'vitest'
import { settle } from '../testing/fakeClock.ts'
import { problem, reply } from '../testing/fakePlatform.ts'
import { adaToken, createAcme, shown } from '../testing/fixtures.ts'

async function talking(before = 0) {
  const acme = createAcme()
  const messages = acme.said(adaToken)
  for (let each = 0; each < before; each++) acme.platform.say(messages, {})
  const tab = acme.browser.openTab({ start: false })
  await tab.core.login(adaToken)
  await settle()
  return { ...acme, tab, messages, conversation: tab.core.models.conversation }
}

describe('the conversation', () => {
  it('shows each message of the stream once, and emits an event for it', async () => {
    const { platform, messages, tab } = await talking()
    const message = platform.say(messages, { text: 'Live' })
    platform.emit(messages, { event: 'message', data: message })
    await settle()
    expect(shown(tab)).toEqual(['Dear Ada', 'Live'])
    expect(tab.events.filter(([name]) => name === 'message')).toEqual([['message', message]])
  })

  it('loads the history page by page', async () => {
    const { tab, conversation } = await talking(69)
    expect([shown(tab).length, conversation.messageStore.history.value]).toEqual([30, 'more'])
    await conversation.messageStore.loadOlder()
    expect([shown(tab).length, conversation.messageStore.history.value]).toEqual([60, 'more'])
    await conversation.messageStore.loadOlder()
    expect([shown(tab).length, conversation.messageStore.history.value]).toEqual([70, 'complete'])
    expect(conversation.messageStore.messages.value.map(({ seq }) => seq)).toEqual(
      Array.from({ length: 70 }, (_, at) => at + 1),
    )
    expect(tab.events.filter(([name]) => name === 'message')).toEqual([])
  })

  it('reports no failure of a history that is on its way when the session ends', async () => {
    const { browser, platform } = createAcme()
    const tab = browser.openTab({ start: false })
    platform.intercept = (_, path) => (path === '/messages/list' ? new Promise(() => {}) : undefined)
    await tab.core.login(adaToken)
    await settle()
    await tab.core.logout()
    await settle()
    expect(tab.events.filter(([name]) => name === 'error')).toEqual([])
    expect(tab.core.models.conversation.messageStore.history.value).not.toBe('failed')
  })

  it('stays complete, with its greeting, while messages are polled after retention has deleted the beginning', async () => {
    const { platform, messages, conversation, browser } = await talking(40)
    // The platform has deleted the first 20.
    platform.intercept = (_, path, { body }) => {
      const { before = Infinity, nonce } = JSON.parse(`${body ?? '{}'}`) as { before?: number; nonce: string }
      const kept = messages.filter(({ seq }) => seq > 20 && seq < before)
      if (path === '/messages/list') return reply(200, kept.slice(-30), { nonce, revision: 0 })
      return path === '/events/stream' ? problem(503, 'unavailable') : undefined
    }
    const { history, loadOlder } = conversation.messageStore
    await loadOlder()
    expect(history.value).toBe('complete')
    const seen: string[] = []
    const stop = history.subscribe(status => seen.push(status))
    for (const stream of platform.streams) stream.close()
    for (let poll = 0; poll < 4; poll++) {
      await browser.clock.advance(16_000)
      platform.say(messages, {})
    }
    stop()
    expect([conversation.connection.value, conversation.messageStore.messages.value.at(-1)?.seq]).toEqual([
      'withoutStream',
      44,
    ])
    expect(seen).toEqual(['complete'])
  })

  it('shows that older messages could not be loaded, and can retry', async () => {
    const { platform, conversation, tab } = await talking(40)
    platform.intercept = (_, path) => (path === '/messages/list' ? problem(500, 'internal') : undefined)
    await conversation.messageStore.loadOlder()
    expect(conversation.messageStore.history.value).toBe('failed')
    expect(tab.events).toContainEqual(['error', { code: 'history_failed' }])
    platform.intercept = () => undefined
    await conversation.messageStore.loadOlder()
    expect(conversation.messageStore.history.value).toBe('complete')
  })

  it('reports once that the history is refused for good, and again if a retry is refused', async () => {
    const { platform, browser } = createAcme()
    platform.intercept = (_, path) => (path === '/messages/list' ? problem(403, 'forbidden') : undefined)
    const tab = browser.openTab({ start: false })
    await tab.core.login(adaToken)
    await settle()
    const failures = () => tab.events.filter(([name]) => name === 'error')
    expect(failures()).toEqual([['error', { code: 'history_failed' }]])
    await tab.core.models.conversation.messageStore.loadOlder()
    expect(failures()).toHaveLength(2)
  })

  it('shows that the first page could not be loaded, and retries on its own', async () => {
    const { platform, browser } = createAcme()
    platform.intercept = (_, path) => (path === '/messages/list' ? problem(500, 'internal') : undefined)
    const tab = browser.openTab({ start: false })
    await tab.core.login(adaToken)
    await settle()
    const { conversation } = tab.core.models
    expect(conversation.messageStore.history.value).toBe('failed')
    platform.intercept = () => undefined
    await conversation.messageStore.loadOlder()
    await settle()
    expect([conversation.messageStore.history.value, shown(tab)]).toEqual(['complete', ['Dear Ada']])
  })

  it('ignores pieces of a reply that the history already contains', async () => {
    const { platform, messages, tab, conversation } = await talking()
    const message = platform.say(messages, { text: 'Whole' })
    platform.emit(messages, { event: 'message', data: message })
    await settle()
    platform.emit(messages, { event: 'message.delta', data: { id: message.id, offset: 0, text: 'Who' } })
    await settle()
    expect([shown(tab), conversation.reply.streaming.value]).toEqual([['Dear Ada', 'Whole'], null])
  })

  it('emits messages after a logout, although their seqs begin at 1 again', async () => {
    const { tab, conversation } = await talking(5)
    await tab.core.logout()
    await settle()
    conversation.outbox.send('From nobody')
    await settle()
    expect(tab.events.filter(([name]) => name === 'message')).toMatchObject([['message', { text: 'From nobody' }]])
  })

  it('fetches the missing messages when the stream skips one', async () => {
    const { platform, messages, tab } = await talking()
    const { streams } = platform
    const kept = [...streams]
    streams.clear()
    platform.say(messages, { text: 'Lost' })
    for (const stream of kept) streams.add(stream)
    platform.say(messages, { text: 'Heard' })
    await settle()
    expect(shown(tab)).toEqual(['Dear Ada', 'Lost', 'Heard'])
    expect(tab.events.filter(([name]) => name === 'message')).toHaveLength(2)
  })

  it('drops the loaded messages on a reset if the newest page is far ahead of them', async () => {
    const { platform, messages, tab, conversation } = await talking()
    const [first] = messages
    for (let each = 0; each < 50 && first; each++) messages.push({ ...first, id: `x${each}`, seq: each + 2 })
    platform.emit(messages, { event: 'reset', data: {} })
    await settle()
    expect(conversation.messageStore.messages.value.map(({ seq }) => seq)).toEqual(
      Array.from({ length: 30 }, (_, at) => at + 22),
    )
    expect([conversation.messageStore.history.value, shown(tab).length]).toEqual(['more', 30])
  })

  it('ends the session when the stream is refused', async () => {
    const { platform, tab, browser } = await talking()
    for (const stream of platform.streams) stream.close()
    Object.assign(platform.sessions.get(adaToken) ?? {}, { ended: 'expired' })
    await browser.clock.advance(1000)
    expect([tab.core.state(), tab.core.models.session.endReason.value]).toEqual(['anonymous', 'expired'])
  })

  describe('a reply being streamed', () => {
    const delta = (offset: number, text: string) =>
      ({ event: 'message.delta', data: { id: 'r', offset, text } }) as const

    it('grows by UTF-16 offset, ignores gaps and known pieces, and is replaced by the stored message', async () => {
      const { platform, messages, conversation, tab } = await talking()
      const seen: (string | undefined)[] = []
      conversation.reply.streaming.subscribe(streamingReply => seen.push(streamingReply?.text))
      for (const each of [
        delta(0, 'Hi 😀'),
        delta(9, 'gap'),
        delta(5, ' there'),
        delta(0, 'Hi'),
        delta(0, 'Hi 😀 there!'),
      ]) {
        platform.emit(messages, each)
      }
      await settle()
      expect(seen).toEqual([undefined, 'Hi 😀', 'Hi 😀 there', 'Hi 😀 there!'])
      platform.say(messages, { id: 'r', text: 'Hi 😀 there!' })
      await settle()
      expect([conversation.reply.streaming.value, shown(tab).at(-1)]).toEqual([null, 'Hi 😀 there!'])
    })

    it('is removed when another process stores a reply with another id', async () => {
      const { platform, messages, conversation, tab } = await talking()
      platform.emit(messages, delta(0, 'Begun by one that was ki'))
      await settle()
      platform.say(messages, { id: 'another', text: 'The answer' })
      await settle()
      expect([conversation.reply.streaming.value, shown(tab).at(-1)]).toEqual([null, 'The answer'])
    })

    it('is removed when it is aborted, or has not grown for 30 s', async () => {
      const { platform, messages, conversation, browser } = await talking()
      platform.emit(messages, delta(0, 'Never'))
      await settle()
      platform.emit(messages, { event: 'message.aborted', data: { id: 'r' } })
      await settle()
      expect(conversation.reply.streaming.value).toBeNull()
      platform.emit(messages, delta(0, 'Never'))
      await browser.clock.advance(29_000)
      expect(conversation.reply.streaming.value).not.toBeNull()
      await browser.clock.advance(2000)
      expect(conversation.reply.streaming.value).toBeNull()
    })
  })

  it('hides who is typing after a while, and when the message arrives or is aborted', async () => {
    const { platform, messages, conversation, browser } = await talking()
    platform.emit(messages, { event: 'typing', data: { author: 'bot' } })
    await settle()
    expect(conversation.reply.typing.value).toEqual({ author: 'bot' })
    await browser.clock.advance(10_000)
    expect(conversation.reply.typing.value).toBeNull()
    platform.emit(messages, { event: 'typing', data: { author: 'bot' } })
    platform.say(messages, {})
    await settle()
    expect(conversation.reply.typing.value).toBeNull()
    platform.emit(messages, { event: 'typing', data: { author: 'bot', id: 'never begun' } })
    platform.emit(messages, { event: 'message.aborted', data: { id: 'of a node that is gone' } })
    await settle()
    expect(conversation.reply.typing.value).toEqual({ author: 'bot', id: 'never begun' })
    platform.emit(messages, { event: 'message.aborted', data: { id: 'never begun' } })
    await settle()
    expect(conversation.reply.typing.value).toBeNull()
  })

  it('goes on showing that an agent is typing when an answer of the bot arrives', async () => {
    const { platform, messages, conversation } = await talking()
    platform.emit(messages, { event: 'typing', data: { author: 'agent' } })
    platform.emit(messages, { event: 'typing', data: { author: 'bot' } })
    platform.emit(messages, { event: 'message.delta', data: { id: 'answer', offset: 0, text: 'Good ' } })
    platform.say(messages, { id: 'answer', text: 'Good morning' })
    await settle()
    expect(conversation.reply.typing.value).toEqual({ author: 'agent' })
    platform.say(messages, { author: 'agent' })
    await settle()
    expect(conversation.reply.typing.value).toBeNull()
  })

  it('counts the messages of others that the visitor has read neither here nor elsewhere', async () => {
    const { platform, messages, conversation, tab } = await talking()
    conversation.readState.markRead()
    platform.say(messages, {})
    platform.say(messages, {})
    conversation.outbox.send('Mine')
    await settle()
    expect(conversation.readState.unread.value).toBe(2)
    expect(tab.events.filter(([name]) => name === 'unread').at(-1)).toEqual(['unread', { count: 2 }])
    platform.emit(messages, { event: 'read', data: { seq: 2 } })
    await settle()
    expect(conversation.readState.unread.value).toBe(1)
    conversation.readState.markRead()
    await settle()
    expect(conversation.readState.unread.value).toBe(0)
    expect(platform.log.filter(({ path }) => path === '/read').at(-1)?.body).toEqual({ seq: 4 })
  })

  it('requests nothing but the bot profile until the visitor writes', async () => {
    const { platform, browser } = createAcme()
    const tab = browser.openTab()
    tab.core.setOpen(true)
    await settle()
    expect(platform.log.map(({ method, path }) => method + path)).toEqual(['GET'])
    expect(tab.core.models.conversation).toMatchObject({
      botProfile: { status: { value: 'ready' } },
      messageStore: { history: { value: 'complete' } },
      connection: { value: 'idle' },
    })
  })

  it('keeps a draft for the same person only', async () => {
    const { browser, tab } = await talking()
    tab.core.models.draft.setText('For Ada')
    await settle()
    tab.core.destroy()
    const next = browser.openTab()
    await settle()
    expect(next.core.models.draft.text.value).toBe('For Ada')
    await next.core.logout()
    expect(next.core.models.draft.text.value).toBe('')
    expect(JSON.stringify([...browser.records])).not.toContain('For Ada')
  })
})
