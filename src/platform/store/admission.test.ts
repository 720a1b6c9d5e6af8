import { expect, it } from 'vitest'
import { runInBatches } from './admission.ts'

it('runs all batches, with a pause for those that wait meanwhile', async () => {
  const events: string[] = []
  let batches = 0
  const runBatch = async () => events.push(`batch ${++batches}`) > 0 && batches < 3
  const isBusy = () => {
    if (batches === 1) setTimeout(() => events.push('another call'))
    return batches === 1
  }
  await runInBatches(runBatch, isBusy)
  expect(events).toEqual(['batch 1', 'another call', 'batch 2', 'batch 3'])
})
