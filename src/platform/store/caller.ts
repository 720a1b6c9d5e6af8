import { AsyncLocalStorage } from 'node:async_hooks'
import { type Deadline, monotonicMs } from './deadline.ts'
import type { Requester } from './records.ts'

/** What an engine needs to know of one call. */
export interface CallContext {
  /** `null`: the platform itself, for which places are reserved. */
  owner: string | null
  deadline: Deadline
}

// As arguments, both would stand in each of the store's methods, and in all that lies between them and the request.
const requesters = new AsyncLocalStorage<Requester>()
const calls = new AsyncLocalStorage<CallContext>()

/** Runs what answers a request; `currentRequester` finds it there. */
export const runAsRequester = <Result>(requester: Requester, run: () => Result): Result =>
  requesters.run(requester, run)
export const currentRequester = (): Requester | undefined => requesters.getStore()

/** Runs a method of a store, whose engine finds the context by `callContext`. */
export const runCall = <Result>(context: CallContext, run: () => Result): Result => calls.run(context, run)

/**
 * The context of the running call. Without one, as in a command, it has no owner and ends after `limitMs`. So does each
 * transaction of a call that may take any time, as a purge.
 */
export function callContext(limitMs: number): CallContext {
  const { owner, deadline } = calls.getStore() ?? { owner: '', deadline: Number.POSITIVE_INFINITY }
  return { owner, deadline: Number.isFinite(deadline) ? deadline : monotonicMs() + limitMs }
}
