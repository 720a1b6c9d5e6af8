import { defaultTimeLimitMs } from '../../contract/index.ts'
import type { Clock } from '../clock.ts'
import type { AppContext, Middleware, TimedRequest } from '../middleware/appEnv.ts'
import { type Deadline, monotonicMs } from '../store/deadline.ts'
import { runInRequest, unknownOwner } from '../store/requestContext.ts'

/**
 * Gives each request its deadline, counted from its arrival: a client without an answer gives up then, and may send
 * something newer. The client's address owns the store calls until the organization is known.
 */
export const setRequestDeadline =
  ({ elapsed }: Pick<Clock, 'elapsed'>): Middleware =>
  (c, next) => {
    const arrivedAt = c.get('arrivedAt')
    let owner = c.get('address') ?? unknownOwner
    let limitMs = defaultTimeLimitMs
    const request: TimedRequest = {
      get owner() {
        return owner
      },
      get limitMs() {
        return limitMs
      },
      remainingMs: () => limitMs - (elapsed() - arrivedAt),
      setTimeLimit(ms) {
        limitMs = ms
      },
      setOwner(organizationId) {
        owner = organizationId
      },
    }
    c.set('requestContext', request)
    return runInRequest(request, next)
  }

/** The request's deadline on the store's clock. */
export const requestDeadlineOf = (c: AppContext): Deadline => monotonicMs() + c.get('requestContext').remainingMs()
