import { loginTimeoutMs } from './login.ts'
import type { SessionDeps } from './sessionModel.ts'

/** How often a tab checks for changes by other tabs, in case the `storage` event is late. */
export const pollMs = 250

/** Longer than a login takes. Without locks, only time shows that the page of a login has gone. */
const remoteLoginTimeoutMs = loginTimeoutMs + 2000

/** Calls `giveUp` when another tab's login can no longer store a token. `abortSignal` ends the wait. */
export function awaitEndOfLogin(
  { clock, page, lockName }: SessionDeps,
  abortSignal: AbortSignal,
  giveUp: () => void,
): void {
  let cancelTimer = clock.setTimeout(giveUp, remoteLoginTimeoutMs)
  // The tab that logs in holds the lock, so check after a moment, when it has had time to get it. If the lock is free, that
  // tab has finished, which localStorage shows soon, or it has gone. A frozen tab keeps the lock, so the first timer is
  // needed as well.
  const cancelCheck = clock.setTimeout(() => {
    void page.withLock(lockName, abortSignal, async isLocked => {
      if (!isLocked) return
      cancelTimer()
      cancelTimer = clock.setTimeout(giveUp, pollMs)
    })
  }, pollMs)
  abortSignal.addEventListener('abort', () => {
    cancelTimer()
    cancelCheck()
  })
}
