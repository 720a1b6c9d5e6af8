/** Time and chance as the widget sees them; tests hand in their own. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Calls `fn` once after that long; returns what calls it off. */
  after(ms: number, fn: () => void): () => void
  /** From 0 up to 1, for jitter and ids. */
  random(): number
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, fn) {
    const timer = setTimeout(fn, ms)
    return () => clearTimeout(timer)
  },
  random: () => Math.random(),
}
