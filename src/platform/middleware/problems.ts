import type { Logger } from 'pino'
import { errorCatalogue, type Problem } from '../../contract/index.ts'
import { ProblemError, problem } from '../domain/problem.ts'
import type { Answer, Exchange } from './exchange.ts'

/** An error as HTTP: RFC 9457, with the request's id and nothing of the cause. */
export function problemAnswer(
  { code, details }: ProblemError,
  requestId: string,
): Answer & { headers: Record<string, string>; body: string } {
  const { status, title, detail: usual } = errorCatalogue[code]
  const { detail = usual, errors, conflict, headers } = details
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
    headers: { 'content-type': 'application/problem+json', ...headers },
    body: JSON.stringify(body),
  }
}

/** The platform's one error handler: what is no problem of ours is logged whole and answered with 500 and the request's id. */
export const handleError =
  (logger: Logger) =>
  (error: unknown, { requestId, route }: Exchange): Answer => {
    if (!(error instanceof ProblemError)) logger.error({ requestId, route, err: error }, 'failed')
    return problemAnswer(toProblem(error), requestId)
  }

function toProblem(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error
  // By name: what stands behind the store's port is none of this layer's business.
  const name = error instanceof Error ? error.name : ''
  if (name === 'StoreUnavailableError') return unavailable()
  if (name === 'StoreBusyError') return busy()
  return problem('internal')
}

/** The store does not answer, or the platform is about to stop. */
export const unavailable = (): ProblemError => problem('unavailable', { headers: { 'retry-after': '2' } })

/** As many long searches wait for the organization as may. */
const busy = (): ProblemError =>
  problem('rate_limited', {
    detail: 'Too many long searches at the same time.',
    headers: { 'retry-after': '1' },
  })

/** Nothing was ever here, whatever the method. */
export const noSuchPath = (): ProblemError => problem('not_found', { detail: 'There is nothing at this path.' })
