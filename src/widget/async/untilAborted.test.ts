import { expect, it } from 'vitest'
import { untilAborted } from './untilAborted.ts'

it('resolves when the signal aborts', async () => {
  const controller = new AbortController()
  const end = untilAborted(controller.signal).then(() => 'aborted')
  controller.abort()
  expect(await end).toBe('aborted')
})

it('resolves at once if the signal has aborted before', async () => {
  expect(await untilAborted(AbortSignal.abort()).then(() => 'aborted')).toBe('aborted')
})
