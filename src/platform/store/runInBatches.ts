import { setTimeout } from 'node:timers/promises'

/** The pause between two batches while other calls wait. Not longer: expired rows would accumulate under constant load. */
const pauseMs = 1_000

/** Runs batches of background work until `runBatch` resolves to `false`. `isBusy`: whether other calls wait for the engine. */
export async function runInBatches(runBatch: () => Promise<boolean>, isBusy: () => boolean): Promise<void> {
  while (await runBatch()) if (isBusy()) await setTimeout(pauseMs)
}
