import { type Conflict, type ErrorCode, errorCatalogue, type FieldCode, type FieldError } from '../../contract/index.ts'

/** The most errors that a response lists. */
export const maxErrors = 100

/** The parts of an error response beyond its code. */
export interface ProblemDetails {
  detail?: string
  errors?: FieldError[]
  conflict?: Conflict
  /** Headers that the response needs. */
  headers?: Record<string, string>
}

/** An error of the catalogue. The error handler converts it to a response. */
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

/**
 * The same response for an id of another tenant, a deleted one and an unknown one, so that it reveals nothing. For the same
 * reason it names every kind of thing, whichever the request was about.
 */
export const notFound = (): ProblemError =>
  problem('not_found', { detail: 'There is no such bot, contact, conversation, message or file.' })

/** A message names a file that its sender has not uploaded, or that another message has, or that was erased. */
export const fileMissing = (): ProblemError =>
  fieldProblem(
    '/attachments',
    'unknown_file',
    'Must be uploads of the last hour by the same sender. Upload them again.',
  )

/** The problem for one invalid field. */
export const fieldProblem = (pointer: string, code: FieldCode, detail: string): ProblemError =>
  problem('invalid_request', { detail: 'See errors for the fields in question.', errors: [{ pointer, code, detail }] })
