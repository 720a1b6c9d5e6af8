import type { StatusCode } from 'hono/utils/http-status'
import type { Logger } from 'pino'
import { errorCatalogue, type Problem } from '../../contract/index.ts'
import { ProblemError, problem } from '../domain/problem.ts'
import { StoreBusyError, StoreUnavailableError } from '../store/store.ts'
import type { AppContext } from './appEnv.ts'

/** Status, headers and body of the response to an error (RFC 9457), with the request's id and without the cause. */
export function problemResponse(
  { code, details }: ProblemError,
  requestId: string,
): { status: number; headers: Record<string, string>; body: string } {
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
  // RFC 6750, 3: every 401 without its own headers is about a token that was sent and is not valid.
  const defaultHeaders = status === 401 ? { 'www-authenticate': 'Bearer realm="natter", error="invalid_token"' } : {}
  return {
    status,
    headers: { 'content-type': 'application/problem+json', ...(details.headers ?? defaultHeaders) },
    body: JSON.stringify(body),
  }
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
      logger[isPlanned ? 'info' : 'error']({ requestId, route, reason }, isPlanned ? 'refused' : 'failed')
    }
    const { status, headers, body } = problemResponse(answer, requestId)
    return c.newResponse(body, status as StatusCode, headers)
  }

/** Converts any error to the problem with which the platform responds. */
export function toProblem(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error
  if (error instanceof StoreUnavailableError) return unavailable(error.message)
  return error instanceof StoreBusyError ? busy() : problem('internal')
}

/** A 503. The log gets the reason, the client does not. */
class UnavailableError extends ProblemError {
  readonly reason: string
  /** Whether the operator has caused it by a restart. Nothing has to be mended. */
  readonly isPlanned: boolean

  constructor(reason: string, isPlanned: boolean) {
    super('unavailable', { headers: { 'retry-after': '2' } })
    this.reason = reason
    this.isPlanned = isPlanned
  }
}

/** The platform cannot answer now, for example because the store does not answer. */
export const unavailable = (reason: string): ProblemError => new UnavailableError(reason, false)

/** The platform is stopping. */
export const stopping = (): ProblemError => new UnavailableError('The platform is stopping.', true)

/** Whether a request is refused because of a restart, so that this is no error in the log. */
export const isPlannedOutage = (error: unknown): boolean => error instanceof UnavailableError && error.isPlanned

/** Too many searches and lists of the organization are waiting. */
const busy = (): ProblemError =>
  problem('rate_limited', {
    detail: 'Too many searches and lists of this organization are waiting.',
    headers: { 'retry-after': '1' },
  })

/** The path is unknown, whatever the method. */
export const noSuchPath = (): ProblemError => problem('not_found', { detail: 'There is nothing at this path.' })
