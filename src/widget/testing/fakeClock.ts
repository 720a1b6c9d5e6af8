import type { Clock } from '../environment/clock.ts'

/** Waits until all pending microtasks have run. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 200; turn++) await Promise.resolve()
}

export interface FakeClock extends Clock {
  advance(ms: number): Promise<void>
  /** Lets time pass while the computer is asleep. Timers that become due run late, at the next `advance()`. */
  sleep(ms: number): void
  /** The number of running timers. */
  readonly timers: number
}

export function createFakeClock(): FakeClock {
  let now = Date.UTC(2026, 0, 1)
  const timers = new Set<{ at: number; fn: () => void }>()
  return {
    now: () => now,
    random: () => 0.5,
    setTimeout(fn, ms) {
      const timer = { at: now + ms, fn }
      timers.add(timer)
      return () => timers.delete(timer)
    },
    async advance(ms) {
      const end = now + ms
      for (;;) {
        await settle()
        const next = [...timers].filter(({ at }) => at <= end).sort((one, other) => one.at - other.at)[0]
        if (!next) break
        timers.delete(next)
        now = Math.max(now, next.at)
        next.fn()
      }
      now = end
      await settle()
    },
    sleep(ms) {
      now += ms
    },
    get timers() {
      return timers.size
    },
  }
}
