import type { Clock } from '../clock.ts'

/** Formats a time for the API and the store: ISO 8601, UTC, with milliseconds. */
export const timestamp = (ms: number): string => new Date(ms).toISOString()

/** Whether a text has the format of `timestamp`. */
export const isTimestamp = (text = ''): boolean => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text)

/**
 * Calls `run` every `ms` milliseconds, but not before the previous call has settled. `run` must not fail. Returns a function
 * that stops it.
 */
export function every(
  clock: Clock,
  ms: number,
  run: () => void | Promise<void>,
  firstAfterMs: number = ms,
): () => void {
  let stopped = false
  let undo = clock.setTimeout(repeat, firstAfterMs)
  async function repeat(): Promise<void> {
    await run()
    if (!stopped) undo = clock.setTimeout(repeat, ms)
  }
  return () => {
    stopped = true
    undo()
  }
}
