import type { Clock } from '../environment/clock.ts'

export type Backoff = ReturnType<typeof createBackoff>

const firstWaitMs = 500
const maxWaitMs = 30_000

/** The wait between two attempts, shared by everything that retries. */
export function createBackoff(clock: Clock) {
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
    /**
     * Waits with exponential backoff and jitter. `retryNow()` ends the wait early, but not before `atLeastMs`; `abortSignal`
     * ends it at once.
     */
    async wait(tries: number, abortSignal: AbortSignal, atLeastMs = 0): Promise<void> {
      if (atLeastMs) await pause(atLeastMs, abortSignal, false)
      const waitMs = Math.min(maxWaitMs, firstWaitMs * 2 ** tries)
      // Half of the wait is random. Otherwise all widgets would reconnect to a restarted platform at the same moment.
      await pause(waitMs * (0.5 + clock.random() / 2) - atLeastMs, abortSignal, true)
    },
    /**
     * Ends all waits, except for the part that `atLeastMs` demands. Call it when the network is back or the visitor asks to
     * retry.
     */
    retryNow(): void {
      for (const finish of [...skippableWaits]) finish()
    },
  }
}
