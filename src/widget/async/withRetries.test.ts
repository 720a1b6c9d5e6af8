import { expect, it } from 'vitest'
import { createBackoff } from '../api/backoff.ts'
import { createFakeClock } from '../testing/fakeClock.ts'
import { withRetries } from './withRetries.ts'

/** Starts work that fails `failures` times. */
function start(failures: number, shouldGiveUp = () => false) {
  const clock = createFakeClock()
  const end = new AbortController()
  const counts: number[] = []
  let attempts = 0
  const result = withRetries(
    async () => {
      if (attempts++ < failures) throw new Error('Failed')
      return 'done'
    },
    {
      backoff: createBackoff(clock),
      abortSignal: end.signal,
      shouldGiveUp(count) {
        counts.push(count)
        return shouldGiveUp()
      },
    },
  )
  return { clock, end, counts, result, attempts: () => attempts }
}

it('tries again after each failure, with longer and longer waits, until an attempt succeeds', async () => {
  const { clock, counts, result, attempts } = start(2)
  await clock.advance(300)
  expect(attempts()).toBe(1)
  await clock.advance(100)
  expect(attempts()).toBe(2)
  await clock.advance(1000)
  expect([await result, counts, clock.timers]).toEqual(['done', [1, 2], 0])
})

it('gives up without another wait if it is told to', async () => {
  const { clock, counts, result } = start(99, () => counts.length === 2)
  await clock.advance(1000)
  expect([await result, counts, clock.timers]).toEqual([undefined, [1, 2], 0])
})

it('ends during a wait when the signal aborts', async () => {
  const { clock, end, result, attempts } = start(99)
  await clock.advance(0)
  end.abort()
  expect([await result, attempts(), clock.timers]).toEqual([undefined, 1, 0])
})
