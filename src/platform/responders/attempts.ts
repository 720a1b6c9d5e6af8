import type { Clock } from '../clock.ts'
import { addressRefusal, exponentialBackoff, networkFailure, retryAfterMs } from '../webhooks/webhookHttp.ts'
import type { AnswerPart } from './responder.ts'

/** Why a responder failed, for the operator: without message texts, secrets or addresses. */
export class AnswerError extends Error {
  override readonly name = 'AnswerError'
  /** How long to wait before another attempt; `null` if another attempt is useless. */
  readonly retryAfterMs: number | null

  constructor(message: string, retryAfterMs: number | null = null) {
    super(message)
    this.retryAfterMs = retryAfterMs
  }
}

/** One attempt to get a reply from a remote service. */
export interface Attempt {
  /** Aborts when the turn ends, or when no data arrives for too long. */
  signal: AbortSignal
  /** Call it when data arrives. */
  onProgress(): void
}

const maxAttempts = 3
/** The time limit for the first byte, and between two pieces of data. */
const idleTimeoutMs = 15_000
const firstPauseMs = 500
/** The longest pause. If the service asks to wait longer, there is no further attempt, since a visitor is waiting. */
const maxPauseMs = 10_000

/** Tries up to three times, with exponential backoff and jitter, until the first piece of a reply arrives: progress is not one. */
export async function* withAttempts(
  ask: (attempt: Attempt) => AsyncIterable<AnswerPart>,
  clock: Clock,
  signal: AbortSignal,
): AsyncGenerator<AnswerPart> {
  for (let count = 1; ; count++) {
    const attempt = startAttempt(clock, signal)
    let begun = false
    let format: AnswerPart | undefined
    try {
      for await (const part of ask(attempt)) {
        if ('progress' in part) yield part
        // The format comes before the text. Hold it back until then: another attempt may have another one.
        else if (!begun && 'format' in part) format = part
        else {
          if (!begun && format) yield format
          begun = true
          yield part
        }
      }
      return
    } catch (error) {
      const failure: unknown = attempt.signal.aborted ? attempt.signal.reason : (networkError(error) ?? error)
      const waitMs = failure instanceof AnswerError ? failure.retryAfterMs : null
      if (begun || waitMs === null || waitMs > maxPauseMs || count === maxAttempts) throw failure
      await pause(Math.max(waitMs, exponentialBackoff(count, firstPauseMs, maxPauseMs)), clock, signal)
    } finally {
      attempt.end()
    }
  }
}

function startAttempt(clock: Clock, turnSignal: AbortSignal): Attempt & { end(): void } {
  const idle = new AbortController()
  const giveUp = (): void => idle.abort(new AnswerError(`No answer for ${idleTimeoutMs / 1000} s`, 0))
  let cancelTimer = clock.setTimeout(giveUp, idleTimeoutMs)
  return {
    signal: AbortSignal.any([turnSignal, idle.signal]),
    onProgress() {
      cancelTimer()
      cancelTimer = clock.setTimeout(giveUp, idleTimeoutMs)
    },
    end: () => cancelTimer(),
  }
}

async function pause(ms: number, clock: Clock, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  const { promise, resolve } = Promise.withResolvers<void>()
  const cancelTimer = clock.setTimeout(resolve, ms)
  signal.addEventListener('abort', () => resolve(), { once: true })
  await promise
  cancelTimer()
  signal.throwIfAborted()
}

/**
 * Posts JSON. Resolves to the response, with any status. Errors do not contain the address, which may contain a secret.
 */
export async function post(
  fetch: typeof globalThis.fetch,
  url: string,
  { headers, body }: { headers: Record<string, string>; body: string },
  { signal, onProgress }: Attempt,
): Promise<Response> {
  const allHeaders = { 'content-type': 'application/json', 'user-agent': 'natter', ...headers }
  // A redirect could send the visitor's messages, or a key, anywhere.
  const init = { method: 'POST', headers: allHeaders, body, redirect: 'manual', signal } as const
  const response = await fetch(url, init).catch(error => {
    throw networkError(error) ?? new AnswerError('The address cannot be called')
  })
  onProgress()
  return response
}

/**
 * The error for a response with an error status, with its machine-readable code if it has one, such as `insufficient_quota`.
 * The error is logged, so a code with digits or capitals is left out: an endpoint may repeat the key of the request. Of the
 * address it has the origin only: a path may be a secret, too.
 */
export function statusError({ url, status, headers, body }: Response, now: number, code?: unknown): AnswerError {
  body?.cancel().catch(() => {})
  const canRetry = status === 408 || status === 429 || status >= 500
  const why = typeof code === 'string' && /^[a-z_]{1,64}$/.test(code) ? ` (${code})` : ''
  return new AnswerError(
    `The answer of ${new URL(url).origin} had status ${status}${why}`,
    canRetry ? retryAfterMs(headers, now) : null,
  )
}

/** The error for a network failure or a refused address; `undefined` for other errors. */
function networkError(error: unknown): AnswerError | undefined {
  const refusal = addressRefusal(error)
  if (refusal) return new AnswerError(refusal.message)
  const code = networkFailure(error)
  return code === undefined ? undefined : new AnswerError(`No connection (${code})`, 0)
}
