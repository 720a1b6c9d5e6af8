import { describe, expect, it, onTestFinished } from 'vitest'
import type { Message } from '../../contract/index.ts'
import { createMemoryBus } from '../bus/memory.ts'
import { createPlatform } from '../platform.ts'
import { createScriptedResponder } from '../testing/scriptedResponder.ts'
import { advanceUntil, createTestTenants, dataOf, outcomeOf, readEvents } from '../testing/testTenants.ts'
import { deltaEveryMs } from './streamAnswer.ts'
import { conversationSubject } from './subjects.ts'

/** A visitor whose question is being answered. */
async function startAnswering() {
  const scripted = createScriptedResponder()
  const tenants = await createTestTenants({ responder: scripted.responder })
  onTestFinished(tenants.close)
  const { ours } = tenants
  const token = await ours.visitorToken()
  const events = readEvents(await ours.call('GET', '/widget/events', { token }))
  await ours.send(token, 'Hello?')
  await scripted.asked(0)
  const nextDelta = () => advanceUntil(tenants.clock, deltaEveryMs, events.nextOf('message.delta'))
  return {
    ...{ tenants, ours, token, events, scripted },
    stop: async (id: unknown, by = token) =>
      outcomeOf(await ours.call('POST', '/widget/stop', { token: by, json: { id } })),
    /** Writes a piece of the reply, and waits until the visitor sees it. */
    async say(text: string) {
      await scripted.say({ text })
      return (await nextDelta()).data
    },
    history: async () => (await dataOf(await ours.call('GET', '/widget/messages', { token }))) as Message[],
  }
}

describe('a visitor who stops a reply', () => {
  it('keeps what has been written, under the same id, and the responder is aborted', async () => {
    const { events, say, stop, history, scripted } = await startAnswering()
    await events.nextOf('message')
    const { id } = await say('First, open the ')
    expect(await stop(id)).toBe('204')
    const stored = { id, seq: 2, author: 'bot', text: 'First, open the ' }
    expect((await events.nextOf('message')).data).toMatchObject(stored)
    expect(scripted.signals[0]?.aborted).toBe(true)
    // Repeating it changes nothing.
    expect(await stop(id)).toBe('204')
    expect(await history()).toMatchObject([{ text: 'Hello?' }, stored])
  })

  it('gets no reply if nothing has been written, and the typing ends', async () => {
    const { events, stop, history, ours, token, scripted } = await startAnswering()
    const { id } = (await events.nextOf('typing')).data
    expect(await stop(id)).toBe('204')
    expect((await events.nextOf('message.aborted')).data).toEqual({ id })
    expect(await history()).toMatchObject([{ author: 'visitor' }])
    await ours.send(token, 'Something else')
    expect((await scripted.asked(1))?.messages.at(-1)).toMatchObject({ text: 'Something else' })
  })

  it('is answered the next message, which was sent while the reply was written', async () => {
    const { events, say, stop, ours, token, scripted } = await startAnswering()
    const { id } = await say('To return ')
    await ours.send(token, 'I mean an exchange')
    expect(await stop(id)).toBe('204')
    for (const text of ['I mean an exchange', 'To return '])
      expect((await events.nextOf('message')).data).toMatchObject({ text })
    expect((await scripted.asked(1))?.messages.at(-1)).toMatchObject({ text: 'I mean an exchange' })
  })

  it('does not stop another reply by that, even if the request is repeated late, nor the reply to another visitor', async () => {
    const { say, stop, ours, scripted, token } = await startAnswering()
    const { id: first } = await say('Anything')
    expect(await stop(first)).toBe('204')
    await ours.send(token, 'And now?')
    await scripted.asked(1)
    expect(await stop(first)).toBe('204')
    // The first answer takes one more piece, which is dropped.
    await scripted.say({ text: 'dropped' })
    const { id: second } = await say('Still here')
    expect(await stop(second, await ours.visitorToken())).toBe('204')
    expect(scripted.signals[1]?.aborted).toBe(false)
    await ours.call('DELETE', '/widget/session', { token })
    expect(await stop(second)).toBe('401 token_revoked')
    const other = await ours.visitorToken()
    for (const id of ['1', 1, null, undefined]) expect(await stop(id, other)).toBe('400 invalid_request')
  })

  it('sees the part of a reply vanish whose node was killed, and no other reply to that message', async () => {
    const bus = createMemoryBus()
    // This node has no responder: it only receives the message and holds the stream.
    const tenants = await createTestTenants({ bus })
    const { ours, store, clock } = tenants
    onTestFinished(tenants.close)
    const token = await ours.visitorToken()
    const events = readEvents(await ours.call('GET', '/widget/events', { token }))
    await ours.send(token, 'Hello?')
    const until = new Date(clock.now() + 8000).toISOString()
    const [turn] = await store.leaseTurns('killed', new Date(clock.now()).toISOString(), until, 1)
    const { conversationId = '', replyId: id = '' } = turn ?? {}
    const delta = { event: 'message.delta', data: { id, offset: 0, text: 'First, open the ' } } as const
    bus.publish(conversationSubject(conversationId), { type: 'ephemeral', event: delta })
    expect((await events.nextOf('message.delta')).data).toMatchObject({ id })
    expect(await outcomeOf(await ours.call('POST', '/widget/stop', { token, json: { id } }))).toBe('204')
    clock.advance(9000)
    const scripted = createScriptedResponder()
    const other = createPlatform({ store, bus, clock, responder: scripted.responder, rateLimit: 0 })
    onTestFinished(() => other.close())
    expect((await events.nextOf('message.aborted')).data).toEqual({ id })
    await expect.poll(() => store.leaseTurns('test', '9', '9', 9)).toEqual([])
    expect(scripted.questions).toEqual([])
  })

  it('sees the part of a reply vanish whose node was killed, before the next node types', async () => {
    const bus = createMemoryBus()
    const tenants = await createTestTenants({ bus })
    const { ours, store, clock } = tenants
    onTestFinished(tenants.close)
    const token = await ours.visitorToken()
    const events = readEvents(await ours.call('GET', '/widget/events', { token }))
    await ours.send(token, 'Hello?')
    const now = new Date(clock.now()).toISOString()
    const [killed] = await store.leaseTurns('killed', now, new Date(clock.now() + 8000).toISOString(), 1)
    clock.advance(9000)
    const { responder } = createScriptedResponder()
    const other = createPlatform({ store, bus, clock, responder, rateLimit: 0 })
    onTestFinished(() => other.close())
    expect((await events.nextOf('message.aborted')).data).toEqual({ id: killed?.replyId })
    const { author, id } = (await events.nextOf('typing')).data
    expect(author).toBe('bot')
    expect(id).not.toBe(killed?.replyId)
  })

  it('reaches a node that missed the notice when it extends its lease', async () => {
    const { tenants, say, history } = await startAnswering()
    await say('As far as ')
    const [{ id = '' } = {}] = await history()
    expect(id).not.toBe('')
    // As another node does whose bus is down.
    const { renewTurns } = tenants.store
    tenants.store.renewTurns = async (...words) => {
      const states = await renewTurns(...words)
      return states.map(state => (state === 'held' ? 'stopped' : state))
    }
    tenants.clock.advance(2500)
    await expect.poll(history).toMatchObject([{ author: 'visitor' }, { author: 'bot', text: 'As far as ' }])
  })
})
