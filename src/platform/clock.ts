/** The platform's source of time; tests pass their own. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Monotonic milliseconds, with fractions. Use it for durations: the time of day can be changed. */
  elapsed(): number
  /** Calls `run` once after `ms` milliseconds; returns a function that cancels it. */
  setTimeout(run: () => void, ms: number): () => void
}

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  setTimeout(run, ms) {
    const timer = setTimeout(run, ms)
    // A pending timer must not keep the process alive.
    timer.unref()
    return () => clearTimeout(timer)
  },
}
