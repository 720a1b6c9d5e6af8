import type { Clock } from '../environment/clock.ts'

/** The wait between two attempts, shared by everything that retries. */
export interface Backoff {
  /**
   * Waits with exponential backoff and jitter. `retryNow()` ends the wait early, but not before `atLeastMs`; `abortSignal`
   * ends it at once.
   */
  wait(tries: number, abortSignal: AbortSignal, atLeastMs?: number): Promise<void>
  /**
   * Ends all waits, except for the part that `atLeastMs` demands. Call it when the network is back or the visitor asks to
   * retry.
   */
  retryNow(): void
}

const firstWaitMs = 500
const maxWaitMs = 30_000

export function createBackoff(clock: Clock): Backoff {
  /** One function for each wait that `retryNow()` may end. */
  const skippableWaits = new Set<() => void>()

  /** Resolves after `ms`, on abort, or, if `isSkippable`, when `retryNow()` is called. */
  const pause = (ms: number, abortSignal: AbortSignal, isSkippable: boolean) =>
    new Promise<void>(resolve => {
      const finish = () => {
        cancelTimer()
        skippableWaits.delete(finish)
        abortSignal.removeEventListener('abort', finish)
        resolve()
      }
      const cancelTimer = clock.setTimeout(finish, ms)
      if (abortSignal.aborted) return finish()
      abortSignal.addEventListener('abort', finish)
      if (isSkippable) skippableWaits.add(finish)
    })

  return {
    async wait(tries, abortSignal, atLeastMs = 0) {
      if (atLeastMs) await pause(atLeastMs, abortSignal, false)
      const waitMs = Math.min(maxWaitMs, firstWaitMs * 2 ** tries)
      // Half of the wait is random. Otherwise all widgets would reconnect to a restarted platform at the same moment.
      await pause(waitMs * (0.5 + clock.random() / 2) - atLeastMs, abortSignal, true)
    },
    retryNow() {
      for (const finish of [...skippableWaits]) finish()
    },
  }
}
