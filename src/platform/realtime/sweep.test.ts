import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Bus } from '../bus/bus.ts'
import { createMemoryBus } from '../bus/memory.ts'
import { sweepMs } from '../platform.ts'
import { advanceUntil, createTestTenants, readEvents, type TestTenants } from '../testing/testTenants.ts'
import { heartbeatMs } from './heartbeat.ts'

/** A bus that delivers nothing, so only the sweep can. */
const silentBus = (): Bus => ({ ...createMemoryBus(), publish() {} })

let deaf: TestTenants
beforeAll(async () => {
  deaf = await createTestTenants({ bus: silentBus() })
})
afterAll(() => deaf.close())

const open = async (token: string, { ours } = deaf) => readEvents(await ours.call('GET', '/widget/events', { token }))

describe('the sweep', () => {
  it('ends the streams of a token that another process has revoked, or whose event was lost', async () => {
    const { id } = await deaf.ours.createContact()
    const token = await deaf.ours.contactToken(id)
    const events = await open(token)
    await deaf.ours.call('DELETE', `/auth/contacts/${token}`)
    expect(await advanceUntil(deaf.clock, sweepMs, events.nextOf('session.ended'))).toMatchObject({
      data: { reason: 'revoked' },
    })
    expect(await events.next()).toBeUndefined()
  })

  it('ends the streams of an expired session', async () => {
    const token = await deaf.ours.visitorToken()
    const events = await open(token)
    deaf.clock.advance(24 * 60 * 60 * 1000)
    expect(await advanceUntil(deaf.clock, sweepMs, events.nextOf('session.ended'))).toMatchObject({
      data: { reason: 'expired' },
    })
  })

  it('delivers messages and read marks whose events were lost', async () => {
    const token = await deaf.ours.visitorToken()
    const events = await open(token)
    for (const text of ['one', 'two', 'three']) await deaf.ours.send(token, text)
    await deaf.ours.call('POST', '/widget/read', { token, json: { seq: 3 } })
    const read = await advanceUntil(deaf.clock, sweepMs, events.nextOf('read'))
    expect(read.data).toEqual({ seq: 3 })
    const late = await open(token)
    await deaf.ours.send(token, 'four')
    expect((await advanceUntil(deaf.clock, sweepMs, late.nextOf('message'))).data).toMatchObject({ seq: 4 })
  })

  it('does not ask again for messages that a purge has deleted', async () => {
    const own = await createTestTenants({ bus: silentBus() })
    const token = await own.ours.visitorToken()
    for (const text of ['one', 'two']) await own.ours.send(token, text)
    const now = new Date(own.clock.now() + 1).toISOString()
    await own.store.purge({ now, endedBefore: '', lastMessageBefore: now })
    const calls = { listMessagesAfter: 0, sweep: 0 }
    const { listMessagesAfter, sweep } = own.store
    own.store.listMessagesAfter = (...args) => {
      calls.listMessagesAfter++
      return listMessagesAfter(...args)
    }
    own.store.sweep = live => {
      calls.sweep++
      return sweep(live)
    }
    const events = readEvents(await own.ours.call('GET', '/widget/events?after=0', { token }))
    await events.next()
    const sweeps = async (count: number) => {
      while (calls.sweep < count) await setTimeout(5)
    }
    await advanceUntil(own.clock, sweepMs, sweeps(3))
    const before = calls.listMessagesAfter
    expect(before).toBeGreaterThan(0)
    await advanceUntil(own.clock, sweepMs, sweeps(6))
    expect(calls.listMessagesAfter).toBe(before)
    await own.close()
  })

  it('ends streams in time, although the store is slow for another query', async () => {
    const own = await createTestTenants({ bus: silentBus() })
    const token = await own.ours.visitorToken()
    const events = await open(token, own)
    const [leased, swept] = [Promise.withResolvers<never[]>(), Promise.withResolvers<void>()]
    const { sweep } = own.store
    own.store.leaseDeliveries = () => leased.promise
    own.store.sweep = live => sweep(live).finally(swept.resolve)
    own.clock.advance(sweepMs)
    await swept.promise
    await own.ours.call('DELETE', '/widget/session', { token })
    await advanceUntil(own.clock, sweepMs, events.nextOf('session.ended'))
    expect(own.lines.join()).not.toContain('leaseDeliveries was not answered in time')
    leased.resolve([])
    await own.close()
  })

  it('continues after a failure of the store', async () => {
    const own = await createTestTenants({ bus: silentBus() })
    const token = await own.ours.visitorToken()
    const events = await open(token, own)
    const { sweep } = own.store
    own.store.sweep = async () => {
      own.store.sweep = sweep
      throw new Error('down')
    }
    await own.ours.send(token, 'one')
    expect((await advanceUntil(own.clock, sweepMs, events.nextOf('message'))).data).toMatchObject({ seq: 1 })
    expect(own.lines.join()).toContain('down')
    await own.close()
  })
})

describe('a platform whose store does not answer', () => {
  it('sends no heartbeat until it does, so that clients reconnect elsewhere', async () => {
    const own = await createTestTenants()
    const token = await own.ours.visitorToken()
    const events = await open(token, own)
    await events.next()
    const { sweep } = own.store
    own.store.sweep = async () => {
      throw new Error('down')
    }
    own.clock.advance(sweepMs)
    await expect.poll(() => own.lines.join()).toContain('down')
    own.clock.advance(heartbeatMs)
    await own.ours.send(token, 'one')
    await own.ours.call('POST', '/widget/read', { token, json: { seq: 1 } })
    await own.ours.send(token, 'two')
    for (const text of ['one', 'two']) expect(await events.next()).toMatchObject({ event: 'message', data: { text } })
    own.store.sweep = sweep
    expect(await advanceUntil(own.clock, sweepMs, events.next())).toMatchObject({ event: 'read' })
    expect(await advanceUntil(own.clock, sweepMs, events.next())).toMatchObject({ event: 'comment' })
    await own.close()
  })
})

describe('a sweep that finds many conversations behind', () => {
  it('fetches several at a time, but no more than four, so that a slow one does not hold the others up', async () => {
    const own = await createTestTenants({ bus: silentBus() })
    const tokens = await Promise.all(Array.from({ length: 12 }, () => own.ours.visitorToken()))
    const streams = await Promise.all(tokens.map(token => open(token, own)))
    for (const token of tokens) await own.ours.send(token, 'one')
    const { listMessagesAfter } = own.store
    const slow = Promise.withResolvers<void>()
    let [running, most, calls] = [0, 0, 0]
    own.store.listMessagesAfter = async (...page) => {
      most = Math.max(most, ++running)
      if (calls++ === 0) await slow.promise
      else await new Promise(resolve => setImmediate(resolve))
      return listMessagesAfter(...page).finally(() => running--)
    }
    own.clock.advance(sweepMs)
    const received = streams.map(stream => stream.nextOf('message'))
    let count = 0
    for (const each of received) void each.then(() => count++)
    await expect.poll(() => count).toBe(11)
    expect(most).toBe(4)
    slow.resolve()
    await Promise.all(received)
    await own.close()
  })

  it('delivers to the others where one cannot be fetched', async () => {
    const own = await createTestTenants({ bus: silentBus() })
    const tokens = await Promise.all(Array.from({ length: 6 }, () => own.ours.visitorToken()))
    const streams = await Promise.all(tokens.map(token => open(token, own)))
    for (const token of tokens) await own.ours.send(token, 'one')
    const { listMessagesAfter } = own.store
    let calls = 0
    own.store.listMessagesAfter = (...page) =>
      calls++ === 0 ? Promise.reject(new Error('as asked')) : listMessagesAfter(...page)
    let count = 0
    const received = streams.map(stream => stream.nextOf('message').then(() => count++))
    own.clock.advance(sweepMs)
    await expect.poll(() => count).toBe(5)
    expect(own.lines.join()).toContain('as asked')
    // The next sweep fetches what is left.
    await advanceUntil(own.clock, sweepMs, Promise.all(received))
    await own.close()
  })
})
