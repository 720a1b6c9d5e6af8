import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { systemClock } from '../clock.ts'
import { createHeartbeat, heartbeatMs } from './heartbeat.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function start() {
  const heartbeat = createHeartbeat<{ onHeartbeat(): void }>(systemClock, listener => listener.onHeartbeat())
  const add = () => {
    const listener: { count: number; onHeartbeat(): void } = { count: 0, onHeartbeat: () => void listener.count++ }
    heartbeat.add(listener)
    return listener
  }
  return { heartbeat, add }
}

describe('createHeartbeat', () => {
  it('calls each callback at its own time, with one timer for all', () => {
    const { add } = start()
    const first = add()
    vi.advanceTimersByTime(5000)
    const second = add()
    expect(vi.getTimerCount()).toBe(1)
    vi.advanceTimersByTime(heartbeatMs - 5000)
    expect([first.count, second.count]).toEqual([1, 0])
    vi.advanceTimersByTime(5000)
    expect([first.count, second.count]).toEqual([1, 1])
    vi.advanceTimersByTime(10 * heartbeatMs)
    expect([first.count, second.count]).toEqual([11, 11])
  })

  it('uses its timer at most ten times per second, however many callbacks there are', () => {
    const { heartbeat } = start()
    const moments = new Set<number>()
    for (let count = 0; count < 1000; count++) {
      heartbeat.add({ onHeartbeat: () => void moments.add(systemClock.elapsed()) })
      vi.advanceTimersByTime(1)
    }
    vi.advanceTimersByTime(heartbeatMs)
    expect(moments.size).toBeGreaterThan(1)
    expect(moments.size).toBeLessThanOrEqual(11)
  })

  it('has no timer when there is no callback, even if one removes itself, and one when one is added', () => {
    const { heartbeat, add } = start()
    heartbeat.remove(add())
    expect(vi.getTimerCount()).toBe(0)
    const other = add()
    other.onHeartbeat = () => heartbeat.remove(other)
    vi.advanceTimersByTime(heartbeatMs)
    expect(vi.getTimerCount()).toBe(0)
    const late = add()
    late.onHeartbeat = () => {
      heartbeat.remove(late)
      add()
    }
    vi.advanceTimersByTime(heartbeatMs)
    expect(vi.getTimerCount()).toBe(1)
  })
})
