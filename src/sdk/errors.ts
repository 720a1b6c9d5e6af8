import type { Conflict, ErrorCode, FieldError } from '../contract/index.ts'

/** The base class of all errors of the SDK. No message, property or `cause` contains a token. */
export class SdkError extends Error {
  override readonly name: string = 'SdkError'
  /**
   * For an upsert: the number of entries, counted from the first, that are certainly written. After any error but
   * `invalid_request`, the entries of the request that failed may be written, too. Repeat the whole list then. For other
   * calls `undefined`.
   */
  readonly written: number | undefined

  constructor(message: string, { cause, written }: { cause?: unknown; written?: number | undefined } = {}) {
    super(message, cause === undefined ? undefined : { cause })
    this.written = written
  }
}

/** The platform responded with an error. */
export class ApiError extends SdkError {
  override readonly name = 'ApiError'
  /** The stable error code; `unexpected_response` if the response does not seem to come from the platform. */
  readonly code!: ErrorCode | 'unexpected_response' | (string & {})
  /** What happened and what to do about it, for people. */
  readonly detail!: string
  /** HTTP status. */
  readonly status!: number
  /** The request's id in the platform's log; `""` if the response has none. */
  readonly requestId!: string
  /** The response's headers, such as `ratelimit`. */
  readonly headers!: Headers
  /**
   * Which fields are wrong and why, for `invalid_request`; otherwise empty. For an upsert they refer to the whole list
   * (`/data/1234/email`, `index` 1234), even if it took several requests.
   */
  readonly errors!: readonly FieldError[]
  /** For `email_taken`: the other contact, if it belongs to the same bot. */
  readonly conflict!: Conflict | undefined
  /** The time to wait before a retry, for `rate_limited` and `unavailable`. */
  readonly retryAfterMs!: number | undefined

  constructor(message: string, { written, ...answer }: Omit<ApiError, keyof Error>) {
    super(message, { written })
    Object.assign(this, answer)
  }
}

/** The platform could not be reached, or the connection closed before the whole response arrived; `cause` says why. */
export class NetworkError extends SdkError {
  override readonly name = 'NetworkError'
}

/** The platform did not respond in time in the last attempt. */
export class TimeoutError extends SdkError {
  override readonly name = 'TimeoutError'
  /** The time limit of each attempt. */
  readonly timeoutMs: number

  constructor(message: string, { timeoutMs, written }: { timeoutMs: number; written?: number | undefined }) {
    super(message, { written })
    this.timeoutMs = timeoutMs
  }
}

/** A webhook request has no valid, recent signature for this secret. Respond with 401 and ignore it. */
export class WebhookSignatureError extends SdkError {
  override readonly name = 'WebhookSignatureError'
}

// Compare names instead of using `instanceof`: an application may contain two copies of the SDK. The property
// distinguishes our errors from errors of Web APIs with the same name.
const isNamed = (error: unknown, name: string, property = 'written'): boolean =>
  error instanceof Error && error.name === name && property in error

/** Whether an error is an error response of the platform. */
export const isApiError = (error: unknown): error is ApiError => isNamed(error, 'ApiError', 'requestId')

/** Whether the platform could not be reached. */
export const isNetworkError = (error: unknown): error is NetworkError => isNamed(error, 'NetworkError')

/** Whether the platform took too long. `false` for the reason of your own `AbortSignal.timeout()`. */
export const isTimeoutError = (error: unknown): error is TimeoutError => isNamed(error, 'TimeoutError', 'timeoutMs')

/** Whether a webhook was rejected because it has no valid, recent signature. */
export const isWebhookSignatureError = (error: unknown): error is WebhookSignatureError =>
  isNamed(error, 'WebhookSignatureError')

/** Whether an error comes from the SDK: any of the four above, or a plain `SdkError`. */
export const isSdkError = (error: unknown): error is SdkError =>
  isApiError(error) ||
  isNetworkError(error) ||
  isTimeoutError(error) ||
  isWebhookSignatureError(error) ||
  isNamed(error, 'SdkError')
