import { describe, expect, it } from 'vitest'
import type { BusEvent } from '../bus/bus.ts'
import { createMemoryBus } from '../bus/memory.ts'
import type { AnswerPart } from '../responders/responder.ts'
import { createScriptedResponder } from '../testing/scriptedResponder.ts'
import { createManualClock } from '../testing/testTenants.ts'
import { english } from '../texts/english.ts'
import { createBotRow } from './bots.ts'
import { deltaEveryMs, streamAnswer } from './streamAnswer.ts'
import { conversationSubject } from './subjects.ts'

const settled = () => new Promise(resolve => setImmediate(resolve))

/** A reply under way, and what it has published of the text, and of what the bot does before. */
function startAnswer() {
  const clock = createManualClock()
  const bus = createMemoryBus()
  const { responder, say } = createScriptedResponder()
  const dropped: string[] = []
  const published: { at: number; offset: number; text: string }[] = []
  const progress: { at: number; shown: object }[] = []
  bus.subscribe(conversationSubject('c'), (event: BusEvent) => {
    if (event.type === 'forward' && event.streamEvent.event === 'typing') {
      const { author, id, ...shown } = event.streamEvent.data
      progress.push({ at: clock.elapsed(), shown })
    }
    if (event.type !== 'forward' || event.streamEvent.event !== 'message.delta') return
    const { offset, text } = event.streamEvent.data
    published.push({ at: clock.elapsed(), offset, text })
  })
  const bot = createBotRow({ organizationId: 'o', name: 'Acme' }, clock)
  const recentTurns = { ofConversation: 1, ofBot: 1, ofBotToday: 1 }
  const turn = {
    ...{ conversationId: 'c', botId: bot.id, contact: null, locale: null, messages: [], attempt: 1, recentTurns },
    ...{ replyId: 'reply', formerReplyId: null, isStopped: false },
  }
  const abort = new AbortController()
  const done = streamAnswer(
    { bus, clock, responder, onDroppedSources: reasons => dropped.push(...reasons) },
    { turn, bot },
    abort.signal,
  )
  done.catch(() => {})
  return {
    ...{ clock, bus, published, progress, dropped, done, abort },
    async say(part: AnswerPart | 'end' | Error) {
      await say(part)
      await settled()
    },
  }
}

describe('streamAnswer', () => {
  it('publishes the first piece at once and the rest at most every 50 ms, however fast a model speaks', async () => {
    const { clock, say, published, done } = startAnswer()
    for (let count = 0; count < 100; count++) {
      await say({ text: `${count} ` })
      clock.advance(2)
    }
    expect(published.map(({ at }) => at)).toEqual([0, 50, 100, 150, 200])
    expect(published[0]).toEqual({ at: 0, offset: 0, text: '0 ' })
    await say('end')
    const { reply } = await done
    expect(published.map(({ text }) => text).join('')).toBe(reply?.text)
    for (const [index, { offset, text }] of published.entries())
      expect(published[index + 1]?.offset ?? reply?.text.length).toBe(offset + text.length)
  })

  it('keeps the valid sources of an answer and reports the others', async () => {
    const { say, done, dropped } = startAnswer()
    const source = { title: 'Returns', url: 'https://shop.example/returns' }
    await say({ text: 'Within 30 days.' })
    await say({ sources: [source, { title: 'x', url: 'javascript:alert(1)' }] })
    await say('end')
    expect((await done).reply).toMatchObject({ text: 'Within 30 days.', sources: [source] })
    expect(dropped).toEqual([expect.stringMatching(/^\/sources\/1\/url /)])
  })

  it('publishes the last piece with the end, without waiting', async () => {
    const { clock, say, published, done } = startAnswer()
    await say({ text: 'One ' })
    await say({ text: 'two.' })
    expect(published).toHaveLength(1)
    await say('end')
    await done
    expect(published.at(-1)).toEqual({ at: 0, offset: 4, text: 'two.' })
    clock.advance(10 * deltaEveryMs)
    expect(published).toHaveLength(2)
  })

  it('publishes all of the text for a stream that joins, and none of it again', async () => {
    const { clock, bus, say, published } = startAnswer()
    await say({ text: 'One ' })
    await say({ text: 'two ' })
    bus.publish(conversationSubject('c'), { type: 'joined' })
    expect(published.at(-1)).toMatchObject({ offset: 0, text: 'One two ' })
    clock.advance(deltaEveryMs)
    expect(published).toHaveLength(2)
    await say({ text: 'three' })
    clock.advance(deltaEveryMs)
    expect(published.at(-1)).toMatchObject({ offset: 8, text: 'three' })
  })

  it('publishes what the responder does until it writes: each 50 ms the last of it, and again to a stream that joins', async () => {
    const { clock, bus, say, published, progress, done } = startAnswer()
    for (const status of ['One', 'Two', 'Three']) await say({ progress: { status } })
    clock.advance(deltaEveryMs)
    bus.publish(conversationSubject('c'), { type: 'joined' })
    clock.advance(5000)
    const [one, three] = ['One', 'Three'].map(status => ({ status }))
    expect(progress.map(({ at, shown }) => [at, shown])).toEqual([
      [0, {}],
      [0, one],
      ...[50, 50, 5000].map(at => [at, three]),
    ])
    clock.advance(deltaEveryMs)
    await say({ text: 'Yes.' })
    await say({ progress: { thinking: true } })
    clock.advance(10_000)
    expect([progress.length, published.length]).toEqual([5, 1])
    await say('end')
    expect((await done).reply).toEqual({ id: 'reply', author: 'bot', text: 'Yes.', format: 'plain' })
  })

  it('takes back what was no part of the reply, and begins anew', async () => {
    const { clock, bus, say, published, done } = startAnswer()
    const aborted: string[] = []
    bus.subscribe(conversationSubject('c'), event => {
      if (event.type !== 'forward' || event.streamEvent.event !== 'message.aborted') return
      aborted.push(event.streamEvent.data.id)
    })
    await say({ text: 'The visitor asks' })
    await say({ restart: true })
    expect(aborted).toEqual(['reply'])
    await say({ text: 'Yes.' })
    clock.advance(deltaEveryMs)
    expect(published.at(-1)).toMatchObject({ offset: 0, text: 'Yes.' })
    await say('end')
    expect((await done).reply).toMatchObject({ text: 'Yes.' })
  })

  it('says that an answer is cut, in the language of the bot', async () => {
    const { say, done } = startAnswer()
    await say({ text: 'It is' })
    await say({ isCut: true })
    await say('end')
    expect((await done).reply?.text).toBe(`It is\n\n${english.cutOff}`)
  })

  it('publishes nothing more once it is aborted or the responder has failed', async () => {
    for (const isAborted of [true, false]) {
      const { clock, abort, say, published, done } = startAnswer()
      await say({ text: 'One ' })
      await say({ text: 'two ' })
      if (isAborted) abort.abort()
      else await say(new Error('as asked'))
      await expect(done).rejects.toThrow()
      clock.advance(10 * deltaEveryMs)
      expect(published).toHaveLength(1)
    }
  })
})
