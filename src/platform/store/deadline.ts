import { defaultTimeLimitMs, upsertTimeLimitMs } from '../../contract/endpoint.ts'
import { StoreUnavailableError } from './store.ts'

/**
 * The time, on `monotonicMs`, at which the caller of a store gets an answer at the latest. Nothing may start after it: the
 * caller has received an error and may have written something newer.
 */
export type Deadline = number

/** A call that takes longer fails, and its result is ignored. */
export const defaultMs = defaultTimeLimitMs
/** An upsert of a thousand entries takes longer, and may wait for other upserts. For work of commands nobody waits. */
export const longMs = upsertTimeLimitMs

/**
 * Monotonic milliseconds, equal in all threads of a process. Unlike timers, this clock continues while the process is
 * stopped (SIGSTOP).
 */
export const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6

/** Throws `StoreUnavailableError` after the deadline. */
export function requireBefore(deadline: Deadline): void {
  if (monotonicMs() > deadline) throw new StoreUnavailableError('The deadline of the call has passed.')
}
