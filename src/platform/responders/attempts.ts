import type { Clock } from '../clock.ts'
import { exponentialBackoff, networkFailure, retryAfterMs } from '../webhooks/webhookHttp.ts'
import type { AnswerPart } from './responder.ts'

/** What keeps a responder from answering, for the operator: without any text of a message, secret or address. */
export class AnswerError extends Error {
  override readonly name = 'AnswerError'
  /** How long to wait at least before another attempt, `null` where one would be in vain. */
  readonly retryAfterMs: number | null

  constructor(message: string, retryAfterMs: number | null = null) {
    super(message)
    this.retryAfterMs = retryAfterMs
  }
}

/** One attempt to get an answer from elsewhere. */
export interface Attempt {
  /** Aborts when the turn ends, or when nothing has come for too long. */
  signal: AbortSignal
  /** Says that something has come. */
  onProgress(): void
}

const maxAttempts = 3
/** Ours: until the first byte, and between two pieces. */
const silenceMs = 15_000
const firstPauseMs = 500
/** Ours: who asks to wait longer than this is not asked again, since a visitor waits. */
const longestPauseMs = 10_000

/** Asks up to three times, with growing, jittered pauses, until the first piece of an answer has come. */
export async function* withAttempts(
  ask: (attempt: Attempt) => AsyncIterable<AnswerPart>,
  clock: Clock,
  signal: AbortSignal,
): AsyncGenerator<AnswerPart> {
  for (let count = 1; ; count++) {
    const attempt = startAttempt(clock, signal)
    let begun = false
    try {
      for await (const part of ask(attempt)) {
        // How the text is meant comes before any of it.
        begun ||= !('format' in part)
        yield part
      }
      // Some clients end quietly when they are aborted.
      attempt.signal.throwIfAborted()
      return
    } catch (error) {
      const failure: unknown = attempt.signal.aborted ? attempt.signal.reason : error
      const waitMs = failure instanceof AnswerError ? failure.retryAfterMs : null
      if (begun || waitMs === null || waitMs > longestPauseMs || count === maxAttempts) throw failure
      await pause(Math.max(waitMs, exponentialBackoff(count, firstPauseMs, longestPauseMs)), clock, signal)
    } finally {
      attempt.end()
    }
  }
}

function startAttempt(clock: Clock, outer: AbortSignal): Attempt & { end(): void } {
  const silence = new AbortController()
  const giveUp = (): void => silence.abort(new AnswerError(`No answer came for ${silenceMs / 1000} s`, 0))
  let undo = clock.setTimeout(giveUp, silenceMs)
  return {
    signal: AbortSignal.any([outer, silence.signal]),
    onProgress() {
      undo()
      undo = clock.setTimeout(giveUp, silenceMs)
    },
    end: () => undo(),
  }
}

function pause(ms: number, clock: Clock, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const undo = clock.setTimeout(resolve, ms)
  const stop = (): void => {
    undo()
    reject(signal.reason)
  }
  if (signal.aborted) stop()
  signal.addEventListener('abort', stop, { once: true })
  return promise.finally(() => signal.removeEventListener('abort', stop))
}

/** An answer that is none: its status, and where there is one its machine-readable code. */
export function statusError(response: { status: number; headers: Headers }, now: number, code?: unknown): AnswerError {
  const { status, headers } = response
  const isPassing = status === 408 || status === 429 || status >= 500
  const why = typeof code === 'string' && /^[\w.-]{1,64}$/.test(code) ? ` (${code})` : ''
  return new AnswerError(`The answer had status ${status}${why}`, isPassing ? retryAfterMs(headers, now) : null)
}

/** What the network made `fetch` throw. */
export function networkError(error: unknown): AnswerError | undefined {
  const code = networkFailure(error)
  return code === undefined ? undefined : new AnswerError(`No connection (${code})`, 0)
}

/** A request that was never sent. */
export const addressError = (): AnswerError => new AnswerError('The address is none that can be asked')
