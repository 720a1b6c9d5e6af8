import { describe, expect, it } from 'vitest'
import type { Clock } from '../clock.ts'
import { createManualClock } from '../testing/testTenants.ts'
import { createHeartbeat, heartbeatMs } from './heartbeat.ts'

function start() {
  const clock = createManualClock()
  const timers = new Set<object>()
  const counting: Clock = {
    ...clock,
    setTimeout(run, ms) {
      const timer = {}
      timers.add(timer)
      const cancel = clock.setTimeout(() => {
        timers.delete(timer)
        run()
      }, ms)
      return () => {
        timers.delete(timer)
        cancel()
      }
    },
  }
  const heartbeat = createHeartbeat<{ onHeartbeat(): void }>(counting, listener => listener.onHeartbeat())
  const add = () => {
    const listener: { count: number; onHeartbeat(): void } = { count: 0, onHeartbeat: () => void listener.count++ }
    heartbeat.add(listener)
    return listener
  }
  return { clock, heartbeat, add, timers: () => timers.size }
}

describe('createHeartbeat', () => {
  it('calls each callback at its own time, with one timer for all', () => {
    const { clock, add, timers } = start()
    const first = add()
    clock.advance(5000)
    const second = add()
    expect(timers()).toBe(1)
    clock.advance(heartbeatMs - 5000)
    expect([first.count, second.count]).toEqual([1, 0])
    clock.advance(5000)
    expect([first.count, second.count]).toEqual([1, 1])
    clock.advance(10 * heartbeatMs)
    expect([first.count, second.count]).toEqual([11, 11])
  })

  it('uses its timer at most ten times per second, however many callbacks there are', () => {
    const { clock, heartbeat } = start()
    const moments = new Set<number>()
    for (let count = 0; count < 1000; count++) {
      heartbeat.add({ onHeartbeat: () => void moments.add(clock.elapsed()) })
      clock.advance(1)
    }
    clock.advance(heartbeatMs)
    expect(moments.size).toBeGreaterThan(1)
    expect(moments.size).toBeLessThanOrEqual(11)
  })

  it('has no timer when there is no callback, even if one removes itself, and one when one is added', () => {
    const { clock, heartbeat, add, timers } = start()
    heartbeat.remove(add())
    expect(timers()).toBe(0)
    const other = add()
    other.onHeartbeat = () => heartbeat.remove(other)
    clock.advance(heartbeatMs)
    expect(timers()).toBe(0)
    const late = add()
    late.onHeartbeat = () => {
      heartbeat.remove(late)
      add()
    }
    clock.advance(heartbeatMs)
    expect(timers()).toBe(1)
  })
})
