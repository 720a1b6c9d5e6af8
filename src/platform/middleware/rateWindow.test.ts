import { describe, expect, it } from 'vitest'
import { type Counted, createRateWindow, type RateWindowOptions } from './rateWindow.ts'

const minute = 60_000
function start(quota = 2, maxKeys?: number) {
  let now = 5_000
  const options = { windowMs: minute, elapsed: () => now }
  const window = createRateWindow(maxKeys === undefined ? options : { ...options, maxKeys })
  return { count: (key: string) => window.count(key, quota) as Counted, window, advance: (ms: number) => (now += ms) }
}

/** A window of several nodes: the requests to the store, and functions to answer them. */
function startShared() {
  let now = 5_000
  const requests: { wanted: number; answer: PromiseWithResolvers<Awaited<ReturnType<Take>>> }[] = []
  const window = createRateWindow({
    ...{ windowMs: minute, elapsed: () => now },
    consume(_, wanted) {
      const answer = Promise.withResolvers<Awaited<ReturnType<Take>>>()
      requests.push({ wanted, answer })
      return answer.promise
    },
  })
  return { count: () => window.count('a', 10), window, advance: (ms: number) => (now += ms), asked: requests }
}
type Take = NonNullable<RateWindowOptions['consume']>

describe('createRateWindow', () => {
  it('counts each key separately, from its own first request on', () => {
    const { count, advance } = start()
    expect(count('a')).toEqual({ remaining: 1, resetMs: minute })
    advance(20_000)
    expect(count('b')).toEqual({ remaining: 1, resetMs: minute })
    expect(count('a')).toEqual({ remaining: 0, resetMs: 40_000 })
    expect(count('a').remaining).toBe(-1)
    advance(40_000)
    expect(count('a')).toEqual({ remaining: 1, resetMs: minute })
    expect(count('b')).toEqual({ remaining: 0, resetMs: 20_000 })
  })

  it('keeps counting across rotations, whenever a window has started', () => {
    const { count, advance } = start(100)
    for (let used = 1; used <= 60; used += 1) {
      expect(count('steady').remaining).toBe(100 - used)
      advance(999)
    }
    advance(60)
    expect(count('steady').remaining).toBe(99)
  })

  it('removes the oldest of too many keys, and all expired ones', () => {
    const { count, advance } = start(2, 3)
    for (const key of ['a', 'b', 'c', 'd']) count(key)
    expect(count('d').remaining).toBe(0)
    expect(count('a').remaining).toBe(1)
    advance(5 * minute)
    for (const key of ['a', 'b', 'c', 'd']) expect(count(key).remaining).toBe(1)
  })

  it('takes another quota from the next window on', () => {
    const { window, advance } = start()
    window.count('a', 2)
    expect(window.count('a', 5)).toMatchObject({ remaining: 0 })
    advance(minute)
    expect(window.count('a', 5)).toMatchObject({ remaining: 4 })
  })

  it('knows which keys it has counted lately, and for how long one is used up', () => {
    const { count, window, advance } = start(2)
    expect([window.has('a'), window.usedUpForMs('a')]).toEqual([false, 0])
    count('a')
    expect([window.has('a'), window.usedUpForMs('a')]).toEqual([true, 0])
    advance(10_000)
    count('a')
    expect(window.usedUpForMs('a')).toBe(50_000)
    advance(50_000)
    expect(window.usedUpForMs('a')).toBe(0)
  })

  it('does not take a key for used up while other nodes may have left some of it', async () => {
    const { count, window, asked } = startShared()
    const first = count()
    asked[0]?.answer.resolve({ granted: 1, left: 1, resetMs: minute })
    await first
    expect(window.usedUpForMs('a')).toBe(0)
    const second = count()
    asked[1]?.answer.resolve({ granted: 1, left: 0, resetMs: minute })
    await second
    expect(window.usedUpForMs('a')).toBe(minute)
  })

  it('uses the permits that it has taken, and requests more when they are used up', async () => {
    const { count, advance, asked } = startShared()
    const first = count()
    advance(30)
    asked[0]?.answer.resolve({ granted: 2, left: 5, resetMs: 50_000 })
    // They are valid for as long as they were when they were requested.
    expect(await first).toEqual({ remaining: 6, resetMs: 49_970 })
    expect(count()).toEqual({ remaining: 5, resetMs: 49_970 })
    const third = count()
    asked[1]?.answer.resolve({ granted: 0, left: 0, resetMs: 49_970 })
    expect(await third).toEqual({ remaining: -1, resetMs: 49_970 })
    // No permits are left, so the store is not asked.
    expect(count()).toEqual({ remaining: -1, resetMs: 49_970 })
    advance(49_970)
    const next = count()
    asked[2]?.answer.resolve({ granted: 3, left: 7, resetMs: minute })
    expect(await next).toEqual({ remaining: 9, resetMs: minute })
    expect(asked).toHaveLength(3)
  })

  it('takes permits for all waiting requests together, and never uses more than granted', async () => {
    const { count, asked } = startShared()
    const waiting = Array.from({ length: 5 }, count)
    asked[0]?.answer.resolve({ granted: 2, left: 8, resetMs: minute })
    await waiting[0]
    await expect.poll(() => asked.map(({ wanted }) => wanted)).toEqual([1, 3])
    asked[1]?.answer.resolve({ granted: 1, left: 0, resetMs: minute })
    const counted = await Promise.all(waiting)
    expect(counted.map(({ remaining }) => remaining)).toEqual([9, 8, 0, -1, -1])
  })

  it('fails if the store fails, and asks again the next time', async () => {
    const { count, asked } = startShared()
    const failing = [count(), count()]
    asked[0]?.answer.reject(new Error('no answer'))
    for (const one of failing) await expect(one).rejects.toThrow('no answer')
    const next = count()
    asked[1]?.answer.resolve({ granted: 1, left: 0, resetMs: minute })
    expect((await next).remaining).toBe(0)
  })
})
