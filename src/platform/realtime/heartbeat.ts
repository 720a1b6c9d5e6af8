import type { Clock } from '../clock.ts'

/** The interval of comments that show clients and proxies that a stream is alive. */
export const heartbeatMs = 15_000

/** Heartbeats that are due within this time are sent together, because a timer for each would cost more than they do. */
const batchMs = 100

/** Calls back for each listener every 15 s, with one timer for all of them. */
export function createHeartbeat<Listener>(clock: Clock, onHeartbeat: (listener: Listener) => void) {
  // When each listener is due. They are in this order, because all have the same interval.
  const due = new Map<Listener, number>()
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
      onHeartbeat(listener)
    }
    schedule()
  }

  return {
    add(listener: Listener): void {
      due.set(listener, clock.elapsed() + heartbeatMs)
      if (!stop) schedule()
    },
    remove(listener: Listener): void {
      due.delete(listener)
      if (due.size === 0) schedule()
    },
  }
}
