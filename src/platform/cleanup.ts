import { type Clock, systemClock } from './clock.ts'

export interface Cleanup {
  add(closer: () => unknown): void
  /**
   * Closes what has been added, the last first. If one cannot be closed, or not in time, the others are closed all the same.
   * Rejects with the first error after that. Resolves to `false` if something was not closed in time.
   */
  close(): Promise<boolean>
}

/** Less than the 10 s after which process managers send SIGKILL. */
const closeWithinMs = 9_000

/** Creates a list of things to close, which takes 9 s at most: a store that does not answer must not prevent an end. */
export function createCleanup(clock: Pick<Clock, 'setTimeout'> = systemClock): Cleanup {
  const closers: (() => unknown)[] = []
  return {
    add(closer) {
      closers.push(closer)
    },
    async close() {
      const errors: unknown[] = []
      let isInTime = true
      const late = Promise.withResolvers<void>()
      const cancelTimer = clock.setTimeout(() => {
        isInTime = false
        late.resolve()
      }, closeWithinMs)
      const run = async (closer: () => unknown): Promise<void> => {
        try {
          await closer()
        } catch (error) {
          errors.push(error)
        }
      }
      for (const closer of closers.splice(0).reverse()) await Promise.race([run(closer), late.promise])
      cancelTimer()
      if (errors.length > 0) throw errors[0]
      return isInTime
    },
  }
}
