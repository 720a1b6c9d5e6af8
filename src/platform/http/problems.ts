import type { StatusCode } from 'hono/utils/http-status'
import type { Logger } from 'pino'
import { errorCatalogue, type Problem } from '../../contract/index.ts'
import { ProblemError, problem } from '../domain/problem.ts'
import type { AppContext } from './appEnv.ts'
import { HttpProblemError, httpProblem } from './httpProblem.ts'

/** Status, headers and body of the response to an error (RFC 9457), with the request's id and without the cause. */
export function problemResponse(
  error: ProblemError,
  requestId: string,
): { status: number; headers: Record<string, string>; body: string } {
  const { code, details } = error
  const { status, title, detail: defaultDetail } = errorCatalogue[code]
  const { detail = defaultDetail, errors, conflict } = details
  const body: Problem = {
    type: `urn:natter:problem:${code}`,
    title,
    status,
    code,
    detail,
    instance: `urn:natter:request:${requestId}`,
    ...(errors && { errors }),
    ...(conflict && { conflict }),
  }
  return {
    status,
    headers: { 'content-type': 'application/problem+json', ...headersOf(error, status) },
    body: JSON.stringify(body),
  }
}

function headersOf(error: ProblemError, status: number): Record<string, string> {
  if (error instanceof HttpProblemError) return error.headers
  // RFC 6750, 3: every 401 without its own headers is about a token that was sent and is not valid.
  return status === 401 ? { 'www-authenticate': 'Bearer realm="natter", error="invalid_token"' } : {}
}

/**
 * The platform's error handler. Unexpected errors get 500 and are logged with their stack. If the platform cannot answer
 * now, all requests fail for the same reason, so only the reason is logged.
 */
export const handleError =
  (logger: Logger) =>
  (error: unknown, c: AppContext): Response => {
    const answer = toProblem(error)
    const requestId = c.get('requestId')
    const route = c.get('route') ?? 'none'
    if (answer.code === 'internal') logger.error({ requestId, route, err: error }, 'failed')
    else if (answer instanceof UnavailableError) {
      const { reason, isPlanned } = answer
      c.set('isPlannedOutage', isPlanned)
      logger[isPlanned ? 'info' : 'error']({ requestId, route, reason }, isPlanned ? 'refused' : 'failed')
    }
    const { status, headers, body } = problemResponse(answer, requestId)
    return c.newResponse(body, status as StatusCode, headers)
  }

/** Converts any error to the problem with which the platform responds. */
export function toProblem(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error
  if (isNamed(error, 'StoreUnavailableError')) return unavailable(error.message)
  return isNamed(error, 'StoreBusyError') ? busy() : problem('internal')
}

/** Compares names, because this layer does not import the store. */
const isNamed = (error: unknown, name: string): error is Error => error instanceof Error && error.name === name

/** A 503. The log gets the reason, the client does not. */
class UnavailableError extends HttpProblemError {
  readonly reason: string
  /** Whether the operator has caused it by a restart. Nothing has to be mended. */
  readonly isPlanned: boolean

  constructor(reason: string, options: UnavailableOptions) {
    super('unavailable', options.headers, {})
    this.reason = reason
    this.isPlanned = options.isPlanned
  }
}

interface UnavailableOptions {
  headers: Record<string, string>
  isPlanned: boolean
}

/** The platform cannot answer now, for example because the store does not answer. */
export const unavailable = (reason: string, headers: Record<string, string> = {}): ProblemError =>
  new UnavailableError(reason, { headers: { 'retry-after': '2', ...headers }, isPlanned: false })

/** The platform is stopping. */
export const stopping = (): ProblemError =>
  new UnavailableError('The platform is stopping.', { headers: { 'retry-after': '2' }, isPlanned: true })

/** Too many searches and lists of the organization are waiting. */
const busy = (): ProblemError =>
  httpProblem(
    'rate_limited',
    { 'retry-after': '1' },
    { detail: 'Too many searches and lists of this organization are waiting.' },
  )

/** The path is unknown, whatever the method. */
export const noSuchPath = (): ProblemError => problem('not_found', { detail: 'There is nothing at this path.' })
