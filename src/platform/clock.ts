/** The time as the platform sees it; tests hand in their own. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Milliseconds from some fixed moment, in fractions: for durations, since the time of day may be set anew. */
  elapsed(): number
  /** Calls `run` once, `ms` from now; returns its undo. */
  setTimeout(run: () => void, ms: number): () => void
}

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  setTimeout(run, ms) {
    const timer = setTimeout(run, ms)
    // What is due later must not keep a process alive that has nothing else to do.
    timer.unref()
    return () => clearTimeout(timer)
  },
}
