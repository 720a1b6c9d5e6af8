import { type Conflict, type ErrorCode, errorCatalogue, type FieldError } from '../../contract/index.ts'

/** What an error response can say beyond its code. */
export interface ProblemDetails {
  detail?: string
  errors?: FieldError[]
  conflict?: Conflict
}

/** An error of the catalogue. It knows nothing of HTTP: the error handler turns it into a response. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError'
  readonly code: ErrorCode
  readonly details: ProblemDetails

  constructor(code: ErrorCode, details: ProblemDetails) {
    super(details.detail ?? errorCatalogue[code].title)
    this.code = code
    this.details = details
  }
}

/** The error to throw for a code of the catalogue. */
export const problem = (code: ErrorCode, details: ProblemDetails = {}): ProblemError => new ProblemError(code, details)

/** Ours: one sentence for a foreign, a deleted and an unknown id, so that the answer tells nothing about other tenants. */
export const notFound = (): ProblemError => problem('not_found', { detail: 'There is no such bot or contact.' })

/** One wrong field as a problem. */
export const fieldProblem = (pointer: string, code: string, detail: string): ProblemError =>
  problem('invalid_request', { detail: 'See errors for the fields in question.', errors: [{ pointer, code, detail }] })
