import type { DatabaseSync } from 'node:sqlite'
import { createIndexer } from './indexer.ts'

/** What the writer does where nobody waits for it. */
export interface Maintenance {
  /** Works for a few milliseconds; tells whether it found anything to do. */
  step(): boolean
  /** Whether it must be done between the writes too. */
  hasBacklog(): boolean
  /** Has what has been erased go out of the log too, within seconds. */
  truncateWal(): void
  /** Whether a step will have something to do later, though it has nothing to do now. */
  isWaiting(): boolean
  /** Erases at once what is left to erase, as the last thing, unless others hold it up for longer than a second. */
  finish(): void
}

/** To empty the log waits for the disk thrice: not after each of many changes. */
const truncateAfterMs = 5_000
/** Who rests never is interrupted then. */
const truncateUrgentlyAfterMs = 20_000
const [finishMs, retryMs] = [1_000, 20]

/** Pages in the log from which on they are moved to the database when there is time; when there is little; and when there is none. */
const [checkpointFrom, checkpointSoonFrom, checkpointAlwaysFrom] = [1000, 2000, 4000]

/**
 * Brings contacts into the index, and the log into the database: else the write that fills it up would do that, and
 * all that stand behind it wait.
 */
export function createMaintenance(db: DatabaseSync, durable: boolean, elapsed = () => performance.now()): Maintenance {
  const indexer = createIndexer(db, durable, truncateWal)
  const log = canCountLogPages(db) ? db.prepare('PRAGMA wal_checkpoint(NOOP)') : undefined
  if (log) db.exec(`PRAGMA wal_autocheckpoint = ${checkpointAlwaysFrom}`)

  const checkpoint = db.prepare('PRAGMA wal_checkpoint(PASSIVE)')
  const truncate = db.prepare('PRAGMA wal_checkpoint(TRUNCATE)')
  const busyTimeoutMs = Number(db.prepare('PRAGMA busy_timeout').get()?.['timeout'])
  // A process that was killed may have left something.
  let deletedSince: number | undefined = elapsed()

  function truncateWal(): void {
    deletedSince ??= elapsed()
  }

  function hasDeletedTextFor(ms: number): boolean {
    return deletedSince !== undefined && elapsed() - deletedSince >= ms
  }

  /** Tells whether the log is empty now: it can't be emptied while somebody reads it, who is not waited for. */
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

  /** How many pages the log holds that are not in the database yet. */
  function pagesInLog(counted = log?.get()): number {
    return counted ? Number(counted['log']) - Number(counted['checkpointed']) : 0
  }

  function checkpointLog(): boolean {
    const left = pagesInLog()
    // Where somebody reads an old state, a backup say, what has come since must stay in the log.
    return left >= checkpointFrom && pagesInLog(checkpoint.get()) < left
  }

  return {
    step: () =>
      checkpointLog() ||
      (hasDeletedTextFor(truncateAfterMs) && !indexer.holdsDeletedText() && truncateLog()) ||
      indexer.step(),
    hasBacklog: () =>
      pagesInLog() >= checkpointSoonFrom || indexer.hasBacklog() || hasDeletedTextFor(truncateUrgentlyAfterMs),
    truncateWal,
    isWaiting: () => deletedSince !== undefined,
    finish() {
      const until = elapsed() + finishMs
      const pause = new Int32Array(new SharedArrayBuffer(4))
      while ((indexer.holdsDeletedText() || deletedSince !== undefined) && elapsed() < until) {
        if (indexer.holdsDeletedText()) indexer.step()
        else if (!truncateLog()) Atomics.wait(pause, 0, 0, retryMs)
      }
    },
  }
}

/** An earlier SQLite, such as Node 22's, takes NOOP for a wish to move it all. */
function canCountLogPages(db: DatabaseSync): boolean {
  const version = String(db.prepare('SELECT sqlite_version() AS version').get()?.['version'])
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > 3 || (major === 3 && minor >= 51)
}
