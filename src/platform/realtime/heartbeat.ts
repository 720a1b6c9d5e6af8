import type { Clock } from '../clock.ts'

/** Ours: a comment each 15 s, by which client and proxies know that the stream lives. */
export const heartbeatMs = 15_000

/** Beats that are due at nearly the same time are done at once: a timer for each would cost more than the beat. */
const togetherMs = 100

/** What has to give a sign of life. */
export interface Beating {
  beat(): void
}

/** One timer for all that beats. */
export interface Heartbeat {
  add(beating: Beating): void
  remove(beating: Beating): void
}

export function createHeartbeat(clock: Clock): Heartbeat {
  // All wait equally long, so whoever has waited longest stands first.
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
