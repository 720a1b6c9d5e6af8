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
  const { status, title, detail: usual } = errorCatalogue[code]
  const { detail = usual, errors, conflict } = details
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
 * The platform's error handler. Unexpected errors get 500 and are logged with their stack. If the store does not answer,
 * all requests fail for the same reason, so only the reason is logged.
 */
export const handleError =
  (logger: Logger) =>
  (error: unknown, c: AppContext): Response => {
    const answer = toProblem(error)
    const requestId = c.get('requestId')
    const route = c.get('route') ?? 'none'
    if (answer.code === 'internal') logger.error({ requestId, route, err: error }, 'failed')
    else if (isUnavailable(error)) logger.error({ requestId, route, reason: error.message }, 'failed')
    const { status, headers, body } = problemResponse(answer, requestId)
    return c.newResponse(body, status as StatusCode, headers)
  }

/** Converts any error to the problem with which the platform responds. */
export function toProblem(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error
  if (isUnavailable(error)) return unavailable()
  if (isNamed(error, 'OrganizationMovingError')) return organizationMoving()
  return isNamed(error, 'StoreBusyError') ? busy() : problem('internal')
}

/** Compares names, because this layer does not import the store. */
const isNamed = (error: unknown, name: string): error is Error => error instanceof Error && error.name === name
const isUnavailable = (error: unknown): error is Error => isNamed(error, 'StoreUnavailableError')

/** The store does not answer, or the platform is stopping. */
export const unavailable = (): ProblemError => httpProblem('unavailable', { 'retry-after': '2' })

/** The organization is being moved to another database, which takes minutes. */
const organizationMoving = (): ProblemError => httpProblem('organization_moving', { 'retry-after': '10' })

/** Too many long searches of the organization are waiting. */
const busy = (): ProblemError =>
  httpProblem('rate_limited', { 'retry-after': '1' }, { detail: 'Too many long searches at the same time.' })

/** The path is unknown, whatever the method. */
export const noSuchPath = (): ProblemError => problem('not_found', { detail: 'There is nothing at this path.' })
