import { type ProblemError, problem } from '../domain/problem.ts'
import { limitSize } from './body.ts'
import { type Answer, type Connection, createExchange, type Exchange } from './exchange.ts'
import { noSuchPath, unavailable } from './problems.ts'
import type { FindRoute, Route } from './router.ts'

export interface DispatchOptions {
  find: FindRoute
  isClosed: () => boolean
  /** Milliseconds from some fixed moment. */
  elapsed: () => number
  /** Is shown every request before anything else. */
  arrive: (exchange: Exchange) => void
  /** Turns whatever was thrown into the answer. */
  fail: (error: unknown, exchange: Exchange) => Answer
  /** Is told of every answer. */
  onAnswer: (exchange: Exchange, status: number, ms: number) => void
}

/** Answers a request; never rejects. `headers` is whole. */
export type Dispatch = (request: Request, connection: Connection) => Promise<Required<Answer>>

/** Takes a request through its route's steps: only what waits is waited for, and each answer is told of once. */
export function createDispatch({ find, isClosed, elapsed, arrive, fail, onAnswer }: DispatchOptions): Dispatch {
  async function follow(exchange: Exchange): Promise<Answer> {
    arrive(exchange)
    if (isClosed()) throw unavailable()
    const { request } = exchange
    const found = find(request)
    if (found) {
      exchange.route = found.route.template
      exchange.parameters = found.parameters
      for (const step of found.route.before) {
        const waiting = step(exchange)
        if (waiting) await waiting
      }
    }
    const operation = found?.route.operations.get(request.method === 'HEAD' ? 'GET' : request.method)
    limitSize(exchange, operation?.maxBytes)
    if (!operation) throw found ? refuseMethod(found.route) : noSuchPath()
    for (const step of operation.steps) {
      const waiting = step(exchange)
      if (waiting) await waiting
    }
    return operation.run(exchange)
  }

  return async (request, connection) => {
    const start = elapsed()
    const exchange = createExchange(request, connection)
    const { status, headers, body = null } = await follow(exchange).catch(error => fail(error, exchange))
    onAnswer(exchange, status, elapsed() - start)
    if (headers) Object.assign(exchange.headers, headers)
    return { status, headers: exchange.headers, body: request.method === 'HEAD' ? null : body }
  }
}

function refuseMethod({ operations }: Route): ProblemError {
  if (operations.size === 0) return noSuchPath()
  const methods = [...operations.keys()].filter(method => method !== 'OPTIONS')
  const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : [])].join(', ')
  return problem('method_not_allowed', { detail: `Allowed here: ${allow}.`, headers: { allow } })
}
