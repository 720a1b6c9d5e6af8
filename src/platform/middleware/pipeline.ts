import type { ProblemError } from '../domain/problem.ts'
import { limitSize } from './body.ts'
import { httpProblem } from './httpProblem.ts'
import { noSuchPath, unavailable } from './problems.ts'
import { type Connection, createRequestContext, type HttpResponse, type RequestContext } from './requestContext.ts'
import type { FindRoute, Route } from './router.ts'

export interface PipelineOptions {
  find: FindRoute
  isClosed: () => boolean
  /** Milliseconds from some fixed moment. */
  elapsed: () => number
  /** Called with every request, before anything else. */
  onRequest: (context: RequestContext) => void
  /** Turns an error into a response. */
  onError: (error: unknown, context: RequestContext) => HttpResponse
  /** Called with every response. */
  onResponse: (context: RequestContext, status: number, ms: number) => void
}

/** Answers a request; never rejects. `headers` is complete. */
export type RequestHandler = (request: Request, connection: Connection) => Promise<Required<HttpResponse>>

/** Ours: what has waited longer before its handler begins, as in a process that was stopped, is not carried out. */
const maxAgeMs = 5_000

/**
 * Runs a request through its route's middleware. Awaits only real promises, since an extra microtask per middleware is
 * measurable.
 */
export function createPipeline({
  find,
  isClosed,
  elapsed,
  onRequest,
  onError,
  onResponse,
}: PipelineOptions): RequestHandler {
  async function run(context: RequestContext): Promise<HttpResponse> {
    onRequest(context)
    if (isClosed()) throw unavailable()
    const { request } = context
    const found = find(request)
    if (found) {
      context.route = found.route.template
      context.parameters = found.parameters
      for (const middleware of found.route.before) {
        const pending = middleware(context)
        if (pending) await pending
      }
    }
    const operation = found?.route.operations.get(request.method === 'HEAD' ? 'GET' : request.method)
    limitSize(context, operation?.maxBytes)
    if (!operation) throw found ? refuseMethod(found.route) : noSuchPath()
    for (const middleware of operation.middleware) {
      const pending = middleware(context)
      if (pending) await pending
    }
    // Its client has given it up, and may have sent something newer meanwhile, to another node perhaps.
    if (elapsed() - context.arrivedAt > maxAgeMs) throw unavailable()
    return operation.run(context)
  }

  return async (request, connection) => {
    const start = elapsed()
    const context = createRequestContext(request, connection, start)
    const { status, headers, body = null } = await run(context).catch(error => onError(error, context))
    onResponse(context, status, elapsed() - start)
    if (headers) Object.assign(context.headers, headers)
    return { status, headers: context.headers, body: request.method === 'HEAD' ? null : body }
  }
}

function refuseMethod({ operations }: Route): ProblemError {
  if (operations.size === 0) return noSuchPath()
  const methods = [...operations.keys()].filter(method => method !== 'OPTIONS')
  const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : [])].join(', ')
  return httpProblem('method_not_allowed', { allow }, { detail: `Allowed here: ${allow}.` })
}
