import { describe, expect, it, vi } from 'vitest'
import { sweepMs } from '../platform.ts'
import { advanceUntil, createTestTenants, silentBus } from '../testing/testTenants.ts'
import { heartbeatMs } from './openStreams.ts'

/** A platform whose bus delivers nothing, so only the sweep can. */
async function startDeaf() {
  const { ours, store, clock, lines } = await createTestTenants({ bus: silentBus() })
  /** Visitors with an open stream, which has not received their message. */
  const behind = async (count: number) => {
    const tokens = await Promise.all(Array.from({ length: count }, () => ours.visitorToken()))
    const streams = await Promise.all(tokens.map(token => ours.events(token)))
    for (const token of tokens) await ours.send(token, 'one')
    return streams
  }
  return { ours, store, clock, behind, log: () => lines.join() }
}

describe('the sweep', () => {
  it('ends the streams of a token that another process has revoked, or whose event was lost', async () => {
    const { ours, clock } = await startDeaf()
    const token = await ours.contactToken((await ours.createContact()).id)
    const events = await ours.events(token)
    await ours.call('DELETE', `/auth/contacts/${token}`)
    const ended = await advanceUntil(clock, sweepMs, events.nextOf('session.ended'))
    expect(ended.data).toEqual({ reason: 'revoked' })
    expect(await events.next()).toBeUndefined()
  })

  it('ends the streams of an expired session', async () => {
    const { ours, clock } = await startDeaf()
    const events = await ours.events(await ours.visitorToken())
    clock.advance(24 * 60 * 60 * 1000)
    const ended = await advanceUntil(clock, sweepMs, events.nextOf('session.ended'))
    expect(ended.data).toEqual({ reason: 'expired' })
  })

  it('delivers messages and read marks whose events were lost', async () => {
    const { ours, clock } = await startDeaf()
    const token = await ours.visitorToken()
    const events = await ours.events(token)
    for (const text of ['one', 'two', 'three']) await ours.send(token, text)
    await ours.call('POST', '/widget/read', { token, json: { seq: 3 } })
    expect((await advanceUntil(clock, sweepMs, events.nextOf('read'))).data).toEqual({ seq: 3 })
    const late = await ours.events(token)
    await ours.send(token, 'four')
    expect((await advanceUntil(clock, sweepMs, late.nextOf('message'))).data).toMatchObject({ seq: 4 })
  })

  it('is not needed for a lost read mark when another stream opens, which sends it once to each stream', async () => {
    const { ours, clock } = await startDeaf()
    const token = await ours.visitorToken()
    await ours.send(token, 'one')
    const first = await ours.events(token)
    await ours.call('POST', '/widget/read', { token, json: { seq: 1 } })
    const second = await ours.events(token)
    await ours.send(token, 'two')
    for (const events of [first, second]) {
      expect((await events.nextOf('read')).data).toEqual({ seq: 1 })
      const next = await advanceUntil(clock, sweepMs, events.next())
      expect(next).toMatchObject({ event: 'message', data: { seq: 2 } })
    }
  })

  it('does not ask again for messages that a purge has deleted', async () => {
    const { ours, store, clock } = await startDeaf()
    const token = await ours.visitorToken()
    for (const text of ['one', 'two']) await ours.send(token, text)
    const now = new Date(clock.now() + 1).toISOString()
    await store.purge({ now, endedBefore: '', lastMessageBefore: now })
    const [list, sweep] = [vi.spyOn(store, 'listMessagesAfter'), vi.spyOn(store, 'sweep')]
    await (await ours.events(token, '?after=0')).next()
    const swept = (times: number) =>
      advanceUntil(clock, sweepMs, expect.poll(() => sweep.mock.calls.length).toBeGreaterThanOrEqual(times))
    await swept(3)
    const before = list.mock.calls.length
    expect(before).toBeGreaterThan(0)
    await swept(6)
    expect(list.mock.calls.length).toBe(before)
  })

  it('ends streams in time, although the store is slow for another query', async () => {
    const { ours, store, clock, log } = await startDeaf()
    const token = await ours.visitorToken()
    const events = await ours.events(token)
    const [leased, swept] = [Promise.withResolvers<never[]>(), Promise.withResolvers<void>()]
    const { sweep } = store
    store.leaseDeliveries = () => leased.promise
    store.sweep = live => sweep(live).finally(swept.resolve)
    clock.advance(sweepMs)
    await swept.promise
    await ours.call('DELETE', '/widget/session', { token })
    await advanceUntil(clock, sweepMs, events.nextOf('session.ended'))
    expect(log()).not.toContain('leaseDeliveries was not answered in time')
    leased.resolve([])
  })

  it('continues after a failure of the store', async () => {
    const { store, clock, behind, log } = await startDeaf()
    const [events] = await behind(1)
    const { sweep } = store
    store.sweep = async () => {
      store.sweep = sweep
      throw new Error('down')
    }
    await advanceUntil(clock, sweepMs, events?.nextOf('message') ?? Promise.reject())
    expect(log()).toContain('down')
  })

  it('fetches several conversations at a time, but no more than four, so that a slow one does not hold the others up', async () => {
    const { store, clock, behind } = await startDeaf()
    const streams = await behind(12)
    const { listMessagesAfter } = store
    const slow = Promise.withResolvers<void>()
    let [running, most, calls] = [0, 0, 0]
    store.listMessagesAfter = async (...page) => {
      most = Math.max(most, ++running)
      if (calls++ === 0) await slow.promise
      else await new Promise(resolve => setImmediate(resolve))
      return listMessagesAfter(...page).finally(() => running--)
    }
    let count = 0
    const received = streams.map(stream => stream.nextOf('message').then(() => count++))
    clock.advance(sweepMs)
    await expect.poll(() => count).toBe(11)
    expect(most).toBe(4)
    slow.resolve()
    await Promise.all(received)
  })

  it('delivers to the others where one conversation cannot be fetched', async () => {
    const { store, clock, behind, log } = await startDeaf()
    const streams = await behind(6)
    const { listMessagesAfter } = store
    let calls = 0
    store.listMessagesAfter = (...page) =>
      calls++ === 0 ? Promise.reject(new Error('as asked')) : listMessagesAfter(...page)
    let count = 0
    const received = streams.map(stream => stream.nextOf('message').then(() => count++))
    clock.advance(sweepMs)
    await expect.poll(() => count).toBe(5)
    expect(log()).toContain('as asked')
    // The next sweep fetches what is left.
    await advanceUntil(clock, sweepMs, Promise.all(received))
  })
})

it('a platform whose store does not answer sends no heartbeat until it does, so that clients reconnect elsewhere', async () => {
  const { ours, store, clock, lines } = await createTestTenants()
  const token = await ours.visitorToken()
  const events = await ours.events(token)
  await events.next()
  const { sweep } = store
  store.sweep = async () => {
    throw new Error('down')
  }
  clock.advance(sweepMs)
  await expect.poll(() => lines.join()).toContain('down')
  clock.advance(heartbeatMs)
  await ours.send(token, 'one')
  await ours.call('POST', '/widget/read', { token, json: { seq: 1 } })
  await ours.send(token, 'two')
  for (const text of ['one', 'two']) expect(await events.next()).toMatchObject({ event: 'message', data: { text } })
  store.sweep = sweep
  expect(await advanceUntil(clock, sweepMs, events.next())).toMatchObject({ event: 'read' })
  expect(await advanceUntil(clock, sweepMs, events.next())).toMatchObject({ event: 'comment' })
})
