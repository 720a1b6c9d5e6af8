import type { Clock } from '../environment/clock.ts'
import type { Page } from '../environment/page.ts'

/**
 * Runs `fn` while it holds the Web Lock `name`, or without it after `maxWaitMs`, which is longer than a tab usually holds a
 * lock: a tab that the system has suspended may hold it for hours. So `fn` must expect that another tab does the same, and
 * thaws in the middle of it. `abortSignal` ends the wait.
 */
export async function withLockInTime(
  { page, clock }: { page: Pick<Page, 'withLock'>; clock: Clock },
  name: string,
  abortSignal: AbortSignal,
  fn: () => Promise<unknown>,
  maxWaitMs = 30_000,
): Promise<void> {
  let hasStarted = false
  const waiting = new AbortController()
  const stopWaiting = () => waiting.abort(0)
  const cancelTimer = clock.setTimeout(stopWaiting, maxWaitMs)
  abortSignal.addEventListener('abort', stopWaiting)
  if (abortSignal.aborted) stopWaiting()
  async function run() {
    hasStarted = true
    cancelTimer()
    await fn()
  }
  try {
    await page.withLock(name, waiting.signal, run)
    if (!hasStarted && !abortSignal.aborted) await run()
  } finally {
    cancelTimer()
    abortSignal.removeEventListener('abort', stopWaiting)
  }
}
