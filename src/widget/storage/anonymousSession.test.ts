import { describe, expect, it } from 'vitest'
import { createFakeClock, createMemoryUpdate, settle } from '../testing/fixtures.ts'
import { createAnonymousSessionStore } from './anonymousSession.ts'
import type { UpdateRecords } from './database.ts'

const epoch = (counter: number, series = 'series') => `${counter}.${series}.random`
const [token, otherToken] = ['a', 'b'].map(digit => `v:${digit.repeat(64)}`) as [string, string]

function setUp(change: (update: UpdateRecords) => UpdateRecords = update => update) {
  const records = new Map<string, unknown>()
  const clock = createFakeClock()
  const open = (tab: string) => createAnonymousSessionStore(change(createMemoryUpdate(records)), clock, tab)
  return { records, clock, one: open('one'), other: open('other') }
}

describe('the anonymous session of an epoch', () => {
  it('is created by the tab that claims first, and used by the others', async () => {
    const { one, other } = setUp()
    expect(await one.claim(epoch(1))).toEqual({ status: 'granted' })
    expect(await other.claim(epoch(1))).toEqual({ status: 'pending' })
    expect(await one.complete(epoch(1), token)).toBe(token)
    expect(await other.claim(epoch(1))).toEqual({ status: 'created', token })
  })

  it('can be claimed by another tab when the first has gone, or has given up', async () => {
    const { clock, one, other } = setUp()
    await one.claim(epoch(1))
    await clock.advance(19_999)
    expect((await other.claim(epoch(1))).status).toBe('pending')
    // The first one is still trying.
    await one.claim(epoch(1))
    await clock.advance(1)
    expect((await other.claim(epoch(1))).status).toBe('pending')
    await clock.advance(20_000)
    expect((await other.claim(epoch(1))).status).toBe('granted')
    expect((await one.claim(epoch(1))).status).toBe('pending')
    await other.release(epoch(1))
    expect((await one.claim(epoch(1))).status).toBe('granted')
  })

  it('has the token that was stored first, even where a claim had lapsed before its tab was done', async () => {
    const { clock, one, other } = setUp()
    await one.claim(epoch(1))
    await clock.advance(20_000)
    await other.claim(epoch(1))
    expect(await other.complete(epoch(1), otherToken)).toBe(otherToken)
    expect(await one.complete(epoch(1), token)).toBe(otherToken)
  })

  it('is not to be had in a later epoch, nor stored by a tab that comes late', async () => {
    const { records, one, other } = setUp()
    await one.claim(epoch(1))
    await one.complete(epoch(1), token)
    expect(await other.erase(epoch(2))).toBe(token)
    expect(JSON.stringify([...records])).not.toContain(token)
    expect([await one.claim(epoch(1)), await one.complete(epoch(1), token)]).toEqual([{ status: 'superseded' }, null])
    expect(await other.claim(epoch(2))).toEqual({ status: 'granted' })
  })

  it('of a session that ended while it was being created is never stored', async () => {
    const { records, one, other } = setUp()
    await one.claim(epoch(1))
    await other.erase(epoch(2))
    expect(await one.complete(epoch(1), token)).toBeNull()
    expect(JSON.stringify([...records])).not.toContain('v:')
  })

  it('begins anew after storage has been emptied, whatever the counter was before', async () => {
    const { one, other } = setUp()
    await one.claim(epoch(17))
    await one.complete(epoch(17), token)
    expect(await other.erase(epoch(1, 'new'))).toBe(token)
    expect(await other.claim(epoch(1, 'new'))).toEqual({ status: 'granted' })
  })

  it('stores nothing for those who never send', async () => {
    const { records, one } = setUp()
    expect(await one.erase(epoch(1))).toBeNull()
    expect(records.size).toBe(0)
  })

  it('is of each tab alone where the database fails or never answers', async () => {
    const failing = setUp(() => () => Promise.reject(new Error('blocked')))
    const silent = setUp(() => () => new Promise(() => {}))
    for (const { clock, one } of [failing, silent]) {
      const results = Promise.all([
        one.claim(epoch(1)),
        one.complete(epoch(1), token),
        one.erase(epoch(2)),
        one.begin(epoch(3)),
      ])
      await settle()
      await clock.advance(2000)
      expect(await results).toEqual([{ status: 'granted' }, token, false, true])
      expect(clock.timers).toBe(0)
    }
  })

  it('is claimed again after the clock has been set back', async () => {
    const { clock, one, other } = setUp()
    await one.claim(epoch(1))
    const { now } = clock
    clock.now = () => now() - 86_400_000
    expect((await other.claim(epoch(1))).status).toBe('granted')
  })
})
