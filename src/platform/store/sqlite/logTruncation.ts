import { type DatabaseOptions, openDatabase } from './connection.ts'

/** Removes deleted text from the write-ahead log, which keeps what was written until it is overwritten. */
export interface LogTruncation {
  /** Truncates the log some seconds later: that waits for the disk three times, too long for each change. */
  truncateSoon(): void
  /** Truncates the log now if it waits for that, trying for at most a second. */
  finish(): void
}

const truncateAfterMs = 5_000
const finishMs = 1_000
/** How long `finish` waits before it tries again while a reader uses the log. */
const finishRetryMs = 20

export function createLogTruncation(database: DatabaseOptions): LogTruncation {
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
    finish() {
      const until = performance.now() + finishMs
      const pause = new Int32Array(new SharedArrayBuffer(4))
      while (timer && !truncateNow() && performance.now() < until) Atomics.wait(pause, 0, 0, finishRetryMs)
      clearTimeout(timer)
      db.close()
    },
  }
}
