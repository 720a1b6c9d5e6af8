import { describe, expect, it } from 'vitest'
import { createFakeClock } from '../fixtures.ts'
import { createCache, createMemoryTransact, type Transact } from './cache.ts'

const entry = { id: 'm', text: 'Hello', createdAt: '2026-01-01T00:00:00.000Z' }

function setUp() {
  const records = new Map<unknown, unknown>()
  const clock = createFakeClock()
  const transact = createMemoryTransact(records)
  return { records, clock, transact, cache: createCache(transact, clock), other: createCache(transact, clock) }
}

describe('the cache', () => {
  it('keeps what is written for its owner', async () => {
    const { cache, other } = setUp()
    await cache.open(1, 'ada')
    await cache.put(1, 'draft', 'half a thought')
    await cache.put(1, 'outbox:m', entry)
    expect(await other.open(1, 'ada')).toEqual({ draft: 'half a thought', outbox: [entry], transcript: [] })
  })

  it('lets late writers lose', async () => {
    const { cache, other, records } = setUp()
    await cache.open(1, 'ada')
    await other.open(2, '')
    await cache.put(1, 'draft', 'late')
    await cache.claim(1, 0)
    expect((await cache.open(1, 'ada')).draft).toBe('')
    expect(JSON.stringify([...records])).not.toMatch(/late|ada/)
  })

  it('lets a writer lose whose transaction is only overtaken on its way', async () => {
    const { records, clock, transact } = setUp()
    let release = () => {}
    const held = new Promise<void>(resolve => {
      release = resolve
    })
    const slow: Transact = (all, decide) => held.then(() => transact(all, decide))
    const cache = createCache(transact, clock)
    await cache.open(1, 'ada')
    const write = createCache(slow, clock).put(1, 'draft', 'late')
    await cache.open(2, '')
    release()
    await write
    expect(JSON.stringify([...records])).not.toContain('late')
  })

  it("erases what is anybody else's or of another epoch before it shows anything", async () => {
    for (const [epoch, owner] of [
      [1, 'grace'],
      [1, ''],
      [2, 'ada'],
    ] as const) {
      const { cache, records } = setUp()
      await cache.open(1, 'ada')
      await cache.put(1, 'draft', 'for Ada')
      expect(await cache.open(epoch, owner)).toEqual({ draft: '', outbox: [], transcript: [] })
      expect(JSON.stringify([...records])).not.toContain('for Ada')
    }
  })

  it('holds what a contact has for the login that has begun, and nothing of an anonymous visitor', async () => {
    for (const [owner, kept] of [
      ['ada', 'a draft'],
      ['', ''],
    ] as const) {
      const { cache } = setUp()
      await cache.open(1, owner)
      await cache.put(1, 'draft', 'a draft')
      await cache.claim(2, 1)
      await cache.put(1, 'draft', 'late')
      expect((await cache.open(2, owner)).draft).toBe(kept)
    }
  })

  it('shows only what it can read', async () => {
    const { cache, records } = setUp()
    await cache.open(1, 'ada')
    records
      .set('transcript', [{ id: 1 }])
      .set('draft', 7)
      .set('outbox:m', { id: 'm' })
      .set('outbox:n', entry)
    expect(await cache.open(1, 'ada')).toEqual({ draft: '', outbox: [entry], transcript: [] })
  })

  it('goes on without a database that fails or never answers', async () => {
    const { clock } = setUp()
    const failing = createCache(() => Promise.reject(new Error('no')), clock)
    expect(await failing.open(1, 'ada')).toEqual({ draft: '', outbox: [], transcript: [] })
    const silent = createCache(() => new Promise(() => {}), clock).open(1, 'ada')
    await clock.advance(2000)
    expect(await silent).toEqual({ draft: '', outbox: [], transcript: [] })
    expect(clock.timers).toBe(0)
  })
})
