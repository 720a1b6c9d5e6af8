import { defaultTimeLimitMs } from '../../contract/index.ts'
import type { Clock } from '../clock.ts'
import { monotonicMs, runInContext, unknownOwner } from '../store/callContext.ts'
import type { Middleware, TimedRequest } from './appEnv.ts'

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
      // On the store's clock.
      get deadline() {
        return monotonicMs() + request.remainingMs()
      },
    }
    c.set('requestContext', request)
    return runInContext(request, next)
  }

/** From here on the organization owns the request's store calls, no longer the client's address. */
export const assignOwner: Middleware = (c, next) => {
  const owner = c.get('scope')?.organizationId ?? c.get('bot')?.organizationId
  if (owner !== undefined) c.get('requestContext').owner = owner
  return next()
}
