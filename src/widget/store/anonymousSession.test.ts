import { describe, expect, it } from 'vitest'
import { createFakeClock, settle } from '../testing/fakeClock.ts'
import { createMemoryUpdate } from '../testing/fixtures.ts'
import { createAnonymousSessionStore } from './anonymousSession.ts'
import type { UpdateRecords } from './database.ts'

const epoch = (counter: number, series = 'series') => `${counter}.${series}.random`
const [token, otherToken] = ['a', 'b'].map(digit => `v:${digit.repeat(64)}`) as [string, string]

function setUp(change: (update: UpdateRecords) => UpdateRecords = update => update, isCurrent = (_: string) => true) {
  const records = new Map<string, unknown>()
  const clock = createFakeClock()
  const open = (tab: string) => createAnonymousSessionStore(change(createMemoryUpdate(records)), clock, tab, isCurrent)
  return { records, clock, one: open('one'), other: open('other') }
}

describe('the anonymous session of an epoch', () => {
  it('is created by the tab that claims first, and used by the others', async () => {
    const { one, other } = setUp()
    expect(await one.acquire(epoch(1))).toEqual({ status: 'granted' })
    expect(await other.acquire(epoch(1))).toEqual({ status: 'pending' })
    expect(await one.complete(epoch(1), token)).toEqual({ status: 'created', token })
    expect(await other.acquire(epoch(1))).toEqual({ status: 'created', token })
  })

  it('can be claimed by another tab when the first has gone, or has given up', async () => {
    const { clock, one, other } = setUp()
    await one.acquire(epoch(1))
    await clock.advance(19_999)
    expect((await other.acquire(epoch(1))).status).toBe('pending')
    // The first one is still trying.
    await one.acquire(epoch(1))
    await clock.advance(1)
    expect((await other.acquire(epoch(1))).status).toBe('pending')
    await clock.advance(20_000)
    expect((await other.acquire(epoch(1))).status).toBe('granted')
    expect((await one.acquire(epoch(1))).status).toBe('pending')
    await other.release(epoch(1))
    expect((await one.acquire(epoch(1))).status).toBe('granted')
  })

  it('has the token that was stored first, even where a claim had lapsed before its tab was done', async () => {
    const { clock, one, other } = setUp()
    await one.acquire(epoch(1))
    await clock.advance(20_000)
    await other.acquire(epoch(1))
    expect(await other.complete(epoch(1), otherToken)).toEqual({ status: 'created', token: otherToken })
    expect(await one.complete(epoch(1), token)).toEqual({ status: 'created', token: otherToken })
  })

  it('is not to be had in a later epoch, nor stored by a tab that comes late', async () => {
    const { records, one, other } = setUp()
    await one.acquire(epoch(1))
    await one.complete(epoch(1), token)
    expect((await other.erase(epoch(2))).erasedToken).toBe(token)
    expect(JSON.stringify([...records])).not.toContain(token)
    expect([await one.acquire(epoch(1)), await one.complete(epoch(1), token)]).toEqual([
      { status: 'superseded', epoch: epoch(2) },
      { status: 'superseded', epoch: epoch(2) },
    ])
    expect(await other.acquire(epoch(2))).toEqual({ status: 'granted' })
  })

  it('of a session that ended while it was being created is never stored', async () => {
    const { records, one, other } = setUp()
    await one.acquire(epoch(1))
    await other.erase(epoch(2))
    expect(await one.complete(epoch(1), token)).toMatchObject({ status: 'superseded' })
    expect(JSON.stringify([...records])).not.toContain('v:')
  })

  it('of a session that ended before the database had answered anything is never stored', async () => {
    const { records, one, other } = setUp()
    expect(await other.erase(epoch(2))).toEqual({ isErased: true, erasedToken: null })
    expect((await one.acquire(epoch(1))).status).toBe('superseded')
    expect(await one.complete(epoch(1), token)).toMatchObject({ status: 'superseded' })
    expect(JSON.stringify([...records])).not.toContain('v:')
  })

  it('begins anew after storage has been emptied, whatever the counter was before', async () => {
    const { one, other } = setUp()
    await one.acquire(epoch(17))
    await one.complete(epoch(17), token)
    expect((await other.erase(epoch(1, 'new'))).erasedToken).toBe(token)
    expect(await other.acquire(epoch(1, 'new'))).toEqual({ status: 'granted' })
  })

  it('goes on though a tab wakes up that was frozen before storage was emptied', async () => {
    let current = epoch(1, 'new')
    const { one, other } = setUp(undefined, id => id === current)
    await one.acquire(epoch(1, 'new'))
    await one.complete(epoch(1, 'new'), token)
    expect([(await other.erase(epoch(17))).erasedToken, await other.complete(epoch(17), otherToken)]).toEqual([
      null,
      { status: 'superseded', epoch: epoch(1, 'new') },
    ])
    expect(await other.acquire(epoch(17))).toEqual({ status: 'superseded', epoch: epoch(1, 'new') })
    expect(await one.acquire(epoch(1, 'new'))).toEqual({ status: 'created', token })
    current = epoch(2, 'new')
    expect((await one.erase(epoch(2, 'new'))).erasedToken).toBe(token)
  })

  it('is not taken over by a first epoch that is earlier, or that localStorage no longer needs', async () => {
    let current = ''
    const { records, clock, one, other } = setUp(undefined, id => id === current)
    await one.acquire(epoch(20))
    await clock.advance(60_000)
    await other.tryBeginEpoch(epoch(18))
    expect(records.get('anonymousSession')).toMatchObject({ epoch: epoch(20) })
    current = epoch(1, 'new')
    expect(await other.tryBeginEpoch(epoch(21))).toBe(false)
    expect(records.get('anonymousSession')).toMatchObject({ epoch: epoch(20) })
    current = ''
    expect(await other.tryBeginEpoch(epoch(21))).toBe(true)
  })

  it('is of each tab alone where the database fails or never answers', async () => {
    const failing = setUp(() => () => Promise.reject(new Error('blocked')))
    const silent = setUp(() => () => new Promise(() => {}))
    for (const { clock, one } of [failing, silent]) {
      const results = Promise.all([
        one.acquire(epoch(1)),
        one.complete(epoch(1), token),
        one.erase(epoch(2)),
        one.tryBeginEpoch(epoch(3)),
      ])
      await settle()
      await clock.advance(2000)
      expect(await results).toEqual([
        { status: 'granted' },
        { status: 'created', token },
        { isErased: false, erasedToken: null },
        true,
      ])
      expect(clock.timers).toBe(0)
    }
  })

  it('is claimed again after the clock has been set back', async () => {
    const { clock, one, other } = setUp()
    await one.acquire(epoch(1))
    const { now } = clock
    clock.now = () => now() - 86_400_000
    expect((await other.acquire(epoch(1))).status).toBe('granted')
  })
})
