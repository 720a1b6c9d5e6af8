import { randomUUID } from 'node:crypto'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { ConversationPage, Message } from '../../contract/index.ts'
import { createScriptedResponder } from '../testing/scriptedResponder.ts'
import { createTestTenants, dataOf, outcomeOf, readEvents } from '../testing/testTenants.ts'

const minute = 60_000

describe('a handover', () => {
  async function start(handover = true) {
    const scripted = createScriptedResponder()
    const tenants = await createTestTenants({ responder: scripted.responder, metrics: 'all' })
    onTestFinished(() => tenants.close())
    const { ours, clock } = tenants
    await tenants.store.updateBot(ours.bot.id, { handover })
    const contact = await ours.createContact()
    const token = await ours.contactToken(contact.id)
    const ask = async () => outcomeOf(await ours.call('POST', '/widget/handover', { token }))
    const messages = async () => (await dataOf(await ours.call('GET', '/widget/messages', { token }))) as Message[]
    const said = async () => (await messages()).map(({ event, text }) => event ?? text)
    const listed = async () => ((await (await ours.call('GET', '/conversations')).json()) as ConversationPage).data[0]
    const events = readEvents(await ours.call('GET', '/widget/events', { token }))
    const sendAsAgent = (json: object) => ours.call('POST', `/contacts/${contact.id}/messages`, { json })
    return { scripted, tenants, clock, ours, token, ask, said, listed, events, sendAsAgent }
  }

  it('by the visitor stops the answer that is being written, and says so once', async () => {
    const { scripted, tenants, ours, token, ask, said, listed, events, clock } = await start()
    await ours.send(token, 'Help')
    await scripted.asked(0)
    await scripted.say({ text: 'Let me ' })
    const delta = await events.nextOf('message.delta')
    const since = new Date(clock.now()).toISOString()
    expect([await ask(), await ask()]).toEqual(['204', '204'])
    expect(scripted.signals[0]?.aborted).toBe(true)
    expect((await events.nextOf('message.aborted')).data).toEqual({ id: delta.data['id'] })
    expect((await events.nextOf('message')).data).toMatchObject({ author: 'system', event: 'handover_requested' })
    expect(await said()).toEqual(['Help', 'handover_requested'])
    expect(await listed()).toMatchObject({ waitingSince: since, unread: 0 })
    const counted = async () => {
      const metrics = await tenants.platform.fetch(new Request('http://natter.test/metrics'))
      return (await metrics.text()).match(/natter_responder_turns_total\{.*outcome="(?:handed|taken)_over"\} \d+/g)
    }
    await expect.poll(counted).toEqual([expect.stringContaining('outcome="handed_over"} 1')])
  })

  it('is refused where the bot offers none, and to others than visitors', async () => {
    const { ours, tenants, ask, said } = await start(false)
    expect(await ask()).toBe('404 not_found')
    await tenants.store.updateBot(ours.bot.id, { handover: true })
    expect(await outcomeOf(await ours.call('POST', '/widget/handover'))).toBe('403 insufficient_scope')
    expect(await outcomeOf(await ours.call('POST', '/widget/handover', { token: '' }))).toBe('401 unauthorized')
    const foreign = await tenants.sibling.visitorToken()
    expect(await outcomeOf(await ours.call('POST', '/widget/handover', { token: foreign }))).toBe('401 unauthorized')
    expect(await said()).toEqual([])
  })

  it('by the responder comes after its answer, with or without a text, also where visitors cannot ask', async () => {
    for (const text of ['I ask a colleague.', '']) {
      const { scripted, ours, token, said, listed, events } = await start(false)
      await ours.send(token, 'Help')
      await scripted.asked(0)
      if (text) await scripted.say({ text })
      await scripted.say({ handOver: true })
      await scripted.say('end')
      const first = text ? [text] : []
      await expect.poll(said).toEqual(['Help', ...first, 'handover_requested'])
      expect(await listed()).toMatchObject({ waitingSince: expect.any(String), unread: first.length })
      for (const expected of ['Help', ...first, ''])
        expect((await events.nextOf('message')).data).toMatchObject({ text: expected })
      await ours.send(token, 'Anybody?')
      expect(scripted.questions).toHaveLength(1)
    }
  })

  it('ends after 30 minutes without an agent: the visitor is told, and the responder answers again', async () => {
    const { scripted, clock, ours, token, ask, said, listed, events } = await start()
    await ask()
    await ours.send(token, 'to the team')
    clock.advance(30 * minute - 1)
    expect(await said()).toEqual(['handover_requested', 'to the team'])
    const saidLater = () => {
      clock.advance(1000)
      return said()
    }
    await expect.poll(saidLater).toEqual(['handover_requested', 'to the team', 'handover_expired'])
    expect(await listed()).toMatchObject({ waitingSince: null, pausedUntil: null })
    for (const expected of ['handover_requested', undefined, 'handover_expired'])
      expect((await events.nextOf('message')).data['event']).toBe(expected)
    await ours.send(token, 'to the bot')
    expect((await scripted.asked(0))?.messages.at(-1)?.text).toBe('to the bot')
  })

  it('waits no longer once an agent has written, and ends when the agent hands back', async () => {
    const { scripted, clock, ours, token, ask, said, listed, sendAsAgent } = await start()
    await ask()
    await sendAsAgent({ id: randomUUID(), text: 'Nora here', as: { name: 'Nora' } })
    expect(await listed()).toMatchObject({ waitingSince: null, pausedUntil: expect.any(String) })
    clock.advance(29 * minute)
    await ask()
    expect((await sendAsAgent({ handBack: true })).status).toBe(204)
    expect((await sendAsAgent({ handBack: true })).status).toBe(204)
    clock.advance(5 * minute)
    expect(await said()).toEqual(['handover_requested', 'Nora here', 'handed_back'])
    await ours.send(token, 'to the bot')
    expect((await scripted.asked(0))?.messages.at(-1)?.text).toBe('to the bot')
  })
})
