import { describe, expect, it } from 'vitest'
import { createRateWindow } from './rateWindow.ts'

const minute = 60_000
function start(quota = 2, maxKeys?: number) {
  let now = 5_000
  const options = { quota, windowMs: minute, elapsed: () => now }
  const window = createRateWindow(maxKeys === undefined ? options : { ...options, maxKeys })
  return { count: window.count, advance: (ms: number) => (now += ms) }
}

describe('createRateWindow', () => {
  it('counts each key apart, from its own first time on', () => {
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

  it('keeps counting across its own turns, whenever a window has begun', () => {
    const { count, advance } = start(100)
    for (let used = 1; used <= 60; used += 1) {
      expect(count('steady').remaining).toBe(100 - used)
      advance(999)
    }
    advance(60)
    expect(count('steady').remaining).toBe(99)
  })

  it('forgets the oldest of too many keys, and all that have had their time', () => {
    const { count, advance } = start(2, 3)
    for (const key of ['a', 'b', 'c', 'd']) count(key)
    expect(count('d').remaining).toBe(0)
    expect(count('a').remaining).toBe(1)
    advance(5 * minute)
    for (const key of ['a', 'b', 'c', 'd']) expect(count(key).remaining).toBe(1)
  })
})
