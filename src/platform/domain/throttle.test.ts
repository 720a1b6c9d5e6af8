import { expect, it } from 'vitest'
import { createManualClock } from '../testing/testTenants.ts'
import { createThrottle } from './throttle.ts'

function start() {
  const clock = createManualClock()
  const times: number[] = []
  return { clock, times, throttle: createThrottle(clock, 50, () => times.push(clock.elapsed())) }
}

it('calls at once, then at most once in an interval', () => {
  const { clock, times, throttle } = start()
  for (let count = 0; count < 30; count++) {
    throttle.request()
    clock.advance(5)
  }
  expect(times).toEqual([0, 50, 100, 150])
  clock.advance(500)
  expect(times).toHaveLength(4)
  throttle.request()
  expect(times.at(-1)).toBe(650)
})

it('drops a waiting request when it is cancelled', () => {
  const { clock, times, throttle } = start()
  throttle.request()
  throttle.request()
  throttle.cancel()
  clock.advance(500)
  expect(times).toEqual([0])
})
