import type { QuotaGrant } from '../store/store.ts'

/** Counts events per key in windows of a fixed length. */
export interface RateWindow {
  /**
   * Counts one event of a key that may have `quota` events per window. Returns a promise only if it has to get permits
   * from the store.
   */
  count(key: string, quota: number): Counted | Promise<Counted>
  /** Time for which this node knows that no permits are left, in milliseconds; 0 if it would have to ask the store. */
  usedUpForMs(key: string): number
  /**
   * Whether an event of the key was counted lately. Keys are kept for one to two windows; longer if nothing is counted.
   */
  has(key: string): boolean
}

export interface Counted {
  /** The number of further events that this node would allow; negative if this event is over the limit. */
  remaining: number
  /** Time until the window ends. */
  resetMs: number
}

export interface RateWindowOptions {
  windowMs: number
  /** Monotonic milliseconds. */
  elapsed: () => number
  /** Takes at least `wanted` permits from the quota that nodes share. Without it, this process counts by itself. */
  consume?: ((key: string, wanted: number, quota: number) => Promise<QuotaGrant>) | undefined
  /**
   * The most keys of a window, so that clients cannot fill the memory with invented keys; default 100 000. With the
   * previous window, up to twice as many are kept.
   */
  maxKeys?: number
}

interface Window {
  endsAt: number
  /** Permits that this node has left. */
  permits: number
  /** Permits that the store had left when this node last asked. */
  left: number
  /** The number of calls that wait for permits. */
  waiting: number
  consuming: Promise<void> | undefined
}

/**
 * Fixed windows, each of which begins with the first event of its key. Not a library's, because this one uses the
 * platform's clock, decides synchronously, and drops old keys without a timer or a scan.
 */
export function createRateWindow({ windowMs, elapsed, consume, maxKeys = 100_000 }: RateWindowOptions): RateWindow {
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
    const window = previousKeys.get(key) ?? { endsAt: now, permits: 0, left: 0, waiting: 0, consuming: undefined }
    const [oldest] = currentKeys.size >= maxKeys ? currentKeys.keys() : []
    if (oldest !== undefined) currentKeys.delete(oldest)
    currentKeys.set(key, window)
    return window
  }

  const fill = (window: Window, { granted, left, resetMs }: QuotaGrant, askedAt: number): void => {
    window.permits = granted
    window.left = left
    // Count from the call, not from its result: permits must not expire here later than in the store.
    window.endsAt = askedAt + resetMs
  }

  /** Whether this node can decide without the store. */
  const isKnown = ({ endsAt, permits, left }: Window): boolean => elapsed() < endsAt && (permits > 0 || left === 0)

  const spend = (window: Window): Counted => {
    const resetMs = window.endsAt - elapsed()
    if (window.permits === 0) return { remaining: -1, resetMs }
    window.permits -= 1
    return { remaining: window.permits + window.left, resetMs }
  }

  /** Takes permits from the store in one call for all events of a key that wait for them. */
  async function spendConsumed(
    window: Window,
    key: string,
    quota: number,
    consumeSome: NonNullable<typeof consume>,
  ): Promise<Counted> {
    const refill = async (): Promise<void> => {
      const askedAt = elapsed()
      try {
        fill(window, await consumeSome(key, window.waiting, quota), askedAt)
      } finally {
        window.consuming = undefined
      }
    }
    window.waiting += 1
    try {
      while (!isKnown(window)) {
        window.consuming ??= refill()
        await window.consuming
      }
    } finally {
      window.waiting -= 1
    }
    return spend(window)
  }

  return {
    count(key, quota) {
      const window = windowOf(key)
      if (!isKnown(window)) {
        if (consume) return spendConsumed(window, key, quota, consume)
        fill(window, { granted: quota, left: 0, resetMs: windowMs }, elapsed())
      }
      return spend(window)
    },
    usedUpForMs(key) {
      const window = currentKeys.get(key) ?? previousKeys.get(key)
      return window && isKnown(window) && window.permits === 0 ? window.endsAt - elapsed() : 0
    },
    has: key => currentKeys.has(key) || previousKeys.has(key),
  }
}
