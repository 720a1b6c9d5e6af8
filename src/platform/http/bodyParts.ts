import type { Clock } from '../clock.ts'
import { problem } from '../domain/problem.ts'
import type { AppContext } from './appEnv.ts'
import { connectionLost, tooLarge, tooLate } from './bytes.ts'

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
  const { remainingMs } = c.get('requestContext')
  const source = partsOf(c)[Symbol.asyncIterator]()
  let received = 0
  for (;;) {
    const leftMs = remainingMs()
    const error = leftMs < silenceMs ? tooLate(c) : tooSilent()
    const { promise: broken, reject: rejectWait } = Promise.withResolvers<never>()
    const cancelTimer = clock.setTimeout(() => rejectWait(error), Math.max(0, Math.min(leftMs, silenceMs)))
    const { done, value } = await Promise.race([source.next(), broken]).finally(cancelTimer)
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
    throw connectionLost()
  }
}

const tooSilent = () =>
  problem('request_timeout', {
    detail: `Nothing of the file arrived for ${silenceMs / 1000} seconds. Send it again.`,
    headers: { connection: 'close' },
  })
