import type { Clock } from '../clock.ts'
import type { AppContext } from './appEnv.ts'
import { brokenOff, tooLarge, tooLate } from './bytes.ts'
import { httpProblem } from './httpProblem.ts'

/** A body of which nothing arrives for so long is refused. */
const silenceMs = 20_000

/**
 * Yields a body as it arrives, no faster than it is read. Throws the same errors as `readBytes`, and `request_timeout` when
 * nothing more arrives.
 */
export async function* readParts(
  c: AppContext,
  maxBytes: number,
  clock: Pick<Clock, 'setTimeout'>,
): AsyncGenerator<Uint8Array, void> {
  const { limitMs, remainingMs } = c.get('requestContext')
  const source = partsOf(c)[Symbol.asyncIterator]()
  let received = 0
  for (;;) {
    const leftMs = remainingMs()
    const error = leftMs < silenceMs ? tooLate(limitMs) : tooSilent()
    const { done, value } = await inTime(source.next(), Math.min(leftMs, silenceMs), error, clock)
    if (done) return
    received += value.length
    if (received > maxBytes) throw tooLarge(maxBytes)
    yield value
  }
}

async function* partsOf({ env: { incoming }, req }: AppContext): AsyncGenerator<Uint8Array, void> {
  try {
    // Node would otherwise close the connection after an error, before the response is sent.
    yield* incoming?.iterator?.({ destroyOnReturn: false }) ?? req.raw.body ?? []
  } catch {
    throw brokenOff()
  }
}

async function inTime<Result>(
  result: Promise<Result>,
  ms: number,
  error: Error,
  clock: Pick<Clock, 'setTimeout'>,
): Promise<Result> {
  const { promise: expired, reject } = Promise.withResolvers<never>()
  const cancelTimer = clock.setTimeout(() => reject(error), Math.max(0, ms))
  // If the time is over, nobody waits for the rest.
  result.catch(() => {})
  try {
    return await Promise.race([result, expired])
  } finally {
    cancelTimer()
  }
}

const tooSilent = () =>
  httpProblem(
    'request_timeout',
    { connection: 'close' },
    { detail: `Nothing of the file arrived for ${silenceMs / 1000} seconds. Send it again.` },
  )
