import type { ErrorCode } from '../../contract/index.ts'
import { type ProblemDetails, ProblemError } from '../domain/problem.ts'

/** A problem whose response needs headers of its own. */
export class HttpProblemError extends ProblemError {
  readonly headers: Record<string, string>

  constructor(code: ErrorCode, headers: Record<string, string>, details: ProblemDetails) {
    super(code, details)
    this.headers = headers
  }
}

/** The error to throw for a code of the catalogue whose response needs these headers. */
export const httpProblem = (
  code: ErrorCode,
  headers: Record<string, string>,
  details: ProblemDetails = {},
): HttpProblemError => new HttpProblemError(code, headers, details)
