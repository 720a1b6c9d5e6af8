import { getEventListeners } from 'node:events'
import { expect, it } from 'vitest'
import { createFakeClock } from '../testing/fakeClock.ts'
import { type Deadline, untilAborted, withDeadline } from './timing.ts'

/** Starts work that ignores the signal until `finish` is called. */
function start(abortSignal = new AbortController().signal) {
  const clock = createFakeClock()
  const work = Promise.withResolvers<string>()
  let deadline: Deadline | undefined
  const result = withDeadline(clock, 1000, abortSignal, given => {
    deadline = given
    return work.promise
  })
  return { clock, result, finish: work.resolve, fail: work.reject, deadline: () => deadline as Deadline }
}

it('resolves to the result, and stops the timer', async () => {
  const { clock, result, finish, deadline } = start()
  finish('done')
  expect(await result).toBe('done')
  expect([clock.timers, deadline().signal.aborted]).toEqual([0, true])
})

it('rejects if the work fails', async () => {
  const { result, fail } = start()
  fail(new Error('broken'))
  await expect(result).rejects.toThrow('broken')
})

it('resolves to undefined when the time is over, though the work goes on', async () => {
  const { clock, result, deadline } = start()
  await clock.advance(999)
  expect(deadline().signal.aborted).toBe(false)
  await clock.advance(1)
  expect([await result, deadline().signal.aborted]).toEqual([undefined, true])
})

it('gives the work more time when it asks for that', async () => {
  const { clock, result, finish, deadline } = start()
  await clock.advance(900)
  deadline().extend(1000)
  await clock.advance(900)
  finish('done')
  expect(await result).toBe('done')
})

it('leaves no listener at the signal of the caller', async () => {
  const { signal } = new AbortController()
  const { result, finish } = start(signal)
  finish('done')
  await result
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

it('resolves to undefined when the caller aborts, also before the beginning', async () => {
  const controller = new AbortController()
  const { result } = start(controller.signal)
  controller.abort()
  expect([await result, await start(AbortSignal.abort()).result]).toEqual([undefined, undefined])
})

it('untilAborted resolves when the signal aborts', async () => {
  const controller = new AbortController()
  const end = untilAborted(controller.signal).then(() => 'aborted')
  controller.abort()
  expect(await end).toBe('aborted')
})

it('untilAborted resolves at once if the signal has aborted before', async () => {
  expect(await untilAborted(AbortSignal.abort()).then(() => 'aborted')).toBe('aborted')
})
