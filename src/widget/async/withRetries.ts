import type { Backoff } from '../api/backoff.ts'

interface RetryOptions {
  /** The wait after each failure. */
  backoff: Backoff
  /** Ends the attempts. */
  abortSignal: AbortSignal
  /** Called after each failed attempt with the number of failures so far. */
  onFailure(failures: number): void
  /** Called after `onFailure`: whether that was the last attempt. By default the attempts go on. */
  shouldGiveUp?(): boolean
}

/**
 * Calls `attempt` until it doesn't reject, and resolves to its result. Resolves to `undefined` when `abortSignal` aborts, or
 * when `shouldGiveUp` returns true.
 */
export async function withRetries<Value>(
  attempt: () => Promise<Value>,
  { backoff, abortSignal, onFailure, shouldGiveUp = () => false }: RetryOptions,
): Promise<Value | undefined> {
  for (let tries = 0; !abortSignal.aborted; tries++) {
    try {
      return await attempt()
    } catch {
      onFailure(tries + 1)
    }
    if (shouldGiveUp()) break
    await backoff.wait(tries, abortSignal)
  }
  return undefined
}
