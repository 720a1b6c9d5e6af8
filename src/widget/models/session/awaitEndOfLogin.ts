import { loginTimeoutMs } from './login.ts'
import type { SessionDeps } from './sessionModel.ts'
import { pollMs } from './sharedEpoch.ts'

/** A login gives up before that. Without locks, one whose page has gone never says so. */
const remoteLoginTimeoutMs = loginTimeoutMs + 2000

/** Calls `giveUp` when the login of another tab has not stored a token and can't any more, unless `abortSignal` comes first. */
export function awaitEndOfLogin(
  { clock, page, lockName }: SessionDeps,
  abortSignal: AbortSignal,
  giveUp: () => void,
): void {
  let cancelTimer = clock.setTimeout(giveUp, remoteLoginTimeoutMs)
  // The tab that logs in holds the lock, and may just be asking for it. Where the lock is free, that tab has finished, as
  // localStorage shows in a moment, or it has gone. A frozen tab holds it, too: therefore the timer.
  const cancelLook = clock.setTimeout(() => {
    void page.withLock(lockName, abortSignal, async isLocked => {
      if (!isLocked) return
      cancelTimer()
      cancelTimer = clock.setTimeout(giveUp, pollMs)
    })
  }, pollMs)
  abortSignal.addEventListener('abort', () => {
    cancelTimer()
    cancelLook()
  })
}
