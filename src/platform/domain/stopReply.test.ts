import { describe, expect, it } from 'vitest'
import { createMemoryBus } from '../bus/memory.ts'
import { createScriptedResponder } from '../testing/scriptedResponder.ts'
import { startTalk } from '../testing/startTalk.ts'
import { createTestTenants, outcomeOf } from '../testing/testTenants.ts'
import { conversationSubject } from './subjects.ts'

/** A visitor whose question is being answered. */
async function startAnswering() {
  const talk = await startTalk()
  const { ours, token, say, nextDelta } = talk
  await talk.send()
  await talk.asked(0)
  return {
    ...talk,
    stop: (id: unknown, by = token) => outcomeOf(ours.call('POST', '/widget/stop', { token: by, json: { id } })),
    /** Writes a piece of the reply, and waits until the visitor sees it. */
    async show(text: string) {
      await say({ text })
      return nextDelta()
    },
  }
}

/** A node without a responder, on which a visitor waits for the answer of another node, which is killed. */
async function startKilled() {
  const bus = createMemoryBus()
  const tenants = await createTestTenants({ bus })
  const { ours, store, clock } = tenants
  const token = await ours.visitorToken()
  const events = await ours.events(token)
  await ours.send(token, 'Hello?')
  const at = (ms: number) => new Date(clock.now() + ms).toISOString()
  const [turn] = await store.leaseTurns('killed', at(0), at(8000), 1)
  const { conversationId = '', replyId: id = '' } = turn ?? {}
  /** Another node finds the turn after the lease has expired. */
  const replace = () => {
    clock.advance(9000)
    const { responder, questions } = createScriptedResponder()
    tenants.addNode({ bus, responder })
    return questions
  }
  return { bus, ours, store, token, events, conversationId, id, replace }
}

describe('a visitor who stops a reply', () => {
  it('keeps what has been written, under the same id, and the responder is aborted', async () => {
    const { events, show, stop, messages, signals } = await startAnswering()
    await events.nextOf('message')
    const { id } = await show('First, open the ')
    expect(await stop(id)).toBe('204')
    const stored = { id, seq: 2, author: 'bot', text: 'First, open the ' }
    expect((await events.nextOf('message')).data).toMatchObject(stored)
    expect(signals[0]?.aborted).toBe(true)
    // Repeating it changes nothing.
    expect(await stop(id)).toBe('204')
    expect(await messages()).toMatchObject([{ text: 'Hello?' }, stored])
  })

  it('gets no reply if nothing has been written, and the typing ends', async () => {
    const { events, stop, said, send, asked } = await startAnswering()
    const { id } = (await events.nextOf('typing')).data
    expect(await stop(id)).toBe('204')
    expect((await events.nextOf('message.aborted')).data).toEqual({ id })
    expect(await said()).toEqual(['Hello?'])
    await send('Something else')
    expect((await asked(1))?.messages.at(-1)).toMatchObject({ text: 'Something else' })
  })

  it('is answered the next message, which was sent while the reply was written', async () => {
    const { events, show, stop, send, asked } = await startAnswering()
    const { id } = await show('To return ')
    await send('I mean an exchange')
    expect(await stop(id)).toBe('204')
    for (const text of ['I mean an exchange', 'To return '])
      expect((await events.nextOf('message')).data).toMatchObject({ text })
    expect((await asked(1))?.messages.at(-1)).toMatchObject({ text: 'I mean an exchange' })
  })

  it('does not stop another reply by that, even if the request is repeated late, nor the reply to another visitor', async () => {
    const { show, stop, ours, send, asked, say, signals, token } = await startAnswering()
    const { id: first } = await show('Anything')
    expect(await stop(first)).toBe('204')
    await send('And now?')
    await asked(1)
    expect(await stop(first)).toBe('204')
    // The first answer takes one more piece, which is dropped.
    await say({ text: 'dropped' })
    const { id: second } = await show('Still here')
    const other = await ours.visitorToken()
    expect(await stop(second, other)).toBe('204')
    expect(signals[1]?.aborted).toBe(false)
    await ours.call('DELETE', '/widget/session', { token })
    expect(await stop(second)).toBe('401 token_revoked')
    for (const id of ['1', 1, null, undefined]) expect(await stop(id, other)).toBe('400 invalid_request')
  })

  it('sees the part of a reply vanish whose node was killed, and no other reply to that message', async () => {
    const { bus, ours, store, token, events, conversationId, id, replace } = await startKilled()
    const delta = { event: 'message.delta', data: { id, offset: 0, text: 'First, open the ' } } as const
    bus.publish(conversationSubject(conversationId), { type: 'forward', streamEvent: delta })
    expect((await events.nextOf('message.delta')).data).toMatchObject({ id })
    expect(await outcomeOf(ours.call('POST', '/widget/stop', { token, json: { id } }))).toBe('204')
    const questions = replace()
    expect((await events.nextOf('message.aborted')).data).toEqual({ id })
    await expect.poll(() => store.leaseTurns('test', '9', '9', 9)).toEqual([])
    expect(questions).toEqual([])
  })

  it('sees the part of a reply vanish whose node was killed, before the next node types', async () => {
    const { events, id: killed, replace } = await startKilled()
    replace()
    expect((await events.nextOf('message.aborted')).data).toEqual({ id: killed })
    const { author, id } = (await events.nextOf('typing')).data
    expect(author).toBe('bot')
    expect(id).not.toBe(killed)
  })

  it('reaches a node that missed the notice when it extends its lease', async () => {
    const { store, clock, show, said } = await startAnswering()
    await show('As far as ')
    // As another node does whose bus is down.
    const { renewTurns } = store
    store.renewTurns = async (...words) => {
      const states = await renewTurns(...words)
      return states.map(state => (state === 'held' ? 'stopped' : state))
    }
    clock.advance(2500)
    await expect.poll(said).toEqual(['Hello?', 'As far as '])
  })
})
