import { setTimeout } from 'node:timers/promises'

/** Ours: how often it checks whether others still wait, and after how long it runs a batch all the same. */
const [checkEveryMs, longestPauseMs] = [50, 2_000]

export interface Batches {
  /** Runs one batch; resolves to whether anything is left. */
  runBatch(): Promise<boolean>
  /** Whether other calls wait for the engine. */
  isBusy(): boolean
  /** Default: real time. */
  pause?: (ms: number) => Promise<unknown>
}

/**
 * Runs batches of work that nobody waits for, until nothing is left. It stops while other calls wait. Under constant load
 * it still runs a batch every two seconds: otherwise what has expired would pile up.
 */
export async function runInBatches({ runBatch, isBusy, pause = setTimeout }: Batches): Promise<void> {
  do {
    for (let waitedMs = 0; waitedMs < longestPauseMs && isBusy(); waitedMs += checkEveryMs) await pause(checkEveryMs)
  } while (await runBatch())
}
