import { type Store, StoreUnavailableError } from './store.ts'

/**
 * The time by which the caller gets an answer, on `monotonicMs`. Nothing may start after it: the caller has had a 503 and
 * may have written something newer.
 */
export type Deadline = number

/** Ours: a call that takes longer fails, and its result is ignored. */
export const usualMs = 5_000
/** An upsert of a thousand entries takes longer, and may wait for others. */
export const longFactor = 6
export const longMs = usualMs * longFactor

const factors: { [Name in keyof Store]?: number } = {
  upsertContacts: longFactor,
  // It ends all anonymous sessions of a bot.
  setVisitors: longFactor,
  // It runs until nothing is left to delete.
  purge: Number.POSITIVE_INFINITY,
}

/** How long a call of a method may take that no request makes, in milliseconds; `usual` is the limit of most of them. */
export const timeLimitOf = (method: keyof Store, usual = usualMs): number => (factors[method] ?? 1) * usual

/**
 * Milliseconds from some fixed moment, the same in all threads of a process. Unlike timers, it goes on while the process
 * is stopped (SIGSTOP).
 */
export const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6

/** Throws if the caller has been answered. */
export function requireBefore(deadline: Deadline): void {
  if (monotonicMs() > deadline) throw new StoreUnavailableError('The deadline of the call has passed.')
}
