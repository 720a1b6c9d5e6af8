/** Counts events per key in windows of a fixed length. */
export interface RateWindow {
  /** Counts one event of a key that may have `quota` events per window. */
  count(key: string, quota: number): Counted
  /** Time until the key may have events again, in milliseconds; 0 if it may have one now. */
  usedUpForMs(key: string): number
  /**
   * Whether an event of the key was counted lately. Keys are kept for one to two windows; longer if nothing is counted.
   */
  has(key: string): boolean
}

export interface Counted {
  /** The number of further events that are allowed; negative if this event is over the limit. */
  remaining: number
  /** Time until the window ends. */
  resetMs: number
}

export interface RateWindowOptions {
  windowMs: number
  /** Monotonic milliseconds. */
  elapsed: () => number
  /**
   * The most keys of a window, so that clients cannot fill the memory with invented keys; default 100 000. With the
   * previous window, up to twice as many are kept.
   */
  maxKeys?: number
}

interface Window {
  endsAt: number
  /** How many further events are allowed. */
  left: number
}

/**
 * Fixed windows, each of which begins with the first event of its key. Not a library's, because this one uses the
 * platform's clock, decides synchronously, and drops old keys without a timer or a scan.
 */
export function createRateWindow({ windowMs, elapsed, maxKeys = 100_000 }: RateWindowOptions): RateWindow {
  let currentKeys = new Map<string, Window>()
  let previousKeys = new Map<string, Window>()
  let rotatedAt = elapsed()

  const windowOf = (key: string): Window => {
    const now = elapsed()
    if (now - rotatedAt >= windowMs) {
      previousKeys = currentKeys
      currentKeys = new Map()
      rotatedAt = now
    }
    const found = currentKeys.get(key)
    if (found) return found
    const window = previousKeys.get(key) ?? { endsAt: now, left: 0 }
    const [oldest] = currentKeys.size >= maxKeys ? currentKeys.keys() : []
    if (oldest !== undefined) currentKeys.delete(oldest)
    currentKeys.set(key, window)
    return window
  }

  return {
    count(key, quota) {
      const window = windowOf(key)
      const now = elapsed()
      if (now >= window.endsAt) Object.assign(window, { endsAt: now + windowMs, left: quota })
      const resetMs = window.endsAt - now
      if (window.left === 0) return { remaining: -1, resetMs }
      window.left -= 1
      return { remaining: window.left, resetMs }
    },
    usedUpForMs(key) {
      const window = currentKeys.get(key) ?? previousKeys.get(key)
      return window?.left === 0 ? Math.max(0, window.endsAt - elapsed()) : 0
    },
    has: key => currentKeys.has(key) || previousKeys.has(key),
  }
}
