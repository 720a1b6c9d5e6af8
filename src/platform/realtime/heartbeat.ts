import type { Clock } from '../clock.ts'

/** The interval of comments that show clients and proxies that a stream is alive. */
export const heartbeatMs = 15_000

/** Heartbeats that are due within this time are sent together, because a timer for each would cost more than they do. */
const batchMs = 100

/** Gets a call at every heartbeat. */
export interface HeartbeatListener {
  onHeartbeat(): void
}

/** Calls each listener every 15 s, with one timer for all of them. */
export interface Heartbeat {
  add(listener: HeartbeatListener): void
  remove(listener: HeartbeatListener): void
}

export function createHeartbeat(clock: Clock): Heartbeat {
  // When each listener is due. They are in this order, because all have the same interval.
  const due = new Map<HeartbeatListener, number>()
  let stop: (() => void) | undefined

  const schedule = (): void => {
    const [first] = due.values()
    stop?.()
    stop = first === undefined ? undefined : clock.setTimeout(callDue, Math.max(first - clock.elapsed(), batchMs))
  }
  const callDue = (): void => {
    const now = clock.elapsed()
    for (const [listener, at] of due) {
      if (at > now) break
      due.delete(listener)
      due.set(listener, now + heartbeatMs)
      listener.onHeartbeat()
    }
    schedule()
  }

  return {
    add(listener) {
      due.set(listener, clock.elapsed() + heartbeatMs)
      if (!stop) schedule()
    },
    remove(listener) {
      due.delete(listener)
      if (due.size === 0) schedule()
    },
  }
}
