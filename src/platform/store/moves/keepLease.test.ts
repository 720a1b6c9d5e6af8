import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { keepLease } from './keepLease.ts'

const leaseMs = 1000
beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function setUp(renew: () => Promise<boolean>) {
  return keepLease({
    leaseMs,
    sinceMs: performance.now(),
    renew,
    createLapsedError: () => new Error('lapsed'),
    elapsedMs: () => performance.now(),
  })
}

it('holds a lease that is renewed in time, however long it takes', async () => {
  const renew = vi.fn(async () => true)
  const lease = setUp(renew)
  await vi.advanceTimersByTimeAsync(10 * leaseMs)
  expect(lease.requireHeld).not.toThrow()
  lease.stop()
  const count = renew.mock.calls.length
  await vi.advanceTimersByTimeAsync(leaseMs)
  expect(renew).toHaveBeenCalledTimes(count)
})

it('loses a lease that another run has taken', async () => {
  const lease = setUp(async () => false)
  await vi.advanceTimersByTimeAsync(leaseMs / 4)
  expect(lease.requireHeld).toThrow('lapsed')
})

it('loses a lease whose renewal is answered only after its end, for good', async () => {
  const answers: PromiseWithResolvers<boolean>[] = []
  const lease = setUp(() => {
    const answer = Promise.withResolvers<boolean>()
    answers.push(answer)
    return answer.promise
  })
  await vi.advanceTimersByTimeAsync(leaseMs)
  expect(lease.requireHeld).toThrow('lapsed')
  expect(answers).toHaveLength(1)
  answers[0]?.resolve(true)
  await vi.advanceTimersByTimeAsync(leaseMs / 4)
  answers[1]?.resolve(true)
  await vi.advanceTimersByTimeAsync(0)
  expect(lease.requireHeld).toThrow('lapsed')
})

it('reports why a renewal failed', async () => {
  const lease = setUp(() => Promise.reject(new Error('connection lost')))
  await vi.advanceTimersByTimeAsync(leaseMs / 4)
  expect(lease.requireHeld).toThrow('connection lost')
})
