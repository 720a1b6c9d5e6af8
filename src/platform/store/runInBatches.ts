import { setTimeout } from 'node:timers/promises'

/** How often a pause ends to check whether other calls still wait. */
const checkEveryMs = 50
/** The longest pause. After it a batch runs even if other calls wait. */
const longestPauseMs = 2_000

export interface Batches {
  /** Runs one batch; resolves to whether anything is left. */
  runBatch(): Promise<boolean>
  /** Whether other calls wait for the engine. */
  isBusy(): boolean
  /** Default: real time. */
  pause?: (ms: number) => Promise<unknown>
}

/**
 * Runs batches of background work until nothing is left. It pauses while other calls wait, but not for longer than two
 * seconds: under constant load expired rows would accumulate otherwise.
 */
export async function runInBatches({ runBatch, isBusy, pause = setTimeout }: Batches): Promise<void> {
  do {
    for (let waitedMs = 0; waitedMs < longestPauseMs && isBusy(); waitedMs += checkEveryMs) await pause(checkEveryMs)
  } while (await runBatch())
}
