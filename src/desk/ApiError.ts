import type { ErrorCode } from '../contract/index.ts'

/** A request that has failed. `status` is 0, and the code `unreachable`, if no answer has arrived. */
export class ApiError extends Error {
  override name = 'ApiError'
  readonly status: number
  readonly code: ErrorCode | 'unreachable'

  constructor(status: number, code: ErrorCode | 'unreachable', detail: string, options?: ErrorOptions) {
    super(detail, options)
    this.status = status
    this.code = code
  }
}
