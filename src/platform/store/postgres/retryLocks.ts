import { setTimeout as pause } from 'node:timers/promises'
import type { DirectConnection } from './directConnection.ts'
import { sqlStates } from './sqlStates.ts'

/** How long a statement waits for a lock. Other transactions that need the table wait behind it. */
const lockTimeoutMs = 500
/** How long the other transactions then have the table to themselves. */
const betweenTriesMs = 500
/** After how many attempts `onWait` is called again. */
const attemptsPerReport = 20

/** Repeats a transaction until it gets its locks. Calls `onWait` about every twenty seconds. */
export async function retryLocks<Result>(
  db: DirectConnection,
  run: () => Promise<Result>,
  onWait: () => unknown = () => {},
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await db.transact(async () => {
        await db.all(`SET LOCAL lock_timeout = ${lockTimeoutMs}`)
        return run()
      })
    } catch (error) {
      if (!isLockConflict(error)) throw error
      if (attempt % attemptsPerReport === 0) await onWait()
      await pause(betweenTriesMs)
    }
  }
}

const lockConflicts: readonly unknown[] = [sqlStates.lockNotAvailable, sqlStates.deadlockDetected]
const isLockConflict = (error: unknown): boolean => lockConflicts.includes((error as { code?: unknown }).code)
