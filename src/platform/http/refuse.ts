import { commonHeaders } from './observe.ts'
import { problemResponse, toProblem } from './problems.ts'

/** The response to input that never becomes a request of the app. */
export interface Refusal {
  status: number
  headers: Record<string, string>
  body: string
}

/**
 * Creates the response to an error that the app does not see: input that is not valid HTTP, or a failure of the server
 * itself. Logs and counts it like every other response. `method`: the method of the request, if there is one.
 */
export type Refuse = (error: unknown, method?: string) => Refusal

/** Names no types of the logger: `Refuse` is public, and users do not have the logger's package. */
export interface RefuseOptions {
  /** Logs an error that is a failure of the server. */
  logFailure(error: unknown, requestId: string): void
  /** Logs and counts the response. */
  recordResponse(response: { requestId: string; method: string; status: number }): void
}

export const createRefuse =
  ({ logFailure, recordResponse }: RefuseOptions): Refuse =>
  (error, method = 'none') => {
    const requestId = crypto.randomUUID()
    const problem = toProblem(error)
    if (problem.code === 'internal') logFailure(error, requestId)
    const { status, headers, body } = problemResponse(problem, requestId)
    recordResponse({ requestId, method, status })
    return { status, headers: { ...commonHeaders(requestId), ...headers }, body }
  }
