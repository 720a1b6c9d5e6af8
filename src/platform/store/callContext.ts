import { AsyncLocalStorage } from 'node:async_hooks'
import { defaultTimeLimitMs, upsertTimeLimitMs } from '../../contract/endpoint.ts'
import { StoreUnavailableError } from './store.ts'

/**
 * The time, on `monotonicMs`, at which the caller of a store gets an answer at the latest. Nothing may start after it: the
 * caller has received an error and may have written something newer.
 */
export type Deadline = number

/** A call that takes longer fails, and its result is ignored. */
export const defaultMs = defaultTimeLimitMs
/** An upsert of a thousand entries takes longer, and may wait for other upserts. Also for commands: no client waits for them. */
export const longMs = upsertTimeLimitMs

/**
 * Monotonic milliseconds, equal in all threads of a process. Unlike timers, this clock continues while the process is
 * stopped (SIGSTOP).
 */
export const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6

/** Milliseconds until a deadline; negative after it. */
export const msUntil = (deadline: Deadline): number => deadline - monotonicMs()

/** Throws `StoreUnavailableError` after the deadline. */
export function requireBefore(deadline: Deadline): void {
  if (msUntil(deadline) < 0) throw new StoreUnavailableError('The deadline of the call has passed.')
}

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
