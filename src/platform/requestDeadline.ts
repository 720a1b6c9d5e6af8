import { usualTimeLimitMs } from '../contract/index.ts'
import type { AppContext, Middleware, TimedRequest } from './middleware/appEnv.ts'
import { type Deadline, monotonicMs } from './store/deadline.ts'
import { runInRequest, unknownOwner } from './store/requestContext.ts'

export interface RequestDeadlineOptions {
  /** Monotonic milliseconds. */
  elapsed: () => number
  /** The client's address, if it is known. */
  addressOf: (c: AppContext) => string | undefined
}

/**
 * Gives each request its deadline, counted from its arrival: a client without an answer gives up then, and may send
 * something newer. The client's address owns the store calls until the organization is known.
 */
export const setRequestDeadline =
  ({ elapsed, addressOf }: RequestDeadlineOptions): Middleware =>
  (c, next) => {
    const arrivedAt = c.get('arrivedAt')
    const request: TimedRequest = {
      owner: addressOf(c) ?? unknownOwner,
      limitMs: usualTimeLimitMs,
      remainingMs: () => request.limitMs - (elapsed() - arrivedAt),
    }
    c.set('requestContext', request)
    return runInRequest(request, next)
  }

/** The request's deadline on the store's clock. */
export const deadlineOf = (c: AppContext): Deadline => monotonicMs() + c.get('requestContext').remainingMs()
