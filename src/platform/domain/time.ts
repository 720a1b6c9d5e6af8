import type { Clock } from '../clock.ts'

/** The time as it stands on the wire and in the store. */
export const timestamp = (ms: number): string => new Date(ms).toISOString()

/** Calls `run` every `ms`, never again before it has settled; returns its undo. */
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
