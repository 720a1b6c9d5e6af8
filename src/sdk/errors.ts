import type { Conflict, ErrorCode, FieldError } from '../contract/index.ts'

/** What every error of the SDK extends. No message, property or `cause` of one holds a token. */
export class SdkError extends Error {
  override readonly name: string = 'SdkError'
}

/** The platform answered, but not with what was asked for. */
export class ApiError extends SdkError {
  override readonly name = 'ApiError'
  /** The stable word to switch on; `unexpected_answer` where something else than the platform seems to have answered. */
  readonly code: ErrorCode | 'unexpected_answer' | (string & {})
  /** HTTP status. */
  readonly status: number
  /** Finds the request in the platform's log; `""` where the answer named none. */
  readonly requestId: string
  /** What is wrong with which field, for `invalid_request`; else empty. */
  readonly errors: readonly FieldError[]
  /** For `email_taken`: the other contact, where it belongs to the same bot. */
  readonly conflict: Conflict | undefined

  constructor(message: string, answer: Pick<ApiError, 'code' | 'status' | 'requestId' | 'errors' | 'conflict'>) {
    super(message)
    this.code = answer.code
    this.status = answer.status
    this.requestId = answer.requestId
    this.errors = answer.errors
    this.conflict = answer.conflict
  }
}

/** The platform could not be reached; `cause` says why. */
export class NetworkError extends SdkError {
  override readonly name = 'NetworkError'
}

/** The platform took longer than ten seconds to answer. */
export class TimeoutError extends SdkError {
  override readonly name = 'TimeoutError'
}

// By name, not by `instanceof`: an application may end up with two copies of the SDK, whose classes differ.
const isNamed = (error: unknown, ...names: string[]): boolean => error instanceof Error && names.includes(error.name)

/** Tells whether an error is an answer of the platform. */
export const isApiError = (error: unknown): error is ApiError =>
  isNamed(error, 'ApiError') && 'requestId' in Object(error)

/** Tells whether the platform could not be reached. */
export const isNetworkError = (error: unknown): error is NetworkError => isNamed(error, 'NetworkError')

/** Tells whether the platform took too long. */
export const isTimeoutError = (error: unknown): error is TimeoutError => isNamed(error, 'TimeoutError')

/** Tells whether an error comes from the SDK: one of the three above. */
export const isSdkError = (error: unknown): error is SdkError =>
  isApiError(error) || isNamed(error, 'SdkError', 'NetworkError', 'TimeoutError')
