import type { QuotaGrant } from '../store/store.ts'

/** Counts how often something has happened for a key since the key's window began. */
export interface RateWindow {
  /** Counts once more; a promise only where the store is asked for permits. */
  count(key: string): Counted | Promise<Counted>
}

export interface Counted {
  /** How often it may still happen, as far as is known here; negative where this time is too often. */
  remaining: number
  resetMs: number
}

export interface RateWindowOptions {
  /** How often it may happen in a window. */
  quota: number
  windowMs: number
  /** Milliseconds from some fixed moment. */
  elapsed: () => number
  /** Takes permits for so many at least, of all that nodes share; without it this process counts for itself. */
  consume?: ((key: string, wanted: number) => Promise<QuotaGrant>) | undefined
  /** Of more keys than these the oldest is forgotten, so that nobody fills the memory with keys of their own. */
  maxKeys?: number
}

interface Window {
  endsAt: number
  /** What may happen here without asking anybody. */
  permits: number
  /** What nodes had left to take when this one has asked. */
  left: number
  /** How many wait for permits, and for which. */
  waiting: number
  consuming: Promise<void> | undefined
}

/**
 * Windows of a fixed length, each from its key's first time on. Ours, since it is run by the platform's clock, answers
 * without a promise and forgets by generations: no timer and no search for what has passed.
 */
export function createRateWindow({
  quota,
  windowMs,
  elapsed,
  consume,
  maxKeys = 100_000,
}: RateWindowOptions): RateWindow {
  let young = new Map<string, Window>()
  let old = new Map<string, Window>()
  let rotatedAt = elapsed()

  const windowOf = (key: string): Window => {
    const now = elapsed()
    if (now - rotatedAt >= windowMs) {
      old = young
      young = new Map()
      rotatedAt = now
    }
    const found = young.get(key)
    if (found) return found
    const window = old.get(key) ?? { endsAt: now, permits: 0, left: 0, waiting: 0, consuming: undefined }
    const [oldest] = young.size >= maxKeys ? young.keys() : []
    if (oldest !== undefined) young.delete(oldest)
    young.set(key, window)
    return window
  }

  const fill = (window: Window, { granted, left, resetMs }: QuotaGrant, askedAt: number): void => {
    window.permits = granted
    window.left = left
    // Not from the answer on: a permit must be over here before its window is over for all.
    window.endsAt = askedAt + resetMs
  }

  /** Whether what is known here decides. */
  const isKnown = ({ endsAt, permits, left }: Window): boolean => elapsed() < endsAt && (permits > 0 || left === 0)

  const spend = (window: Window): Counted => {
    const resetMs = window.endsAt - elapsed()
    if (window.permits === 0) return { remaining: -1, resetMs }
    window.permits -= 1
    return { remaining: window.permits + window.left, resetMs }
  }

  /** All that wait for the same key are taken for together. */
  async function spendConsumed(
    window: Window,
    key: string,
    consumeSome: NonNullable<typeof consume>,
  ): Promise<Counted> {
    const refill = async (): Promise<void> => {
      const askedAt = elapsed()
      try {
        fill(window, await consumeSome(key, window.waiting), askedAt)
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
    count(key) {
      const window = windowOf(key)
      if (!isKnown(window)) {
        if (consume) return spendConsumed(window, key, consume)
        fill(window, { granted: quota, left: 0, resetMs: windowMs }, elapsed())
      }
      return spend(window)
    },
  }
}
