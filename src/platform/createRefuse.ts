import type { Logger } from 'pino'
import type { Metrics } from './middleware/metrics.ts'
import { commonHeaders, recordResponse } from './middleware/observe.ts'
import { problemResponse, toProblem } from './middleware/problems.ts'
import type { Refuse } from './refusal.ts'

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
