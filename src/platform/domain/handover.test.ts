import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { type BotProfile, type Conversation, weekdays } from '../../contract/index.ts'
import { startTalk } from '../testing/startTalk.ts'
import { dataOf, outcomeOf } from '../testing/testTenants.ts'

const minute = 60_000

describe('a handover', () => {
  async function start(handover = true) {
    const talk = await startTalk({ metrics: 'all' })
    const { ours, store, token } = talk
    await store.updateBot(ours.bot.id, { handover })
    const ask = (by = token) => outcomeOf(ours.call('POST', '/widget/handover', { token: by }))
    const listed = async () => (await dataOf<Conversation[]>(ours.call('GET', '/conversations')))[0]
    return { ...talk, ask, listed }
  }

  it('by the visitor stops the answer that is being written, and says so once', async () => {
    const { tenants, clock, signals, events, send, asked, say, nextDelta, ask, said, listed } = await start()
    await send('Help')
    await asked(0)
    await say({ text: 'Let me ' })
    const { id } = await nextDelta()
    const since = new Date(clock.now()).toISOString()
    expect([await ask(), await ask()]).toEqual(['204', '204'])
    expect(signals[0]?.aborted).toBe(true)
    expect((await events.nextOf('message.aborted')).data).toEqual({ id })
    expect((await events.nextOf('message')).data).toMatchObject({ author: 'system', event: 'handover_requested' })
    expect(await said()).toEqual(['Help', 'handover_requested'])
    expect(await listed()).toMatchObject({ waitingSince: since, unread: 0 })
    const counted = async () => {
      const metrics = await tenants.platform.fetch(new Request('http://natter.test/metrics'))
      return (await metrics.text()).match(/natter_responder_turns_total\{.*outcome="(?:handed|taken)_over"} \d+/g)
    }
    await expect.poll(counted).toEqual([expect.stringContaining('outcome="handed_over"} 1')])
  })

  it('is refused where the bot offers none, and to others than visitors', async () => {
    const { ours, tenants, store, ask, said } = await start(false)
    expect(await ask()).toBe('404 not_found')
    await store.updateBot(ours.bot.id, { handover: true })
    expect(await ask(ours.organizationToken)).toBe('403 insufficient_scope')
    for (const token of ['', await tenants.sibling.visitorToken()]) expect(await ask(token)).toBe('401 unauthorized')
    expect(await said()).toEqual([])
  })

  it('by the responder comes after its answer, with or without a text, also where visitors cannot ask', async () => {
    for (const answer of [['I ask a colleague.'], []]) {
      const { questions, events, send, asked, say, said, listed } = await start(false)
      await send('Help')
      await asked(0)
      for (const text of answer) await say({ text })
      await say({ handOver: true })
      await say('end')
      await expect.poll(said).toEqual(['Help', ...answer, 'handover_requested'])
      expect(await listed()).toMatchObject({ waitingSince: expect.any(String), unread: answer.length })
      for (const text of ['Help', ...answer, '']) expect((await events.nextOf('message')).data).toMatchObject({ text })
      await send('Anybody?')
      expect(questions).toHaveLength(1)
    }
  })

  it('ends after 30 minutes without an agent: the visitor is told, and the responder answers again', async () => {
    const { clock, asked, events, send, ask, said, listed } = await start()
    await ask()
    await send('to the team')
    clock.advance(30 * minute - 1)
    expect(await said()).toEqual(['handover_requested', 'to the team'])
    const saidLater = () => {
      clock.advance(1000)
      return said()
    }
    await expect.poll(saidLater).toEqual(['handover_requested', 'to the team', 'handover_expired'])
    expect(await listed()).toMatchObject({ waitingSince: null, pausedUntil: null })
    for (const event of ['handover_requested', undefined, 'handover_expired'])
      expect((await events.nextOf('message')).data['event']).toBe(event)
    await send('to the bot')
    expect((await asked(0))?.messages.at(-1)?.text).toBe('to the bot')
  })

  it('while the team is away is taken, and the responder answers meanwhile; the public face says when it is back', async () => {
    const { ours, store, clock, asked, send, ask, said, listed } = await start()
    const week = Object.fromEntries(weekdays.map(day => [day, '09:00-17:00']))
    await store.updateBot(ours.bot.id, { hours: { timeZone: 'Asia/Tokyo', week, holidays: [] } })
    // Tokyo is nine hours ahead: the end of its hours is 08:00 UTC.
    const day = 24 * 60 * minute
    const toClosed = (8 * 60 * minute - (clock.now() % day) + day) % day
    clock.advance(toClosed)
    const openings = async () => (await dataOf<BotProfile>(ours.call('GET', '/widget', { token: '' }))).openings
    const back = new Date(clock.now() + 16 * 60 * minute).toISOString()
    expect((await openings())[0]).toEqual({ from: back, until: new Date(clock.now() + day).toISOString() })
    expect(await ask()).toBe('204')
    const until = new Date(Date.parse(back) + 30 * minute).toISOString()
    expect(await listed()).toMatchObject({ state: 'waiting', pausedUntil: until })
    await send('When do you open?')
    expect((await asked(0))?.messages.at(-1)?.text).toBe('When do you open?')
    expect(await said()).toEqual(['handover_requested', 'When do you open?'])
    await store.updateBot(ours.bot.id, { hours: null })
    expect(await openings()).toEqual([])
  })

  it('waits no longer once an agent has written, and ends when the agent hands back', async () => {
    const { clock, asked, send, write, ask, said, listed } = await start()
    await ask()
    await write({ id: randomUUID(), text: 'Nora here', as: { name: 'Nora' } })
    expect(await listed()).toMatchObject({ waitingSince: null, pausedUntil: expect.any(String) })
    clock.advance(29 * minute)
    await ask()
    for (let time = 0; time < 2; time++) expect((await write({ handBack: true })).status).toBe(204)
    clock.advance(5 * minute)
    expect(await said()).toEqual(['handover_requested', 'Nora here', 'handed_back'])
    await send('to the bot')
    expect((await asked(0))?.messages.at(-1)?.text).toBe('to the bot')
  })
})
