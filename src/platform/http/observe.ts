import type { Logger } from 'pino'
import type { Middleware } from './appEnv.ts'
import type { Metrics } from './metrics.ts'
import { isPlannedOutage, problemResponse, toProblem } from './problems.ts'
import type { Platform } from './server.ts'

export interface ObserveOptions {
  logger: Logger
  metrics: Metrics
  /** Monotonic milliseconds. */
  elapsed: () => number
}

/** Gives each request an id and each response the common headers; logs and counts the response. */
export const observe =
  ({ logger, metrics, elapsed }: ObserveOptions): Middleware =>
  async (c, next) => {
    const start = elapsed()
    // Do not take an id from the client: it would be logged.
    const requestId = crypto.randomUUID()
    c.set('requestId', requestId)
    for (const [name, value] of Object.entries(commonHeaders(requestId))) c.header(name, value)
    await next()
    const ms = elapsed() - start
    const { method } = c.req
    const { status } = c.res
    const route = c.get('route') ?? 'none'
    const isError = status >= 500 && route !== '/readyz' && !isPlannedOutage(c.error)
    recordResponse({ logger, metrics }, { requestId, method, route, status, ms }, isError)
  }

/**
 * Converts thrown values that are no errors. Hono calls the error handler only with an `Error`. Use it after `observe`, which
 * then also logs and counts the response.
 */
export const requireErrors: Middleware = (_, next) =>
  next().catch((thrown: unknown) => {
    throw thrown instanceof Error ? thrown : new Error(`Something other than an error was thrown: ${thrown}`)
  })

/** Answers what the app does not see, for the server. */
export const createRefuse =
  ({ logger, metrics }: Omit<ObserveOptions, 'elapsed'>): Platform['refuse'] =>
  (error, method = 'none') => {
    const requestId = crypto.randomUUID()
    const problem = toProblem(error)
    if (problem.code === 'internal') logger.error({ requestId, err: error }, 'failed')
    const { status, headers, body } = problemResponse(problem, requestId)
    recordResponse({ logger, metrics }, { requestId, method, route: 'none', status, ms: 0 }, status >= 500)
    return { status, headers: { ...commonHeaders(requestId), ...headers }, body }
  }

/**
 * Logs and counts a response, under its route's template. URL, headers and body are never logged. A 503 of `/readyz`, or of
 * a planned outage, is a normal answer, and so no error.
 */
function recordResponse(
  { logger, metrics }: Omit<ObserveOptions, 'elapsed'>,
  response: { requestId: string; method: string; route: string; status: number; ms: number },
  isError: boolean,
): void {
  const { method, route, status, ms } = response
  metrics.request(method, route, status, ms)
  const line = { ...response, ms: Math.round(ms * 100) / 100 }
  if (isError) logger.error(line, 'request')
  else logger.info(line, 'request')
}

/** The headers of every response that does not set its own. */
const commonHeaders = (requestId: string): Record<string, string> => ({
  'x-request-id': requestId,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  // Responses are not pages, except those of `/docs`: if a browser shows one as a page, it must not load or embed anything.
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
})
