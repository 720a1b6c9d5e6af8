import type { ErrorCode, FieldError } from '../contract/index.ts'

/** A request that has failed. `status` is 0, and the code `unreachable`, if no answer has arrived. */
export class ApiError extends Error {
  override name = 'ApiError'
  readonly status: number
  readonly code: ErrorCode | 'unreachable'
  /** The wrong fields of the body. */
  readonly errors: readonly FieldError[]

  constructor(
    status: number,
    code: ErrorCode | 'unreachable',
    detail: string,
    options?: ErrorOptions & { errors?: readonly FieldError[] | undefined },
  ) {
    super(detail, options)
    this.status = status
    this.code = code
    this.errors = options?.errors ?? []
  }
}
