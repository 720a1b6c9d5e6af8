import type { DatabaseSync } from 'node:sqlite'
import { toStoreError } from './connection.ts'

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

export function createLogTruncation(db: DatabaseSync): LogTruncation {
  const truncate = db.prepare('PRAGMA wal_checkpoint(TRUNCATE)')
  const busyTimeoutMs = Number(db.prepare('PRAGMA busy_timeout').get()?.['timeout'])
  let timer: NodeJS.Timeout | undefined

  /** Does not wait for readers. Returns whether it worked. */
  function truncateNow(): boolean {
    db.exec('PRAGMA busy_timeout = 0')
    try {
      return truncate.get()?.['busy'] === 0
    } catch (error) {
      // The next write fails in the same way, and reports it to its caller.
      toStoreError(db, error)
      return false
    } finally {
      db.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`)
    }
  }

  function truncateSoon(): void {
    timer ??= setTimeout(() => {
      timer = undefined
      if (!truncateNow()) truncateSoon()
    }, truncateAfterMs)
  }

  // A killed process may have left deleted text.
  truncateSoon()
  return {
    truncateSoon,
    finish() {
      if (!timer) return
      clearTimeout(timer)
      const until = performance.now() + finishMs
      const pause = new Int32Array(new SharedArrayBuffer(4))
      while (!truncateNow() && performance.now() < until) Atomics.wait(pause, 0, 0, finishRetryMs)
    },
  }
}
