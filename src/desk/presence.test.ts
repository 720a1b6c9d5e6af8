import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createPresence } from './presence.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function watch() {
  const told: string[] = []
  const page = new EventTarget()
  const { isHere, start } = createPresence(presence => told.push(presence), page)
  return { told, isHere, stop: start(), act: () => page.dispatchEvent(new Event('keydown')) }
}
it('says that a member is away after five minutes without a sign of it, and at once that it is back', async () => {
  const { told, isHere, act } = watch()
  await vi.advanceTimersByTimeAsync(4 * 60_000)
  act()
  await vi.advanceTimersByTimeAsync(5 * 60_000 - 1)
  expect(told).toEqual(['online', 'online'])
  await vi.advanceTimersByTimeAsync(1)
  expect([told, isHere.value]).toEqual([['online', 'online', 'away'], false])
  act()
  expect([told.at(-1), isHere.value]).toEqual(['online', true])
})

it('says at most once a minute that a member is there', async () => {
  const { told, act, stop } = watch()
  for (let second = 0; second < 120; second++) {
    act()
    await vi.advanceTimersByTimeAsync(1000)
  }
  expect(told).toHaveLength(3)
  stop()
  act()
  await vi.advanceTimersByTimeAsync(10 * 60_000)
  expect(told).toHaveLength(3)
})
