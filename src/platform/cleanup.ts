import type { Clock } from './clock.ts'

export interface Cleanup {
  add(closer: () => unknown): void
  /**
   * Closes what has been added, the last first. If one cannot be closed, or not in time, the others are closed all the same.
   * Rejects with the first error after that. Resolves to `false` if something was not closed in time.
   */
  close(): Promise<boolean>
}

/** Creates a list of things to close, which takes `withinMs` at most: a store that does not answer must not prevent an end. */
export function createCleanup({ clock, withinMs }: { clock: Pick<Clock, 'setTimeout'>; withinMs: number }): Cleanup {
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
      }, withinMs)
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
