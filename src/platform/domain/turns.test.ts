import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import type { Message } from '../../contract/index.ts'
import { sweepMs } from '../platform.ts'
import type { Responder } from '../responders/responder.ts'
import { createScriptedResponder } from '../testing/scriptedResponder.ts'
import { advanceUntil, createTestTenants, dataOf, readEvents, type TestTenants } from '../testing/testTenants.ts'
import { english } from '../texts/english.ts'
import { deltaEveryMs } from './streamAnswer.ts'

const minute = 60_000

async function start(responder: Responder, options: Parameters<typeof createTestTenants>[0] = {}) {
  const tenants = await createTestTenants({ responder, ...options })
  const token = await tenants.ours.visitorToken()
  return { tenants, token, events: await openEvents(tenants, token) }
}
const openEvents = async (tenants: TestTenants, token: string) =>
  readEvents(await tenants.ours.call('GET', '/widget/events', { token }))
const history = async (tenants: TestTenants, token: string) =>
  (await dataOf(await tenants.ours.call('GET', '/widget/messages', { token }))) as Message[]
async function reply(events: Awaited<ReturnType<typeof openEvents>>): Promise<Message> {
  for (;;) {
    const { data } = await events.nextOf('message')
    if (data['author'] !== 'visitor') return data as unknown as Message
  }
}

describe('turns', () => {
  it('show typing, stream the reply by offsets, and store it under the same id', async () => {
    const scripted = createScriptedResponder()
    const { tenants, token, events } = await start(scripted.responder)
    await tenants.ours.send(token, 'Hello?')
    await events.nextOf('typing')
    // It takes so long that widgets would stop showing the typing indicator.
    tenants.clock.advance(5000)
    await events.nextOf('typing')
    const nextDelta = () => advanceUntil(tenants.clock, deltaEveryMs, events.nextOf('message.delta'))
    await scripted.say({ text: 'Good ' })
    const deltas = [await nextDelta()]
    await scripted.say({ text: 'day 😀' })
    deltas.push(await nextDelta())
    await scripted.say({ text: '.' })
    await scripted.say({ quickReplies: ['Prices'] })
    await scripted.say('end')
    expect(deltas.map(({ data }) => [data['offset'], data['text']])).toEqual([
      [0, 'Good '],
      [5, 'day 😀'],
    ])
    // Offsets count UTF-16 units: an emoji is two.
    expect((await events.nextOf('message.delta')).data['offset']).toBe(11)
    const stored = await reply(events)
    expect(stored).toMatchObject({ seq: 2, author: 'bot', text: 'Good day 😀.', quickReplies: ['Prices'] })
    expect(stored.id).toBe(deltas[0]?.data['id'])
    expect(await history(tenants, token)).toHaveLength(2)
    await tenants.close()
  })

  it('send a stream that opens during a reply the text so far at offset 0, and send others nothing twice', async () => {
    const scripted = createScriptedResponder()
    const { tenants, token, events } = await start(scripted.responder)
    await tenants.ours.send(token, 'Hello?')
    await scripted.asked(0)
    await scripted.say({ text: 'One ' })
    await scripted.say({ text: 'two ' })
    const nextDelta = (stream: typeof events) =>
      advanceUntil(tenants.clock, deltaEveryMs, stream.nextOf('message.delta'))
    await nextDelta(events)
    await nextDelta(events)
    const late = await openEvents(tenants, token)
    expect(await late.nextOf('message.delta')).toMatchObject({ data: { offset: 0, text: 'One two ' } })
    await scripted.say({ text: 'three' })
    for (const stream of [events, late])
      expect(await nextDelta(stream)).toMatchObject({ data: { offset: 8, text: 'three' } })
    await scripted.say('end')
    await tenants.close()
  })

  it('are sent again from the start after the text so far was taken back', async () => {
    const scripted = createScriptedResponder()
    const { tenants, token, events } = await start(scripted.responder)
    await tenants.ours.send(token, 'Hello?')
    await scripted.asked(0)
    await scripted.say({ text: 'The visitor says hello, so I think that I should greet.' })
    await advanceUntil(tenants.clock, deltaEveryMs, events.nextOf('message.delta'))
    await scripted.say({ restart: true })
    await advanceUntil(tenants.clock, deltaEveryMs, events.nextOf('message.aborted'))
    await scripted.say({ text: 'Hello!' })
    const { data } = await advanceUntil(tenants.clock, deltaEveryMs, events.nextOf('message.delta'))
    expect(data).toMatchObject({ offset: 0, text: 'Hello!' })
    await scripted.say('end')
  })

  it('include the format from the first delta on, also for streams that open later', async () => {
    const scripted = createScriptedResponder()
    const { tenants, token, events } = await start(scripted.responder)
    await tenants.ours.send(token, 'Hello?')
    await scripted.asked(0)
    await scripted.say({ format: 'markdown' })
    await scripted.say({ text: '**One** ' })
    expect((await events.nextOf('message.delta')).data).toMatchObject({ text: '**One** ', format: 'markdown' })
    const late = await openEvents(tenants, token)
    expect((await late.nextOf('message.delta')).data).toMatchObject({ offset: 0, format: 'markdown' })
    await scripted.say('end')
    await tenants.close()
  })

  it('run one at a time: messages sent meanwhile form the next turn', async () => {
    const scripted = createScriptedResponder()
    const { tenants, token, events } = await start(scripted.responder)
    await tenants.ours.send(token, 'first')
    await scripted.asked(0)
    await tenants.ours.send(token, 'second')
    await tenants.ours.send(token, 'third')
    tenants.clock.advance(sweepMs)
    await scripted.say({ text: 'one' })
    await scripted.say('end')
    await reply(events)
    const next = await scripted.asked(1)
    expect(scripted.questions).toHaveLength(2)
    expect(next?.messages.filter(({ author }) => author === 'visitor').map(({ text }) => text)).toEqual([
      'first',
      'second',
      'third',
    ])
    expect(next?.messages.at(-1)?.text).toBe('third')
    await scripted.say({ text: 'two' })
    await scripted.say('end')
    expect((await reply(events)).text).toBe('two')
    await tenants.close()
  })

  it('pass only the last messages of a long conversation to the responder', async () => {
    const scripted = createScriptedResponder()
    const { tenants, token } = await start(scripted.responder)
    const texts = Array.from({ length: 30 }, (_, index) => String.fromCharCode(65 + index).repeat(4000))
    const running = scripted.asked(0)
    for (const text of texts) await tenants.ours.send(token, text)
    expect((await running)?.messages).toHaveLength(1)
    await scripted.say({ text: 'Go on.' })
    await scripted.say('end')
    const shown = (await scripted.asked(1))?.messages.map(({ text }) => text)
    expect(shown).toEqual(texts.slice(-25))
    await tenants.close()
  })

  it('retract the partial reply and store it under another id if the visitor has used its id', async () => {
    const scripted = createScriptedResponder()
    const { tenants, token, events } = await start(scripted.responder)
    await tenants.ours.send(token, 'Hello?')
    await scripted.say({ text: 'Good ' })
    const { id } = (await events.nextOf('message.delta')).data
    await tenants.ours.call('POST', '/widget/messages', { token, json: { id, text: 'mine' } })
    await scripted.say({ text: 'day' })
    await scripted.say('end')
    expect((await events.nextOf('message.aborted')).data).toEqual({ id })
    const stored = await reply(events)
    expect(stored).toMatchObject({ seq: 3, text: 'Good day' })
    expect(stored.id).not.toBe(id)
    await tenants.close()
  })

  it('report a reply that cannot be stored to the operator, and retract it', async () => {
    const scripted = createScriptedResponder()
    const { tenants, token, events } = await start(scripted.responder)
    tenants.store.endTurn = () => Promise.reject(new Error('the disk is odd'))
    await tenants.ours.send(token, 'Hello?')
    await scripted.say({ text: 'Good day' })
    const { id } = (await events.nextOf('message.delta')).data
    await scripted.say('end')
    expect((await events.nextOf('message.aborted')).data).toEqual({ id })
    const line = tenants.lines.find(text => text.includes('a turn failed'))
    expect(line).toContain('the disk is odd')
    await tenants.close()
  })

  it('stop immediately when their contact is deleted', async () => {
    const scripted = createScriptedResponder()
    const { tenants } = await start(scripted.responder)
    const contact = await tenants.ours.createContact()
    await tenants.ours.send(await tenants.ours.contactToken(contact.id), 'Hello?')
    await scripted.asked(0)
    const stopped = once(scripted.signals[0] as AbortSignal, 'abort')
    await tenants.ours.call('DELETE', `/contacts/${contact.id}`)
    await stopped
    await tenants.close()
  })

  it('apologize visibly when the responder fails, with a retry that asks the question again', async () => {
    const scripted = createScriptedResponder()
    const { tenants, token, events } = await start(scripted.responder)
    await tenants.ours.send(token, 'What does it cost?')
    await scripted.say({ text: 'Let me' })
    await scripted.say(new Error('no more money'))
    const aborted = await events.nextOf('message.aborted')
    const sorry = await reply(events)
    expect(sorry).toMatchObject({ author: 'system', text: english.apology, quickReplies: [english.retry] })
    expect(sorry.id).not.toBe(aborted.data['id'])
    expect(tenants.lines.join()).toContain('no more money')
    await tenants.ours.send(token, english.retry)
    expect((await scripted.asked(1))?.messages.map(({ text }) => text)).toEqual(['What does it cost?'])
    await scripted.say({ text: 'Nothing.' })
    await scripted.say('end')
    expect((await reply(events)).text).toBe('Nothing.')
    await tenants.close()
  })

  it('apologize when the responder returns nothing, or hangs and ignores its signal', async () => {
    const silent = await start({ async *answer() {} })
    await silent.tenants.ours.send(silent.token, 'Hello?')
    expect((await reply(silent.events)).text).toBe(english.apology)
    await silent.tenants.close()

    const scripted = createScriptedResponder()
    const { tenants, token, events } = await start(scripted.responder)
    await tenants.ours.send(token, 'Hello?')
    await scripted.asked(0)
    tenants.clock.advance(minute)
    expect((await reply(events)).text).toBe(english.apology)
    expect(scripted.signals[0]?.aborted).toBe(true)
    await tenants.close()
  })

  it('are continued by the next process when this one stops, without waiting for the lease', async () => {
    const scripted = createScriptedResponder()
    const { tenants, token } = await start(scripted.responder)
    await tenants.ours.send(token, 'Hello?')
    await scripted.asked(0)
    await tenants.platform.close()
    expect(scripted.signals[0]?.aborted).toBe(true)

    const { createPlatform } = await import('../platform.ts')
    const second = createScriptedResponder()
    const next = createPlatform({ store: tenants.store, clock: tenants.clock, responder: second.responder })
    expect((await second.asked(0))?.messages.at(-1)?.text).toBe('Hello?')
    await next.close()
    await tenants.store.close()
  })

  it('are answered however often the process restarts meanwhile', async () => {
    const tenants = await createTestTenants()
    const { createPlatform } = await import('../platform.ts')
    await tenants.ours.send(await tenants.ours.visitorToken(), 'Hello?')
    await tenants.platform.close()
    for (let restart = 0; restart < 5; restart++) {
      const scripted = createScriptedResponder()
      const next = createPlatform({ store: tenants.store, clock: tenants.clock, responder: scripted.responder })
      expect((await scripted.asked(0))?.messages.at(-1)?.text).toBe('Hello?')
      await next.close()
    }
    await tenants.store.close()
  })

  it('are no longer started by a process that is about to stop, but finished', async () => {
    const scripted = createScriptedResponder()
    const { tenants, token, events } = await start(scripted.responder)
    await tenants.ours.send(token, 'Hello?')
    await scripted.asked(0)
    const leaving = tenants.platform.closeStreams(5000)
    await tenants.ours.send(await tenants.ours.visitorToken(), 'And me?')
    await scripted.say({ text: 'Good day.' })
    await scripted.say('end')
    expect(await reply(events)).toMatchObject({ text: 'Good day.' })
    await advanceUntil(tenants.clock, sweepMs, leaving)
    expect(scripted.questions).toHaveLength(1)

    const { createPlatform } = await import('../platform.ts')
    const second = createScriptedResponder()
    const next = createPlatform({ store: tenants.store, clock: tenants.clock, responder: second.responder })
    expect((await second.asked(0))?.messages.at(-1)?.text).toBe('And me?')
    await next.close()
    await tenants.close()
  })

  it('are answered by the sweep after a crash, once the lease has expired', async () => {
    const tenants = await createTestTenants()
    const token = await tenants.ours.visitorToken()
    await tenants.ours.send(token, 'Hello?')
    const now = tenants.clock.now()
    const at = (ms: number) => new Date(now + ms).toISOString()
    const crashed = await tenants.store.leaseTurns('a process that has died', at(0), at(30_000), 10)
    expect(crashed).toHaveLength(1)

    const { createPlatform } = await import('../platform.ts')
    const scripted = createScriptedResponder()
    const next = createPlatform({ store: tenants.store, clock: tenants.clock, responder: scripted.responder })
    tenants.clock.advance(sweepMs)
    expect(scripted.questions).toEqual([])
    tenants.clock.advance(31_000)
    const asked = scripted.asked(0) ?? Promise.reject(new Error('not asked'))
    expect((await advanceUntil(tenants.clock, sweepMs, asked)).messages.at(-1)?.text).toBe('Hello?')
    await next.close()
    await tenants.close()
  })

  it('renew all leases of a node with one call', async () => {
    const scripted = createScriptedResponder()
    const tenants = await createTestTenants({ responder: scripted.responder })
    const { renewTurns } = tenants.store
    const renewed: number[] = []
    tenants.store.renewTurns = (held, ...words) => {
      renewed.push(held.length)
      return renewTurns(held, ...words)
    }
    for (let count = 0; count < 3; count++) {
      await tenants.ours.send(await tenants.ours.visitorToken(), 'Hello?')
      await scripted.asked(count)
    }
    for (let round = 1; round <= 3; round++) {
      tenants.clock.advance(2500)
      await expect.poll(() => renewed).toEqual(Array(round).fill(3))
    }
    await tenants.close()
  })

  it('of a bot whose responder hangs leave room for other bots: 64 at a time, first come first served', async () => {
    const asked: string[] = []
    const ends: (() => void)[] = []
    const responder: Responder = {
      async *answer({ bot, messages }) {
        asked.push(messages.at(-1)?.text ?? '')
        if (bot.id === tenants.ours.bot.id) await new Promise<void>(resolve => ends.push(resolve))
        yield { text: 'Hi' }
      },
    }
    const tenants = await createTestTenants({ responder })
    for (let number = 1; number <= 67; number++) {
      tenants.clock.advance(1)
      await tenants.ours.send(await tenants.ours.visitorToken(), `${number}`)
    }
    await tenants.sibling.send(await tenants.sibling.visitorToken(), 'another bot')
    const first = Array.from({ length: 64 }, (_, index) => `${index + 1}`)
    await expect.poll(() => asked).toEqual([...first, 'another bot'])
    ends[0]?.()
    await expect.poll(() => asked.slice(65)).toEqual(['65'])
    ends[1]?.()
    await expect.poll(() => asked.slice(65)).toEqual(['65', '66'])
    for (let end = ends.shift(); end; end = ends.shift()) end()
    await tenants.close()
  })

  it('store nothing if another process has taken the lease', async () => {
    const scripted = createScriptedResponder()
    const { tenants, token, events } = await start(scripted.responder)
    await tenants.ours.send(token, 'Hello?')
    await scripted.asked(0)
    const { renewTurns } = tenants.store
    const lost = Promise.withResolvers<void>()
    tenants.store.renewTurns = async held => {
      lost.resolve()
      return held.map(() => 'lost')
    }
    tenants.clock.advance(10_000)
    await lost.promise
    tenants.store.renewTurns = renewTurns
    await events.nextOf('message.aborted')
    expect(scripted.signals[0]?.aborted).toBe(true)
    expect(await history(tenants, token)).toMatchObject([{ author: 'visitor' }])
    await tenants.close()
  })
})
