import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { settle } from './testing/fakeClock.ts'
import { adaToken, authOf, createAcme, grace, graceToken, shown } from './testing/fixtures.ts'

const reportError = vi.fn()
beforeEach(() => vi.stubGlobal('reportError', reportError))
afterEach(() => {
  vi.unstubAllGlobals()
  reportError.mockReset()
})

/** A tab in which rendering fails at every change of the messages. */
async function failing() {
  const acme = createAcme()
  const tab = acme.browser.openTab({ start: false })
  await tab.core.login(adaToken)
  await settle()
  const { conversation, draft } = tab.core.models
  let isFirst = true
  const fail = () => {
    if (!isFirst) throw new Error('It cannot be rendered')
  }
  const { messageStore, outbox, reply, readState, connection } = conversation
  for (const signal of [messageStore.messages, outbox.pending, reply.streaming, reply.typing, readState.unread])
    signal.subscribe(fail)
  connection.subscribe(fail)
  draft.text.subscribe(fail)
  isFirst = false
  return { ...acme, tab, messages: acme.said(adaToken), ...tab.core.models }
}

describe('an error while rendering', () => {
  it('does not stop the outbox from sending this message and the next', async () => {
    const { conversation, draft, messages } = await failing()
    draft.setText('One')
    conversation.outbox.send('One', { finishesDraft: true })
    await settle()
    conversation.outbox.send('Two')
    await settle()
    expect(messages.map(({ text }) => text)).toEqual(['Dear Ada', 'One', 'Two'])
    expect([conversation.outbox.pending.value, draft.text.value]).toEqual([[], ''])
    expect(reportError).toHaveBeenCalled()
  })

  it('is not taken for a lost connection', async () => {
    const { platform, browser, tab, messages, conversation } = await failing()
    platform.say(messages, { text: 'One' })
    platform.emit(messages, { event: 'typing', data: { author: 'bot' } })
    platform.emit(messages, { event: 'message.delta', data: { id: 'r', offset: 0, text: 'Str' } })
    await settle()
    platform.say(messages, { id: 'r', text: 'Streamed' })
    await browser.clock.advance(10_000)
    expect([shown(tab), conversation.reply.streaming.value]).toEqual([['Dear Ada', 'One', 'Streamed'], null])
    expect(platform.log.filter(({ path }) => path === '/events/stream')).toHaveLength(1)
    expect(tab.events.filter(([name]) => name === 'message')).toHaveLength(2)
    expect(reportError).toHaveBeenCalled()
  })

  it('breaks no transition of the session, and is reported', async () => {
    const { browser, tab, session } = await failing()
    let isFirst = true
    for (const signal of [session.status, session.contact, session.endReason, session.scopeKey]) {
      signal.subscribe(() => {
        if (!isFirst) throw new Error('It cannot be rendered')
      })
    }
    isFirst = false
    const other = browser.openTab()
    await settle()
    await expect(session.login({ token: graceToken })).resolves.toEqual({ contact: grace })
    await settle()
    expect([shown(tab), shown(other)]).toEqual([['Dear Grace'], ['Dear Grace']])
    expect(reportError).toHaveBeenCalled()
    reportError.mockReset()
    await expect(session.logout()).resolves.toBeUndefined()
    await settle()
    expect([shown(tab), shown(other), browser.token()]).toEqual([[], [], null])
    expect(authOf(tab).at(-1)).toEqual(['anonymous', null, 'logout'])
    expect(reportError).toHaveBeenCalled()
  })
})
