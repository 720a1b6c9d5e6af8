import type { Logger } from 'pino'
import type { Metrics } from './middleware/metrics.ts'
import { commonHeaders, recordResponse } from './middleware/observe.ts'
import { problemResponse, toProblem } from './middleware/problems.ts'

/** The answer to input that never becomes a request of the app. */
export interface Refusal {
  status: number
  headers: Record<string, string>
  body: string
}

/**
 * Answers an error that the app does not see: input that is not valid HTTP, or a failure of the server itself. Logged and
 * counted like every other answer. `method`: that of the request, if there is one.
 */
export type Refuse = (error: unknown, method?: string) => Refusal

export const createRefuse =
  ({ logger, metrics }: { logger: Logger; metrics: Metrics }): Refuse =>
  (error, method = 'none') => {
    const requestId = crypto.randomUUID()
    const problem = toProblem(error)
    if (problem.code === 'internal') logger.error({ requestId, err: error }, 'failed')
    const { status, headers, body } = problemResponse(problem, requestId)
    recordResponse({ logger, metrics }, { requestId, method, route: 'none', status, ms: 0 })
    return { status, headers: { ...commonHeaders(requestId), ...headers }, body }
  }
