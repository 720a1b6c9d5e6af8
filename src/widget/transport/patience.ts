import type { Clock } from '../clock.ts'

/** Waiting between attempts, for everything that tries again. */
export interface Patience {
  /** Twice as long with each try, with jitter, at least `atLeastMs`; shorter if woken; over at once with `over`. */
  wait(tries: number, over: AbortSignal, atLeastMs?: number): Promise<void>
  /** Ends every wait that nobody has asked for: the network is back, or the visitor wants it now. */
  wake(): void
}

const firstMs = 500
const longestMs = 30_000

export function createPatience(clock: Clock): Patience {
  const waiting = new Set<() => void>()

  const pause = (ms: number, over: AbortSignal, ends?: typeof waiting) =>
    new Promise<void>(resolve => {
      const done = () => {
        calledOff()
        ends?.delete(done)
        over.removeEventListener('abort', done)
        resolve()
      }
      const calledOff = clock.after(ms, done)
      if (over.aborted) return done()
      over.addEventListener('abort', done)
      ends?.add(done)
    })

  return {
    async wait(tries, over, atLeastMs = 0) {
      // What the platform asked for is waited for in any case.
      if (atLeastMs) await pause(atLeastMs, over)
      const longest = Math.min(longestMs, firstMs * 2 ** tries)
      // Half of it by chance, or all widgets of a restarted platform would come back at the same moment.
      await pause(longest * (0.5 + clock.random() / 2) - atLeastMs, over, waiting)
    },
    wake() {
      for (const done of [...waiting]) done()
    },
  }
}
