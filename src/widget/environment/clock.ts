/** Time and random numbers. Tests pass their own. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Calls `fn` once after `ms`. Returns a function that cancels the timer. */
  setTimeout(fn: () => void, ms: number): () => void
  /** From 0 up to 1, for jitter and ids. */
  random(): number
}

export const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout(fn, ms) {
    const timer = setTimeout(fn, ms)
    return () => clearTimeout(timer)
  },
  random: () => Math.random(),
}
