import { describe, expect, it } from 'vitest'
import { createFakeClock } from '../testing/fakeClock.ts'
import { createMemoryUpdate } from '../testing/fixtures.ts'
import { createCache } from './conversationCache.ts'
import { openDatabase, type UpdateRecords } from './database.ts'
import type { CachedSession } from './guards.ts'

const epoch = (counter: number) => `${counter}.series.random`

const entry = { id: 'm', text: 'Hello', createdAt: '2026-01-01T00:00:00.000Z' }

const empty = {
  outbox: [],
  transcript: [],
  revision: 0,
} satisfies Partial<CachedSession>

const withText = (text: string) => () => ({ outbox: [{ ...entry, text }] })

const always = () => true

function setUp(isCurrent: (epoch: string) => boolean = always) {
  const records = new Map<string, unknown>()
  const clock = createFakeClock()
  const update = createMemoryUpdate(records)
  return {
    records,
    clock,
    update,
    cache: createCache(update, clock, always),
    other: createCache(update, clock, isCurrent),
  }
}

describe('the cache', () => {
  it('keeps what is written for its owner', async () => {
    const { cache, other } = setUp()
    await cache.open(epoch(1), 'ada')
    await cache.put(epoch(1), () => ({ outbox: [entry] }))
    expect(await other.open(epoch(1), 'ada')).toMatchObject({ outbox: [entry] })
  })

  it('returns no epoch when the transaction is aborted, for example because the disk is full', async () => {
    const { cache, clock, records } = setUp()
    await cache.open(epoch(1), 'ada')
    await cache.put(epoch(1), withText('half a thought'))
    const full: UpdateRecords = async (keys, change) => {
      change(Object.fromEntries(keys.map(key => [key, records.get(key)])), [])
      throw new DOMException('Full', 'QuotaExceededError')
    }
    expect((await createCache(full, clock, always).open(epoch(2), '')).epoch).toBe('')
    expect((await cache.open(epoch(2), '')).epoch).toBe(epoch(2))
  })

  it('keeps what is written after the disk was full', async () => {
    const { records, clock, update, other } = setUp()
    let isFull = false
    const cache = createCache(
      (...args) => (isFull ? Promise.reject(new DOMException('Full', 'QuotaExceededError')) : update(...args)),
      clock,
      always,
    )
    await cache.open(epoch(1), 'grace')
    await cache.put(epoch(1), () => ({ outbox: [{ ...entry, text: 'of Grace' }] }))
    await cache.transferEpoch(epoch(2), epoch(1))
    isFull = true
    await cache.open(epoch(2), 'ada')
    isFull = false
    await cache.put(epoch(2), ({ outbox }) => ({ outbox: [...outbox, entry] }))
    expect(JSON.stringify([...records])).not.toContain('of Grace')
    expect(await other.open(epoch(2), 'ada')).toMatchObject({ outbox: [entry] })
  })

  it('lets late writers lose', async () => {
    const { cache, other, records } = setUp()
    await cache.open(epoch(1), 'ada')
    await other.open(epoch(2), '')
    await cache.put(epoch(1), withText('late'))
    await cache.transferEpoch(epoch(1), epoch(0))
    expect((await cache.open(epoch(1), 'ada')).outbox).toEqual([])
    expect(JSON.stringify([...records])).not.toMatch(/late|ada/)
  })

  it('lets a tab lose that was frozen while storage was emptied and the next person logged in', async () => {
    const { cache, other, records } = setUp(id => id === '2.next.random')
    await cache.open('2.next.random', 'grace')
    await cache.put('2.next.random', withText("Grace's"))
    const before = JSON.stringify([...records])
    expect(await other.open(epoch(17), '')).toMatchObject({ ...empty, epoch: '2.next.random' })
    await other.transferEpoch(epoch(17), epoch(16))
    expect(JSON.stringify([...records])).toBe(before)
  })

  it('lets a writer lose whose transaction is only overtaken on its way', async () => {
    const { records, clock, update } = setUp()
    let release = () => {}
    const held = new Promise<void>(resolve => {
      release = resolve
    })
    const slow: UpdateRecords = (...request) => held.then(() => update(...request))
    const cache = createCache(update, clock, always)
    await cache.open(epoch(1), 'ada')
    const write = createCache(slow, clock, always).put(epoch(1), withText('late'))
    await cache.open(epoch(2), '')
    release()
    await write
    expect(JSON.stringify([...records])).not.toContain('late')
  })

  it('takes nothing of a writer whose epoch has not been opened', async () => {
    const { cache, records } = setUp()
    await cache.open(epoch(1), 'ada')
    await cache.put(epoch(2), withText('early'))
    expect(JSON.stringify([...records])).not.toContain('early')
  })

  it('says whether it has written', async () => {
    const { cache, clock, update } = setUp()
    const writes = (to: typeof cache, counter: number) => to.put(epoch(counter), () => ({ outbox: [entry] }))
    await cache.open(epoch(1), 'ada')
    expect(await writes(cache, 1)).toBe(true)
    expect(await writes(cache, 2)).toBe(false)
    // The transaction is aborted, or the page has ended the widget before it could begin.
    const full: UpdateRecords = async (...request) => {
      await update(...request)
      throw new DOMException('Full', 'QuotaExceededError')
    }
    expect(await writes(createCache(full, clock, always), 1)).toBe(false)
    expect(
      await writes(
        createCache(async () => {}, clock, always),
        1,
      ),
    ).toBe(false)
    await cache.open(epoch(2), '')
    expect(await writes(cache, 1)).toBe(false)
  })

  it("erases what is anybody else's or of another epoch before it shows anything", async () => {
    for (const [counter, owner] of [
      [1, 'grace'],
      [1, ''],
      [2, 'ada'],
    ] as const) {
      const { cache, records } = setUp()
      await cache.open(epoch(1), 'ada')
      await cache.put(epoch(1), withText('for Ada'))
      expect(await cache.open(epoch(counter), owner)).toMatchObject(empty)
      expect(JSON.stringify([...records])).not.toContain('for Ada')
    }
  })

  it('holds what a contact has for the login that has begun, and nothing of an anonymous visitor', async () => {
    for (const [owner, kept] of [
      ['ada', ['a message']],
      ['', []],
    ] as const) {
      const { cache } = setUp()
      await cache.open(epoch(1), owner)
      await cache.put(epoch(1), withText('a message'))
      await cache.transferEpoch(epoch(2), epoch(1))
      await cache.put(epoch(1), withText('late'))
      expect((await cache.open(epoch(2), owner)).outbox.map(({ text }) => text)).toEqual(kept)
    }
  })

  it('holds nothing for a login that an epoch before the last has left', async () => {
    const { cache } = setUp()
    await cache.open(epoch(1), 'ada')
    await cache.put(epoch(1), withText('a message'))
    await cache.transferEpoch(epoch(3), epoch(2))
    expect((await cache.open(epoch(3), 'ada')).outbox).toEqual([])
  })

  it('shows only what it can read', async () => {
    const { cache, records } = setUp()
    await cache.open(epoch(1), 'ada')
    const whole = records.get('stored') as CachedSession
    for (const spoiled of [7, null, { ...whole, outbox: [{ id: 'm' }] }, { ...whole, transcript: [{ id: 1 }] }]) {
      records.set('stored', spoiled)
      expect(await cache.open(epoch(1), 'ada')).toMatchObject(empty)
    }
  })

  it('keeps the outbox where the transcript can not be read', async () => {
    const { cache, records } = setUp()
    const whole = { ...(await cache.open(epoch(1), 'ada')), outbox: [entry] }
    records.set('stored', { ...whole, transcript: [{ id: 1 }] })
    expect(await cache.open(epoch(1), 'ada')).toEqual(whole)
  })

  it('goes on without a database that fails or never answers', async () => {
    const { clock } = setUp()
    const failing = createCache(() => Promise.reject(new Error('no')), clock, always)
    expect(await failing.open(epoch(1), 'ada')).toMatchObject(empty)
    // In this environment there is no `indexedDB` at all: its very mention throws, as where storage is blocked.
    const blocked = createCache(openDatabase('natter:bot', new AbortController().signal), clock, always)
    expect(await blocked.open(epoch(1), 'ada')).toMatchObject(empty)
    const silent = createCache(() => new Promise(() => {}), clock, always).open(epoch(1), 'ada')
    await clock.advance(2000)
    expect(await silent).toMatchObject(empty)
    expect(clock.timers).toBe(0)
  })
})
