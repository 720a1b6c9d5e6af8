import { isApiError, isNetworkError, isTimeoutError } from './errors.ts'

export interface RetryOptions {
  maxRetries: number
  /** The time limit of each attempt, and the longest `Retry-After` to wait for. */
  timeoutMs: number
  signal?: AbortSignal | undefined
  /** Creates the error of an attempt that exceeds the time limit. */
  timeoutError(): Error
}

const transient = [408, 429, 502, 503, 504]
const firstBackoffMs = 300
const maxBackoffMs = 5_000

/**
 * Retries after network failures, timeouts and the statuses 408, 429, 502, 503 and 504: after `Retry-After`, or with capped
 * exponential backoff and jitter. `run` gets a signal that aborts at the time limit of its attempt, and when the
 * caller aborts.
 */
export async function withRetries<Result>(
  run: (signal: AbortSignal) => Promise<Result>,
  options: RetryOptions,
): Promise<Result> {
  const { maxRetries, timeoutMs, signal } = options
  for (let count = 0; ; count++) {
    signal?.throwIfAborted()
    try {
      return await withTimeout(run, options)
    } catch (error) {
      // Check for an abort first: its reason may look like an error that can be retried.
      signal?.throwIfAborted()
      if (count >= maxRetries || !isTransient(error)) throw error
      const retryAfterMs = isApiError(error) ? error.retryAfterMs : undefined
      if (retryAfterMs !== undefined && retryAfterMs > timeoutMs) throw error
      const half = Math.min(firstBackoffMs * 2 ** count, maxBackoffMs) / 2
      await pause((retryAfterMs ?? half) + Math.random() * half, signal)
    }
  }
}

/** Whether the same call may succeed later. */
export const isTransient = (error: unknown): boolean =>
  isNetworkError(error) || isTimeoutError(error) || (isApiError(error) && transient.includes(error.status))

/**
 * Runs with a signal that aborts with the caller's signal or after the time limit. Rejects then even if `run` ignores
 * it.
 */
async function withTimeout<Result>(
  run: (signal: AbortSignal) => Promise<Result>,
  { timeoutMs, signal, timeoutError }: RetryOptions,
): Promise<Result> {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(timeoutError()), timeoutMs)
  const either = signal ? AbortSignal.any([signal, controller.signal]) : controller.signal
  const ended = new Promise<never>((_, reject) => either.addEventListener('abort', () => reject(either.reason)))
  try {
    return await Promise.race([run(either), ended])
  } finally {
    clearTimeout(timer)
  }
}

function pause(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    }, delayMs)
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}
