import { describe, expect, it } from 'vitest'
import { settle } from '../testing/fakeClock.ts'
import { problem } from '../testing/fakePlatform.ts'
import { adaToken, createAcme, shown } from '../testing/fixtures.ts'

async function startAnswering() {
  const acme = createAcme()
  const messages = acme.said(adaToken)
  const tab = acme.browser.openTab({ start: false })
  await tab.core.login(adaToken)
  await settle()
  const { conversation } = tab.core.models
  const { reply } = conversation
  const say = async (text: string, offset = 0, id = 'reply') => {
    acme.platform.emit(messages, { event: 'message.delta', data: { id, offset, text } })
    await settle()
  }
  const type = async (author: 'bot' | 'agent' = 'bot') => {
    acme.platform.emit(messages, { event: 'typing', data: author === 'bot' ? { author, id: 'reply' } : { author } })
    await settle()
  }
  const stops = () => acme.platform.log.filter(({ path }) => path === '/stop').map(({ body }) => body)
  return { ...acme, tab, messages, conversation, reply, say, type, stops }
}

describe('stopReply', () => {
  it('asks the platform once, and keeps what has come until it is stored', async () => {
    const { platform, tab, messages, conversation, reply, say, type, stops } = await startAnswering()
    expect(reply.isStoppable.value).toBe(false)
    await say('First, open ')
    expect(reply.isStoppable.value).toBe(true)
    await conversation.stopReply()
    expect(stops()).toEqual([{ id: 'reply' }])
    expect([reply.isStoppable.value, reply.streaming.value?.text]).toEqual([false, 'First, open '])
    // The platform had sent this before it was asked.
    await say('the ', 12)
    expect([reply.isStoppable.value, reply.streaming.value?.text]).toEqual([false, 'First, open the '])
    await type()
    expect(reply.typing.value).toBeNull()
    platform.say(messages, { id: 'reply', text: 'First, open the ' })
    await settle()
    expect(shown(tab).at(-1)).toBe('First, open the ')
    await say('Next', 0, 'next')
    expect(reply.isStoppable.value).toBe(true)
  })

  it('hides at once that the bot thinks, also if the platform repeats it, until the next reply', async () => {
    const { platform, messages, conversation, reply, say } = await startAnswering()
    const think = async (id: string) => {
      const data = { author: 'bot', id, thinking: true } as const
      platform.emit(messages, { event: 'typing', data })
      await settle()
      return data
    }
    expect(await think('reply')).toEqual(reply.typing.value)
    await conversation.stopReply()
    await think('reply')
    expect([reply.isStoppable.value, reply.typing.value]).toEqual([false, null])
    expect(await think('next')).toEqual(reply.typing.value)
    await say('It is', 0, 'next')
    expect(reply.typing.value).toBeNull()
  })

  it('hides that the bot is typing at once, but not that an agent is', async () => {
    const { conversation, reply, type, stops } = await startAnswering()
    await type('agent')
    expect(reply.isStoppable.value).toBe(false)
    await type()
    expect(reply.isStoppable.value).toBe(true)
    const stopped = conversation.stopReply()
    expect([reply.isStoppable.value, reply.typing.value]).toEqual([false, { author: 'agent' }])
    await stopped
    expect(stops()).toEqual([{ id: 'reply' }])
    // The platform had sent this before it was asked.
    await type()
    expect([reply.isStoppable.value, reply.typing.value]).toEqual([false, { author: 'agent' }])
  })

  it('is repeated until the platform could be reached', async () => {
    const { platform, browser, conversation, reply, type, stops } = await startAnswering()
    await type()
    platform.intercept = (_, path) => (path === '/stop' ? problem(503, 'unavailable') : undefined)
    const stopped = conversation.stopReply()
    await browser.clock.advance(5000)
    expect(stops().length).toBeGreaterThan(1)
    platform.intercept = () => undefined
    await browser.clock.advance(20_000)
    await stopped
    expect(new Set(stops().map(body => JSON.stringify(body)))).toEqual(new Set(['{"id":"reply"}']))
    expect(reply.isStoppable.value).toBe(false)
  })

  it('is not repeated when the reply has ended, and says so if the platform refuses it', async () => {
    const { platform, messages, browser, conversation, reply, say, stops } = await startAnswering()
    await say('First, open ')
    platform.intercept = (_, path) => (path === '/stop' ? problem(503, 'unavailable') : undefined)
    const stopped = conversation.stopReply()
    await settle()
    platform.say(messages, { id: 'reply', text: 'First, open the box' })
    await browser.clock.advance(20_000)
    await stopped
    expect(stops().length).toBeLessThan(3)
    platform.intercept = (_, path) => (path === '/stop' ? problem(400, 'invalid_request') : undefined)
    await say('Then', 0, 'next')
    await conversation.stopReply()
    expect(reply.isStoppable.value).toBe(true)
  })

  it('does nothing to a session that has ended meanwhile', async () => {
    const { tab, conversation, reply, say } = await startAnswering()
    await say('First, open ')
    const stopped = conversation.stopReply()
    await tab.core.logout()
    await stopped
    expect(reply.isStoppable.value).toBe(false)
  })
})

describe('a streaming reply', () => {
  it('pauses when nothing has come for 1.5 s, until it goes on, is stopped or ends', async () => {
    const { browser, platform, messages, conversation, reply, say } = await startAnswering()
    expect(reply.isPaused.value).toBe(false)
    await say('Let me look. ')
    await browser.clock.advance(1400)
    expect(reply.isPaused.value).toBe(false)
    await browser.clock.advance(100)
    expect(reply.isPaused.value).toBe(true)
    await say('It left on Monday. ', 13)
    expect(reply.isPaused.value).toBe(false)
    await browser.clock.advance(1500)
    expect(reply.isPaused.value).toBe(true)
    await conversation.stopReply()
    expect(reply.isPaused.value).toBe(false)
    platform.say(messages, { id: 'reply', text: 'Let me look. It left on Monday. ' })
    await say('Next', 0, 'next')
    await browser.clock.advance(1500)
    expect(reply.isPaused.value).toBe(true)
    platform.say(messages, { id: 'next', text: 'Next' })
    await settle()
    expect(reply.isPaused.value).toBe(false)
  })
})
