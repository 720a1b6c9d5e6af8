import { expect, it } from 'vitest'
import type { Clock } from '../clock.ts'
import { AnswerError, withAttempts } from './attempts.ts'
import type { AnswerPart } from './responder.ts'

/** Pauses end at once; time limits never do. */
const clock: Pick<Clock, 'setTimeout'> = {
  setTimeout(run, ms) {
    if (ms < 2000) setImmediate(run)
    return () => {}
  },
}

it('takes the format from the attempt that succeeds', async () => {
  let attempts = 0
  async function* ask(): AsyncGenerator<AnswerPart> {
    if (++attempts === 1) {
      yield { format: 'markdown' }
      throw new AnswerError('No connection', 0)
    }
    yield { text: 'Two *stars*' }
  }
  const parts: AnswerPart[] = []
  for await (const part of withAttempts(ask, clock as Clock, new AbortController().signal)) parts.push(part)
  expect(parts).toEqual([{ text: 'Two *stars*' }])
})
