import { isApiError, isNetworkError, isTimeoutError } from './errors.ts'

/** One of the tries of a call. */
export interface Attempt {
  /** Aborted when the try is over, in time or not. */
  signal: AbortSignal
  /** Whether an earlier try may have had its effect. */
  mayHaveArrived: boolean
}

export interface RetryOptions {
  retries: number
  /** For each try; and the longest that the platform may ask to wait in between. */
  timeoutMs: number
  signal?: AbortSignal | undefined
  /** The error of a try that takes longer. */
  timeoutError(): Error
}

const transient = [429, 502, 503, 504]
const firstBackoffMs = 300

/**
 * Runs a try until one settles for good. A network failure, a timeout and the answers 429, 502, 503 and 504 are tried
 * again after a while that doubles and is random, so that many clients don't come back at once; or after `Retry-After`.
 */
export async function withRetries<Result>(
  run: (one: Attempt) => Promise<Result>,
  options: RetryOptions,
): Promise<Result> {
  const { retries, timeoutMs, signal } = options
  let mayHaveArrived = false
  for (let count = 0; ; count++) {
    signal?.throwIfAborted()
    try {
      return await withTimeout(limited => run({ signal: limited, mayHaveArrived }), options)
    } catch (error) {
      // Aborted meanwhile: the reason may look like an error of ours.
      signal?.throwIfAborted()
      if (count >= retries || !isTransient(error)) throw error
      const retryAfterMs = isApiError(error) ? error.retryAfterMs : undefined
      if (retryAfterMs !== undefined && retryAfterMs > timeoutMs) throw error
      // What is over the limit has been refused unread.
      mayHaveArrived ||= !(isApiError(error) && error.status === 429)
      const half = (firstBackoffMs * 2 ** count) / 2
      await pause((retryAfterMs ?? half) + Math.random() * half, signal)
    }
  }
}

const isTransient = (error: unknown): boolean =>
  isNetworkError(error) || isTimeoutError(error) || (isApiError(error) && transient.includes(error.status))

/** Runs with a signal that is aborted by the caller's or when time is up, and waits no longer even where it is ignored. */
async function withTimeout<Result>(
  run: (signal: AbortSignal) => Promise<Result>,
  { timeoutMs, signal, timeoutError }: RetryOptions,
): Promise<Result> {
  const controller = new AbortController()
  let undo = () => {}
  const ended = new Promise<never>((_, reject) => {
    const end = (reason: unknown) => {
      reject(reason)
      controller.abort(reason)
    }
    const onAbort = () => end(signal?.reason)
    const timer = setTimeout(() => end(timeoutError()), timeoutMs)
    signal?.addEventListener('abort', onAbort)
    undo = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
    }
  })
  try {
    return await Promise.race([run(controller.signal), ended])
  } finally {
    undo()
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
