import type { Clock } from '../environment/clock.ts'

/** Resolves after `ms`. It can't be cancelled: check afterwards whether the work is still wanted. */
export const delay = (clock: Clock, ms: number): Promise<void> =>
  new Promise(resolve => void clock.setTimeout(resolve, ms))

/** Resolves when the signal aborts, and at once if it has aborted. */
export const untilAborted = (abortSignal: AbortSignal): Promise<void> =>
  new Promise(resolve => {
    if (abortSignal.aborted) resolve()
    else abortSignal.addEventListener('abort', () => resolve())
  })

/** Settles like `promise`, unless that takes longer than `ms`: then it rejects with what `createError` returns. */
export async function withTimeout<Value>(
  clock: Clock,
  ms: number,
  promise: Promise<Value>,
  createError: () => Error = () => new Error('Timed out'),
): Promise<Value> {
  let cancelTimer = () => {}
  const timeout = new Promise<never>((_, reject) => {
    cancelTimer = clock.setTimeout(() => reject(createError()), ms)
  })
  try {
    return await Promise.race([promise, timeout])
  } finally {
    cancelTimer()
  }
}

/** Controls for work that has to be done within a time. */
export interface Deadline {
  /** Aborts when the time is over, when nobody waits any more, and when the work is done. */
  readonly signal: AbortSignal
  /** Gives the work `ms` from now on. */
  extend(ms: number): void
}

/**
 * Resolves to the result of `work`, or to `undefined` if that takes longer than `ms` or `abortSignal` aborts. This holds even
 * if the work ignores the signal, as a wrapper of the page around `fetch` may.
 */
export async function withDeadline<Value>(
  clock: Clock,
  ms: number,
  abortSignal: AbortSignal,
  work: (deadline: Deadline) => Promise<Value>,
): Promise<Value | undefined> {
  const controller = new AbortController()
  const { signal } = controller
  // The reasons are strings, because an Error would keep the call stack in memory.
  const onTimeout = () => controller.abort('Natter: there was no answer in time')
  const onAbort = () => controller.abort('Natter: nobody waits for this request any more')
  let cancelTimer = clock.setTimeout(onTimeout, ms)
  const extend = (next: number) => {
    cancelTimer()
    cancelTimer = clock.setTimeout(onTimeout, next)
  }
  abortSignal.addEventListener('abort', onAbort)
  if (abortSignal.aborted) onAbort()
  try {
    return await Promise.race([work({ signal, extend }), untilAborted(signal).then(() => undefined)])
  } finally {
    cancelTimer()
    abortSignal.removeEventListener('abort', onAbort)
    onAbort()
  }
}
