import type { Clock } from '../clock.ts'

/** A time in the format of the API and the store. */
export const timestamp = (ms: number): string => new Date(ms).toISOString()

/** Whether a text has the form of a time. */
export const isTimestamp = (text = ''): boolean => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text)

/**
 * Calls `run` every `ms` milliseconds, but not before the previous call has settled. Returns a function that stops it.
 */
export function every(clock: Clock, ms: number, run: () => void | Promise<void>): () => void {
  let stopped = false
  let undo = clock.setTimeout(turn, ms)
  async function turn(): Promise<void> {
    await run()
    if (!stopped) undo = clock.setTimeout(turn, ms)
  }
  return () => {
    stopped = true
    undo()
  }
}
