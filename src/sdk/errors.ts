import type { Conflict, ErrorCode, FieldError } from '../contract/index.ts'

/** What every error of the SDK extends. No message, property or `cause` of one holds a token. */
export class SdkError extends Error {
  override readonly name: string = 'SdkError'
  /**
   * For an upsert: how many of its entries, from the first on, are certainly written. Those after them are not, but for
   * a `NetworkError` or `TimeoutError`, where the request that failed may have arrived. Else `undefined`.
   */
  readonly written: number | undefined

  constructor(message: string, { cause, written }: { cause?: unknown; written?: number | undefined } = {}) {
    super(message, cause === undefined ? undefined : { cause })
    this.written = written
  }
}

/** The platform answered, but not with what was asked for. */
export class ApiError extends SdkError {
  override readonly name = 'ApiError'
  /** The stable word to switch on; `unexpected_answer` where something else than the platform seems to have answered. */
  readonly code: ErrorCode | 'unexpected_answer' | (string & {})
  /** What happened and what to do about it, in a sentence for people. */
  readonly detail: string
  /** HTTP status. */
  readonly status: number
  /** Finds the request in the platform's log; `""` where the answer named none. */
  readonly requestId: string
  /**
   * What is wrong with which field, for `invalid_request`; else empty. Those of an upsert point into the whole list that
   * was given (`/data/1234/email`, `index` 1234), however many requests it took.
   */
  readonly errors: readonly FieldError[]
  /** For `email_taken`: the other contact, where it belongs to the same bot. */
  readonly conflict: Conflict | undefined
  /** How long the platform asks to wait before the next try, for `rate_limited` and `unavailable`. */
  readonly retryAfterMs: number | undefined

  constructor(
    message: string,
    answer: Pick<
      ApiError,
      'code' | 'detail' | 'status' | 'requestId' | 'errors' | 'conflict' | 'retryAfterMs' | 'written'
    >,
  ) {
    super(message, { written: answer.written })
    this.code = answer.code
    this.detail = answer.detail
    this.status = answer.status
    this.requestId = answer.requestId
    this.errors = answer.errors
    this.conflict = answer.conflict
    this.retryAfterMs = answer.retryAfterMs
  }
}

/** The platform could not be reached, or the connection broke before the whole answer was there; `cause` says why. */
export class NetworkError extends SdkError {
  override readonly name = 'NetworkError'
}

/** The platform did not answer in time, in any of the tries. */
export class TimeoutError extends SdkError {
  override readonly name = 'TimeoutError'
  /** How long each try was waited for. */
  readonly timeoutMs: number

  constructor(message: string, { timeoutMs, written }: { timeoutMs: number; written?: number | undefined }) {
    super(message, { written })
    this.timeoutMs = timeoutMs
  }
}

/** A webhook is not what the platform has signed for this secret, or not lately: answer 400 and do nothing of it. */
export class WebhookSignatureError extends SdkError {
  override readonly name = 'WebhookSignatureError'
}

// By name, not by `instanceof`: an application may end up with two copies of the SDK, whose classes differ. Each has
// the property that tells it from an error of the same name in the Web's own APIs.
const isNamed = (error: unknown, name: string, property = 'written'): boolean =>
  error instanceof Error && error.name === name && property in error

/** Tells whether an error is an answer of the platform. */
export const isApiError = (error: unknown): error is ApiError => isNamed(error, 'ApiError', 'requestId')

/** Tells whether the platform could not be reached. */
export const isNetworkError = (error: unknown): error is NetworkError => isNamed(error, 'NetworkError')

/** Tells whether the platform took too long. False for the reason of an `AbortSignal.timeout()` of your own. */
export const isTimeoutError = (error: unknown): error is TimeoutError => isNamed(error, 'TimeoutError', 'timeoutMs')

/** Tells whether a webhook was refused. */
export const isWebhookSignatureError = (error: unknown): error is WebhookSignatureError =>
  isNamed(error, 'WebhookSignatureError')

/** Tells whether an error comes from the SDK: one of the four above. */
export const isSdkError = (error: unknown): error is SdkError =>
  isApiError(error) ||
  isNetworkError(error) ||
  isTimeoutError(error) ||
  isWebhookSignatureError(error) ||
  isNamed(error, 'SdkError')
