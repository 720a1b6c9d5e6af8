import { type Clock, systemClock } from './clock.ts'

/** Less than the 10 s after which process managers send SIGKILL. */
const closeWithinMs = 9_000

/** Creates a list of things to close, which takes 9 s at most: a store that does not answer must not keep the process from ending. */
export function createCleanup(clock: Pick<Clock, 'setTimeout'> = systemClock) {
  const added: { name: string; closer: () => unknown }[] = []
  return {
    /** `name`: what is closed, for the log. */
    add(name: string, closer: () => unknown): void {
      added.push({ name, closer })
    },
    /**
     * Closes what has been added, one after the other, the last first. If one cannot be closed, the others are closed all the
     * same, and the first error is thrown after that. When the time is up, all the others begin to close at once, and nothing
     * waits for them. Resolves to the names of those that are not closed yet, in the order in which they were to close.
     */
    async close(): Promise<string[]> {
      const errors: unknown[] = []
      const closing = added.splice(0).reverse()
      const open = new Set(closing)
      const late = Promise.withResolvers<void>()
      const cancelTimer = clock.setTimeout(late.resolve, closeWithinMs)
      const run = async (entry: (typeof closing)[number]): Promise<void> => {
        try {
          await entry.closer()
        } catch (error) {
          errors.push(error)
        }
        open.delete(entry)
      }
      for (const entry of closing) await Promise.race([run(entry), late.promise])
      cancelTimer()
      if (errors.length > 0) throw errors[0]
      return [...open].map(({ name }) => name)
    },
  }
}
