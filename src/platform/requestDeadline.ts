import { usualTimeLimitMs } from '../contract/index.ts'
import type { AppContext, Middleware, RequestDeadline } from './middleware/appEnv.ts'
import { runAsRequester } from './store/caller.ts'
import { type Deadline, monotonicMs } from './store/deadline.ts'

export interface RequestDeadlineOptions {
  /** Milliseconds from some fixed moment. */
  elapsed: () => number
  /** The client's address, if it is known. */
  addressOf: (c: AppContext) => string | undefined
}

/**
 * Gives each request its deadline, counted from its arrival: whoever has had no answer by then gives up, and may send
 * something newer. Until the organization is known, the client's address takes the turns at the store.
 */
export const setRequestDeadline =
  ({ elapsed, addressOf }: RequestDeadlineOptions): Middleware =>
  (c, next) => {
    const arrivedAt = c.get('arrivedAt')
    const requester: RequestDeadline = {
      owner: addressOf(c) ?? '',
      limitMs: usualTimeLimitMs,
      remainingMs: () => requester.limitMs - (elapsed() - arrivedAt),
    }
    c.set('requester', requester)
    return runAsRequester(requester, next)
  }

/** The deadline of a request on the clock of the store. */
export const deadlineOf = (c: AppContext): Deadline => monotonicMs() + c.get('requester').remainingMs()
