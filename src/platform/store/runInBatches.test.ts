import { expect, it } from 'vitest'
import { runInBatches } from './runInBatches.ts'

/** Work of that many batches, beside which others are busy at the given times. */
async function run({ batches, isBusyAt }: { batches: number; isBusyAt: (ms: number) => boolean }) {
  let now = 0
  const ran: number[] = []
  await runInBatches({
    async runBatch() {
      ran.push(now)
      return ran.length < batches
    },
    isBusy: () => isBusyAt(now),
    async pause(ms) {
      now += ms
    },
  })
  return ran
}

it('runs all batches without a pause while nobody else waits', async () => {
  expect(await run({ batches: 4, isBusyAt: () => false })).toEqual([0, 0, 0, 0])
})

it('stops while others wait, and goes on soon after', async () => {
  expect(await run({ batches: 2, isBusyAt: ms => ms < 320 })).toEqual([350, 350])
})

it('still runs a batch every two seconds if somebody always waits', async () => {
  expect(await run({ batches: 3, isBusyAt: () => true })).toEqual([2000, 4000, 6000])
})
