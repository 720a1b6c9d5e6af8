import type { Context } from 'hono'
import type { Logger } from 'pino'
import { errorCatalogue, type Problem } from '../../contract/index.ts'
import { type ProblemDetails, ProblemError, problem } from '../domain/problem.ts'
import type { Env } from './context.ts'

/** An error as HTTP: RFC 9457, with the request's id and nothing of the cause. */
export function problemResponse(
  { code, details }: { code: Problem['code']; details: ProblemDetails },
  requestId: string,
): Response {
  const { status, title } = errorCatalogue[code]
  const { detail = title, errors, conflict, headers } = details
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
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/problem+json', ...headers },
  })
}

/** The platform's one error handler: what is no problem of ours is logged whole and answered with 500 and the request's id. */
export const handleError =
  (logger: Logger) =>
  (error: Error, c: Context<Env>): Response => {
    const requestId = c.get('requestId')
    if (!(error instanceof ProblemError)) logger.error({ requestId, route: c.get('route'), err: error }, 'failed')
    return problemResponse(toProblem(error), requestId)
  }

function toProblem(error: Error): ProblemError {
  if (error instanceof ProblemError) return error
  // By name: what stands behind the store's port is none of this layer's business.
  return error.name === 'StoreUnavailableError' ? unavailable() : problem('internal')
}

/** The store does not answer, or the platform is about to stop. */
export const unavailable = (): ProblemError => problem('unavailable', { headers: { 'retry-after': '2' } })
