import { defaultTimeLimitMs } from '../../contract/index.ts'
import type { Clock } from '../clock.ts'
import { type Deadline, monotonicMs } from '../store/deadline.ts'
import { runInRequest, unknownOwner } from '../store/requestContext.ts'
import type { AppContext, Middleware, TimedRequest } from './appEnv.ts'

/**
 * Gives each request its deadline, counted from its arrival: a client without an answer gives up then, and may send
 * something newer. The client's address owns the store calls until the organization is known.
 */
export const setRequestDeadline =
  ({ elapsed }: Pick<Clock, 'elapsed'>): Middleware =>
  (c, next) => {
    const arrivedAt = c.get('arrivedAt')
    const request: TimedRequest = {
      owner: c.get('address') ?? unknownOwner,
      limitMs: defaultTimeLimitMs,
      remainingMs: () => request.limitMs - (elapsed() - arrivedAt),
    }
    c.set('requestContext', request)
    return runInRequest(request, next)
  }

/** From here on the organization owns the request's store calls, no longer the client's address. */
export const assignOwner: Middleware = (c, next) => {
  const owner = c.get('scope')?.organizationId ?? c.get('bot')?.organizationId
  if (owner !== undefined) c.get('requestContext').owner = owner
  return next()
}

/** The request's deadline on the store's clock. */
export const requestDeadlineOf = (c: AppContext): Deadline => monotonicMs() + c.get('requestContext').remainingMs()
