import type { Clock } from '../app/environment.ts'

/** Waiting between attempts, for everything that tries again. */
export interface Backoff {
  /** Twice as long with each try, with jitter, at least `atLeastMs`; shorter if woken; over at once with `over`. */
  wait(tries: number, abortSignal: AbortSignal, atLeastMs?: number): Promise<void>
  /** Ends every wait that nobody has asked for: the network is back, or the visitor wants it now. */
  retryNow(): void
}

const firstMs = 500
const longestMs = 30_000

export function createBackoff(clock: Clock): Backoff {
  const waiting = new Set<() => void>()

  const pause = (ms: number, abortSignal: AbortSignal, ends?: typeof waiting) =>
    new Promise<void>(resolve => {
      const done = () => {
        cancelTimer()
        ends?.delete(done)
        abortSignal.removeEventListener('abort', done)
        resolve()
      }
      const cancelTimer = clock.setTimeout(done, ms)
      if (abortSignal.aborted) return done()
      abortSignal.addEventListener('abort', done)
      ends?.add(done)
    })

  return {
    async wait(tries, abortSignal, atLeastMs = 0) {
      // What the platform asked for is waited for in any case.
      if (atLeastMs) await pause(atLeastMs, abortSignal)
      const longest = Math.min(longestMs, firstMs * 2 ** tries)
      // Half of it by chance, or all widgets of a restarted platform would come back at the same moment.
      await pause(longest * (0.5 + clock.random() / 2) - atLeastMs, abortSignal, waiting)
    },
    retryNow() {
      for (const done of [...waiting]) done()
    },
  }
}
