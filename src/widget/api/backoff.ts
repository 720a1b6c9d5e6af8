import type { Clock } from '../app/environment.ts'

/** Waits between attempts, for everything that retries. */
export interface Backoff {
  /**
   * Waits twice as long with each try, with jitter. `retryNow` ends the wait early, but never before `atLeastMs`; aborting
   * ends it at once.
   */
  wait(tries: number, abortSignal: AbortSignal, atLeastMs?: number): Promise<void>
  /** Ends every wait that the platform has not asked for: the network is back, or the visitor wants an answer now. */
  retryNow(): void
}

const firstMs = 500
const longestMs = 30_000

export function createBackoff(clock: Clock): Backoff {
  const wakers = new Set<() => void>()

  /** Resolves after `ms`, when aborted, or, with `isWakeable`, by `retryNow`. */
  const pause = (ms: number, abortSignal: AbortSignal, isWakeable: boolean) =>
    new Promise<void>(resolve => {
      const wake = () => {
        cancelTimer()
        wakers.delete(wake)
        abortSignal.removeEventListener('abort', wake)
        resolve()
      }
      const cancelTimer = clock.setTimeout(wake, ms)
      if (abortSignal.aborted) return wake()
      abortSignal.addEventListener('abort', wake)
      if (isWakeable) wakers.add(wake)
    })

  return {
    async wait(tries, abortSignal, atLeastMs = 0) {
      if (atLeastMs) await pause(atLeastMs, abortSignal, false)
      const longest = Math.min(longestMs, firstMs * 2 ** tries)
      // Half of it is random. Otherwise all widgets would come back to a restarted platform at the same moment.
      await pause(longest * (0.5 + clock.random() / 2) - atLeastMs, abortSignal, true)
    },
    retryNow() {
      for (const wake of [...wakers]) wake()
    },
  }
}
