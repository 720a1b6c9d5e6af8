import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { sweepMs } from '../platform.ts'
import type { Responder } from '../responders/responder.ts'
import { createScriptedResponder } from '../testing/scriptedResponder.ts'
import { startTalk } from '../testing/startTalk.ts'
import { advanceUntil, createTestTenants } from '../testing/testTenants.ts'
import { english } from '../texts/english.ts'

const minute = 60_000

describe('turns', () => {
  it('show typing, stream the reply by offsets, also to streams that open late, and store it under the same id', async () => {
    const { ours, clock, token, events, send, say, nextDelta, reply, messages } = await startTalk()
    await send()
    await events.nextOf('typing')
    // It takes so long that widgets would stop showing the typing indicator.
    clock.advance(5000)
    await events.nextOf('typing')
    await say({ format: 'markdown' })
    await say({ text: '**Good** ' })
    const first = await nextDelta()
    expect(first).toMatchObject({ offset: 0, text: '**Good** ', format: 'markdown' })
    await say({ text: 'day 😀' })
    expect(await nextDelta()).toMatchObject({ offset: 9, text: 'day 😀' })
    const late = await ours.events(token)
    expect(await nextDelta(late)).toMatchObject({ offset: 0, text: '**Good** day 😀', format: 'markdown' })
    await say({ text: '.' })
    await say({ quickReplies: ['Prices'] })
    await say('end')
    // Offsets count UTF-16 units: an emoji is two.
    for (const stream of [events, late]) expect(await nextDelta(stream)).toMatchObject({ offset: 15, text: '.' })
    const stored = await reply()
    expect(stored).toMatchObject({ seq: 2, author: 'bot', text: '**Good** day 😀.', quickReplies: ['Prices'] })
    // Nothing retracts the partial reply before.
    expect(await late.next()).toMatchObject({ event: 'message', data: { id: stored.id } })
    expect(stored.id).toBe(first['id'])
    expect(await messages()).toHaveLength(2)
  })

  it('are sent again from the start after the text so far was taken back', async () => {
    const { clock, events, send, say, nextDelta } = await startTalk()
    await send()
    await say({ text: 'The visitor says hello, so I think that I should greet.' })
    await nextDelta()
    await say({ restart: true })
    await advanceUntil(clock, sweepMs, events.nextOf('message.aborted'))
    await say({ text: 'Hello!' })
    expect(await nextDelta()).toMatchObject({ offset: 0, text: 'Hello!' })
  })

  it('run one at a time: messages sent meanwhile form the next turn', async () => {
    const { clock, asked, questions, send, finish, reply } = await startTalk()
    await send('first')
    await asked(0)
    for (const text of ['second', 'third']) await send(text)
    clock.advance(sweepMs)
    await finish('one')
    await reply()
    const next = await asked(1)
    expect(questions).toHaveLength(2)
    const texts = next?.messages.filter(({ author }) => author === 'visitor').map(({ text }) => text)
    expect(texts).toEqual(['first', 'second', 'third'])
    expect(next?.messages.at(-1)?.text).toBe('third')
    await finish('two')
    expect((await reply()).text).toBe('two')
  })

  it('pass only the last messages of a long conversation to the responder', async () => {
    const { asked, send, finish } = await startTalk()
    const texts = Array.from({ length: 30 }, (_, index) => String.fromCharCode(65 + index).repeat(4000))
    const running = asked(0)
    for (const text of texts) await send(text)
    expect((await running)?.messages).toHaveLength(1)
    await finish('Go on.')
    const shown = (await asked(1))?.messages.map(({ text }) => text)
    expect(shown).toEqual(texts.slice(-25))
  })

  it('retract the partial reply and store it under another id if the visitor has used its id', async () => {
    const { events, send, say, finish, nextDelta, reply } = await startTalk()
    await send()
    await say({ text: 'Good ' })
    const { id } = await nextDelta()
    await send('mine', String(id))
    await finish('day')
    expect((await events.nextOf('message.aborted')).data).toEqual({ id })
    const stored = await reply()
    expect(stored).toMatchObject({ seq: 3, text: 'Good day' })
    expect(stored.id).not.toBe(id)
  })

  it('report a reply that cannot be stored to the operator, and retract it', async () => {
    const { tenants, store, events, send, say, nextDelta } = await startTalk()
    store.endTurn = () => Promise.reject(new Error('the disk is odd'))
    await send()
    await say({ text: 'Good day' })
    const { id } = await nextDelta()
    await say('end')
    expect((await events.nextOf('message.aborted')).data).toEqual({ id })
    const line = tenants.lines.find(text => text.includes('a turn failed'))
    expect(line).toContain('the disk is odd')
  })

  it('stop immediately when their contact is deleted', async () => {
    const { ours, contact, asked, signals, send } = await startTalk()
    await send()
    await asked(0)
    const stopped = once(signals[0] as AbortSignal, 'abort')
    await ours.call('DELETE', `/contacts/${contact.id}`)
    await stopped
  })

  it('apologize visibly when the responder fails, with a retry that asks the question again', async () => {
    const { tenants, asked, events, send, say, finish, reply } = await startTalk()
    await send('What does it cost?')
    await say({ text: 'Let me' })
    await say(new Error('no more money'))
    const aborted = await events.nextOf('message.aborted')
    const sorry = await reply()
    expect(sorry).toMatchObject({ author: 'system', text: english.apology, quickReplies: [english.retry] })
    expect(sorry.id).not.toBe(aborted.data['id'])
    expect(tenants.lines.join()).toContain('no more money')
    await send(english.retry)
    expect((await asked(1))?.messages.map(({ text }) => text)).toEqual(['What does it cost?'])
    await finish('Nothing.')
    expect((await reply()).text).toBe('Nothing.')
  })

  it('apologize when the responder returns nothing, or hangs and ignores its signal', async () => {
    const { clock, asked, signals, send, say, reply } = await startTalk()
    await send()
    await say('end')
    expect((await reply()).text).toBe(english.apology)
    await send()
    await asked(1)
    clock.advance(minute)
    expect((await reply()).text).toBe(english.apology)
    expect(signals[1]?.aborted).toBe(true)
  })

  it('are continued by the next process without waiting for the lease, however often one stops', async () => {
    const { tenants, asked, signals, send } = await startTalk()
    await send()
    await asked(0)
    await tenants.platform.close()
    expect(signals[0]?.aborted).toBe(true)
    for (let restart = 0; restart < 5; restart++) {
      const next = createScriptedResponder()
      const node = tenants.addNode({ responder: next.responder })
      expect((await next.asked(0))?.messages.at(-1)?.text).toBe('Hello?')
      await node.close()
    }
  })

  it('are no longer started by a process that is about to stop, but finished', async () => {
    const { tenants, ours, clock, asked, questions, send, finish, reply } = await startTalk()
    await send()
    await asked(0)
    const leaving = tenants.platform.closeStreams(5000)
    await ours.send(await ours.visitorToken(), 'And me?')
    await finish('Good day.')
    expect(await reply()).toMatchObject({ text: 'Good day.' })
    await advanceUntil(clock, sweepMs, leaving)
    expect(questions).toHaveLength(1)
    const next = createScriptedResponder()
    tenants.addNode({ responder: next.responder })
    expect((await next.asked(0))?.messages.at(-1)?.text).toBe('And me?')
  })

  it('are answered by the sweep after a crash, once the lease has expired', async () => {
    const tenants = await createTestTenants()
    const { ours, clock, store } = tenants
    await ours.send(await ours.visitorToken(), 'Hello?')
    const at = (ms: number) => new Date(clock.now() + ms).toISOString()
    expect(await store.leaseTurns('a process that has died', at(0), at(30_000), 10)).toHaveLength(1)
    const { responder, asked, questions } = createScriptedResponder()
    tenants.addNode({ responder })
    clock.advance(sweepMs)
    expect(questions).toEqual([])
    clock.advance(31_000)
    const question = asked(0) ?? Promise.reject(new Error('not asked'))
    expect((await advanceUntil(clock, sweepMs, question)).messages.at(-1)?.text).toBe('Hello?')
  })

  it('are answered when a lease expires and returns to the same node, as after a store outage', async () => {
    const { clock, store, asked, send, say, finish, reply, said } = await startTalk()
    await send('One?')
    await asked(0)
    await send('Two?')
    const leased = Promise.withResolvers<void>()
    const { leaseTurns } = store
    store.leaseTurns = async (...wanted) => {
      const turns = await leaseTurns(...wanted)
      if (turns.length > 0) leased.resolve()
      return turns
    }
    store.renewTurns = () => Promise.reject(new Error('away'))
    await advanceUntil(clock, sweepMs, leased.promise)
    // The first answer still waits for its next part.
    await say({ text: 'About One.' })
    await asked(1)
    await finish('About Two.')
    expect((await reply()).text).toBe('About Two.')
    expect(await said()).toEqual(['One?', 'Two?', 'About Two.'])
  })

  it('renew all leases of a node with one call', async () => {
    const { ours, clock, store, asked } = await startTalk()
    const { renewTurns } = store
    const renewed: number[] = []
    store.renewTurns = (held, ...words) => {
      renewed.push(held.length)
      return renewTurns(held, ...words)
    }
    for (let count = 0; count < 3; count++) {
      await ours.send(await ours.visitorToken(), 'Hello?')
      await asked(count)
    }
    for (let round = 1; round <= 3; round++) {
      clock.advance(2500)
      await expect.poll(() => renewed).toEqual(Array(round).fill(3))
    }
  })

  it('of a bot whose responder hangs leave room for other bots: 64 at a time, first come first served', async () => {
    const asked: string[] = []
    const ends: (() => void)[] = []
    const responder: Responder = {
      async *answer({ bot, messages }) {
        asked.push(messages.at(-1)?.text ?? '')
        if (bot.id === ours.bot.id) await new Promise<void>(resolve => ends.push(resolve))
        yield { text: 'Hi' }
      },
    }
    const { clock, ours, sibling } = await createTestTenants({ responder })
    for (let number = 1; number <= 67; number++) {
      clock.advance(1)
      await ours.send(await ours.visitorToken(), `${number}`)
    }
    await sibling.send(await sibling.visitorToken(), 'another bot')
    const first = Array.from({ length: 64 }, (_, index) => `${index + 1}`)
    await expect.poll(() => asked).toEqual([...first, 'another bot'])
    ends[0]?.()
    await expect.poll(() => asked.slice(65)).toEqual(['65'])
    ends[1]?.()
    await expect.poll(() => asked.slice(65)).toEqual(['65', '66'])
    for (let end = ends.shift(); end; end = ends.shift()) end()
  })

  it('store nothing if another process has taken the lease', async () => {
    const { clock, store, events, asked, signals, send, said } = await startTalk()
    await send()
    await asked(0)
    const { renewTurns } = store
    const lost = Promise.withResolvers<void>()
    store.renewTurns = async held => {
      lost.resolve()
      return held.map(() => 'lost')
    }
    clock.advance(10_000)
    await lost.promise
    store.renewTurns = renewTurns
    await events.nextOf('message.aborted')
    expect(signals[0]?.aborted).toBe(true)
    expect(await said()).toEqual(['Hello?'])
  })
})
