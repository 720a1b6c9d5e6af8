import type { Clock } from '../clock.ts'

/** The interval of comments that show clients and proxies that a stream is alive. */
export const heartbeatMs = 15_000

/** Beats that are due within this time run together, because a timer for each would cost more than the beats. */
const togetherMs = 100

/** Something that has to give a sign of life regularly. */
export interface Beating {
  beat(): void
}

/** Calls `beat` of each member every 15 s, with one timer for all of them. */
export interface Heartbeat {
  add(beating: Beating): void
  remove(beating: Beating): void
}

export function createHeartbeat(clock: Clock): Heartbeat {
  // In the order in which they are due: all wait equally long.
  const due = new Map<Beating, number>()
  let stop: (() => void) | undefined

  const schedule = (): void => {
    const [first] = due.values()
    stop?.()
    stop = first === undefined ? undefined : clock.setTimeout(beat, Math.max(first - clock.elapsed(), togetherMs))
  }
  const beat = (): void => {
    const now = clock.elapsed()
    for (const [beating, at] of due) {
      if (at > now) break
      due.delete(beating)
      due.set(beating, now + heartbeatMs)
      beating.beat()
    }
    schedule()
  }

  return {
    add(beating) {
      due.set(beating, clock.elapsed() + heartbeatMs)
      if (!stop) schedule()
    },
    remove(beating) {
      due.delete(beating)
      if (due.size === 0) schedule()
    },
  }
}
