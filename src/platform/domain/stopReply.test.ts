import { describe, expect, it, onTestFinished } from 'vitest'
import type { Message } from '../../contract/index.ts'
import { createScriptedResponder } from '../testing/scriptedResponder.ts'
import { advanceUntil, createTestTenants, dataOf, outcomeOf, readEvents } from '../testing/testTenants.ts'
import { deltaEveryMs } from './streamAnswer.ts'

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
    stop: async (seq: number, by = token) =>
      outcomeOf(await ours.call('POST', '/widget/stop', { token: by, json: { seq } })),
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
    expect(await stop(1)).toBe('204')
    const stored = { id, seq: 2, author: 'bot', text: 'First, open the ' }
    expect((await events.nextOf('message')).data).toMatchObject(stored)
    expect(scripted.signals[0]?.aborted).toBe(true)
    // Repeating it changes nothing.
    expect(await stop(1)).toBe('204')
    expect(await stop(2)).toBe('204')
    expect(await history()).toMatchObject([{ text: 'Hello?' }, stored])
  })

  it('gets no reply if nothing has been written, and the typing ends', async () => {
    const { events, stop, history, ours, token, scripted } = await startAnswering()
    expect(await stop(1)).toBe('204')
    await events.nextOf('message.aborted')
    expect(await history()).toMatchObject([{ author: 'visitor' }])
    await ours.send(token, 'Something else')
    expect((await scripted.asked(1))?.messages.at(-1)).toMatchObject({ text: 'Something else' })
  })

  it('is answered the next message, which was sent while the reply was written', async () => {
    const { events, say, stop, ours, token, scripted } = await startAnswering()
    await say('To return ')
    await ours.send(token, 'I mean an exchange')
    expect(await stop(2)).toBe('204')
    for (const text of ['I mean an exchange', 'To return '])
      expect((await events.nextOf('message')).data).toMatchObject({ text })
    expect((await scripted.asked(1))?.messages.at(-1)).toMatchObject({ text: 'I mean an exchange' })
  })

  it('does not stop a reply to a message that they have not seen, nor the reply to another visitor', async () => {
    const { say, stop, ours, scripted, token } = await startAnswering()
    expect(await stop(0)).toBe('204')
    expect(await stop(9, await ours.visitorToken())).toBe('204')
    await say('Still here')
    expect(scripted.signals[0]?.aborted).toBe(false)
    await ours.call('DELETE', '/widget/session', { token })
    expect(await stop(1)).toBe('401 token_revoked')
    for (const seq of ['1', -1, 1.5, null])
      expect(
        await outcomeOf(await ours.call('POST', '/widget/stop', { token: await ours.visitorToken(), json: { seq } })),
      ).toBe('400 invalid_request')
  })

  it('reaches a node that missed the notice when it extends its lease', async () => {
    const { tenants, say, history } = await startAnswering()
    await say('As far as ')
    const [{ id = '' } = {}] = await history()
    expect(id).not.toBe('')
    // As another node does whose bus is down.
    const { renewTurn } = tenants.store
    tenants.store.renewTurn = async (...words) => {
      const held = await renewTurn(...words)
      return held === 'held' ? 'stopped' : held
    }
    tenants.clock.advance(2500)
    await expect.poll(history).toMatchObject([{ author: 'visitor' }, { author: 'bot', text: 'As far as ' }])
  })
})
