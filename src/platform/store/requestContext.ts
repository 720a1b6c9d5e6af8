import { AsyncLocalStorage } from 'node:async_hooks'
import { type Deadline, monotonicMs } from './deadline.ts'
import type { RequestContext } from './records.ts'

/**
 * The owner of calls that no organization and no known address causes: those of commands, and of requests whose address is
 * unknown. They share one place in the rotation.
 */
export const unknownOwner = ''

/** The owner and the deadline of one call of a store method. */
export interface CallContext {
  /** `null` for the platform's own work, which has reserved capacity. */
  owner: string | null
  deadline: Deadline
}

// A request has one context; each of its store calls has a `CallContext` made from it (`withDeadline.ts`). Both are
// ambient: as arguments they would appear in every method of the store and in all code between a request and its calls.
const requests = new AsyncLocalStorage<RequestContext>()
const calls = new AsyncLocalStorage<CallContext>()

/** Runs the code that answers a request; `currentRequest` returns its context there. */
export const runInRequest = <Result>(request: RequestContext, run: () => Result): Result => requests.run(request, run)

/** The request that is being answered; `undefined` in commands and in the platform's own work that no request started. */
export const currentRequest = (): RequestContext | undefined => requests.getStore()

/** Runs a method of a store; `currentCall` returns its context there. */
export const runCall = <Result>(context: CallContext, run: () => Result): Result => calls.run(context, run)

/**
 * The context of the running call. A call without one, as in a command, has an unknown owner and ends after `limitMs`.
 * A call with an infinite deadline, such as a purge, consists of many transactions: each of them ends after `limitMs`.
 */
export function currentCall(limitMs: number): CallContext {
  const { owner, deadline } = calls.getStore() ?? { owner: unknownOwner, deadline: Number.POSITIVE_INFINITY }
  return { owner, deadline: Number.isFinite(deadline) ? deadline : monotonicMs() + limitMs }
}
