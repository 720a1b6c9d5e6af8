/** Counts how often something has happened for a key since the key's window began. */
export interface RateWindow {
  /** Counts once more; `remaining` is negative from the first time on that is too often. */
  count(key: string): { remaining: number; resetMs: number }
}

export interface RateWindowOptions {
  /** How often it may happen in a window. */
  quota: number
  windowMs: number
  /** Milliseconds from some fixed moment. */
  elapsed: () => number
  /** Of more keys than these the oldest is forgotten, so that nobody fills the memory with keys of their own. */
  maxKeys?: number
}

/**
 * Windows of a fixed length, each from its key's first time on. Ours, since it is run by the platform's clock, answers
 * without a promise and forgets by generations: no timer and no search for what has passed.
 */
export function createRateWindow({ quota, windowMs, elapsed, maxKeys = 100_000 }: RateWindowOptions): RateWindow {
  type Window = { start: number; used: number }
  let young = new Map<string, Window>()
  let old = new Map<string, Window>()
  let turnedAt = elapsed()

  const windowOf = (key: string, now: number): Window => {
    if (now - turnedAt >= windowMs) {
      old = young
      young = new Map()
      turnedAt = now
    }
    const found = young.get(key)
    if (found) return found
    const window = old.get(key) ?? { start: now, used: 0 }
    const [oldest] = young.size >= maxKeys ? young.keys() : []
    if (oldest !== undefined) young.delete(oldest)
    young.set(key, window)
    return window
  }

  return {
    count(key) {
      const now = elapsed()
      const window = windowOf(key, now)
      if (now - window.start >= windowMs) {
        window.start = now
        window.used = 0
      }
      window.used += 1
      return { remaining: quota - window.used, resetMs: window.start + windowMs - now }
    },
  }
}
