import type { DatabaseSync } from 'node:sqlite'

/** Background work of the writer. */
export interface Maintenance {
  /** Works for a few milliseconds; returns whether there was anything to do. */
  step(): boolean
  /** Whether the work is urgent, to be done between writes. */
  hasBacklog(): boolean
  /** Schedules truncating the WAL, so that deleted text disappears from it within seconds. */
  truncateWal(): void
  /** Whether a later step will have something to do. */
  isWaiting(): boolean
  /** Truncates a log that holds deleted text now, trying for at most a second; called last. */
  finish(): void
}

/** How long deleted text may stay in the WAL. Truncating waits for the disk three times, too long for each change. */
const truncateAfterMs = 5_000
/** After this time the WAL is truncated even if the writer is never idle. */
const truncateUrgentlyAfterMs = 20_000
/** For how long the last step may truncate the WAL before the writer ends. */
const finishMs = 1_000
/** How long that waits before it tries again while a reader uses the WAL. */
const finishRetryMs = 20

/** When the writer is idle, the WAL is checkpointed from this many pages. */
const checkpointIdleFromPages = 1000
/** Between writes it is checkpointed from this many pages. */
const checkpointSoonFromPages = 2000
/** From this many pages, SQLite itself checkpoints it within a write. */
const checkpointAlwaysFromPages = 4000

/**
 * Checkpoints the WAL. Otherwise SQLite would checkpoint within a write, and all writes behind it would wait.
 */
export function createMaintenance(db: DatabaseSync, elapsed = () => performance.now()): Maintenance {
  const log = canCountLogPages(db) ? db.prepare('PRAGMA wal_checkpoint(NOOP)') : undefined
  if (log) db.exec(`PRAGMA wal_autocheckpoint = ${checkpointAlwaysFromPages}`)

  const checkpoint = db.prepare('PRAGMA wal_checkpoint(PASSIVE)')
  const truncate = db.prepare('PRAGMA wal_checkpoint(TRUNCATE)')
  const busyTimeoutMs = Number(db.prepare('PRAGMA busy_timeout').get()?.['timeout'])
  // A killed process may have left deleted text.
  let deletedSince: number | undefined = elapsed()

  function truncateWal(): void {
    deletedSince ??= elapsed()
  }

  function hasDeletedTextFor(ms: number): boolean {
    return deletedSince !== undefined && elapsed() - deletedSince >= ms
  }

  /** Truncates the WAL without waiting for readers; returns whether it worked. */
  function truncateLog(): boolean {
    db.exec('PRAGMA busy_timeout = 0')
    try {
      if (truncate.get()?.['busy'] !== 0) return false
      deletedSince = undefined
      return true
    } finally {
      db.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`)
    }
  }

  /** The number of pages in the WAL that are not in the database yet. */
  function pagesInLog(counted = log?.get()): number {
    return counted ? Number(counted['log']) - Number(counted['checkpointed']) : 0
  }

  function checkpointLog(): boolean {
    const left = pagesInLog()
    // While a reader, such as a backup, uses an old snapshot, newer pages must stay in the WAL.
    return left >= checkpointIdleFromPages && pagesInLog(checkpoint.get()) < left
  }

  return {
    step: () => checkpointLog() || (hasDeletedTextFor(truncateAfterMs) && truncateLog()),
    hasBacklog: () => pagesInLog() >= checkpointSoonFromPages || hasDeletedTextFor(truncateUrgentlyAfterMs),
    truncateWal,
    isWaiting: () => deletedSince !== undefined,
    finish() {
      const until = elapsed() + finishMs
      const pause = new Int32Array(new SharedArrayBuffer(4))
      while (deletedSince !== undefined && elapsed() < until && !truncateLog()) Atomics.wait(pause, 0, 0, finishRetryMs)
    },
  }
}

/** Older versions of SQLite, such as Node 22's, do not know NOOP and run a full checkpoint. */
function canCountLogPages(db: DatabaseSync): boolean {
  const version = String(db.prepare('SELECT sqlite_version() AS version').get()?.['version'])
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > 3 || (major === 3 && minor >= 51)
}
