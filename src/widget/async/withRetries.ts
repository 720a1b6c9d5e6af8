import type { Backoff } from '../api/backoff.ts'

interface RetryOptions {
  /** The wait after each failure. */
  backoff: Backoff
  /** Ends the attempts. */
  abortSignal: AbortSignal
  /** Called after each failed attempt with the number of failures so far. By default the attempts go on. */
  shouldGiveUp?(failures: number): boolean
}

/**
 * Calls `attempt` until it doesn't reject, and resolves to its result. Resolves to `undefined` when `abortSignal` aborts, or
 * when `shouldGiveUp` returns true.
 */
export async function withRetries<Value>(
  attempt: () => Promise<Value>,
  { backoff, abortSignal, shouldGiveUp = () => false }: RetryOptions,
): Promise<Value | undefined> {
  for (let tries = 0; !abortSignal.aborted; tries++) {
    try {
      return await attempt()
    } catch {
      if (shouldGiveUp(tries + 1)) break
    }
    await backoff.wait(tries, abortSignal)
  }
  return undefined
}
