import { AsyncLocalStorage } from 'node:async_hooks'
import { type Deadline, longMs, monotonicMs } from './deadline.ts'

/**
 * The owner of calls that no organization and no known address causes: those of commands, and of requests whose address is
 * unknown. They share one place in the rotation.
 */
export const unknownOwner = ''

/** Who causes calls of the store, and until when they may take effect. */
export interface CallContext {
  /**
   * Whose share of the store the calls use: an organization's, or the client address's until the organization is known.
   * `null` for the platform's own work, which has reserved capacity.
   */
  owner: string | null
  deadline: Deadline
}

// A request has one context; each of its store calls has its own, made from it (`withDeadline.ts`). Both are ambient: as
// arguments they would appear in every method of the store and in all code between a request and its calls.
const contexts = new AsyncLocalStorage<CallContext>()

/** Runs the code that answers a request, or a method of a store; `currentContext` returns its context there. */
export const runInContext = <Result>(context: CallContext, run: () => Result): Result => contexts.run(context, run)

/** `undefined` in commands and in the platform's own work that no request started. */
export const currentContext = (): CallContext | undefined => contexts.getStore()

/**
 * The context of the running call. A call without one, as in a command, has an unknown owner and ends after `longMs`.
 * A call with an infinite deadline, such as a purge, consists of many transactions: each of them ends after `longMs`.
 */
export function currentCall(): CallContext {
  const { owner, deadline } = currentContext() ?? { owner: unknownOwner, deadline: Number.POSITIVE_INFINITY }
  return { owner, deadline: Number.isFinite(deadline) ? deadline : monotonicMs() + longMs }
}
