import { describe, expect, it } from 'vitest'
import { createRateWindow } from './rateLimit.ts'

const minute = 60_000
function start(quota = 2, maxKeys?: number) {
  let now = 5_000
  const options = { windowMs: minute, elapsed: () => now }
  const window = createRateWindow(maxKeys === undefined ? options : { ...options, maxKeys })
  return { count: (key: string) => window.count(key, quota), window, advance: (ms: number) => (now += ms) }
}

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
})
