import { type DatabaseOptions, openDatabase } from './connection.ts'

const truncateAfterMs = 5_000
const finishMs = 1_000

/** Removes deleted text from the write-ahead log, which keeps what was written until it is overwritten. */
export function createLogTruncation(database: DatabaseOptions) {
  // Waits for no reader: writes would wait with it.
  const db = openDatabase({ ...database, busyTimeoutMs: 0 })
  const truncate = db.prepare('PRAGMA wal_checkpoint(TRUNCATE)')
  let timer: NodeJS.Timeout | undefined

  /** Returns whether it worked. */
  function truncateNow(): boolean {
    try {
      return truncate.get()?.['busy'] === 0
    } catch {
      // The next write fails in the same way, and reports it to its caller.
      return false
    }
  }

  /** Truncates the log some seconds later: that waits for the disk three times, too long for each change. */
  function truncateSoon(): void {
    timer ??= setTimeout(() => {
      timer = undefined
      if (!truncateNow()) truncateSoon()
    }, truncateAfterMs)
  }

  // A killed process may have left deleted text.
  if (!truncateNow()) truncateSoon()
  return {
    truncateSoon,
    /** Truncates the log now if it waits for that. It waits for readers, for at most a second. */
    finish(): void {
      db.exec(`PRAGMA busy_timeout = ${finishMs}`)
      if (timer) truncateNow()
      clearTimeout(timer)
      db.close()
    },
  }
}
