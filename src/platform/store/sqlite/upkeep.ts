import type { DatabaseSync } from 'node:sqlite'
import { createIndexer } from './indexer.ts'

/** What the writer does where nobody waits for it. */
export interface Upkeep {
  /** Works for a few milliseconds; tells whether it found anything to do. */
  step(): boolean
  /** Whether it must be done between the writes too. */
  isBehind(): boolean
  /** Has what an erased contact leaves in the index's file go with the next steps. */
  eraseTraces(): void
}

/** Pages in the log from which on they are moved to the database when there is time; when there is little; and when there is none. */
const [movedFrom, movedSoonFrom, movedAtOnceFrom] = [1000, 2000, 4000]

/**
 * Brings contacts into the index, and the log into the database: else the write that fills it up would do that, and
 * all that stand behind it wait.
 */
export function createUpkeep(db: DatabaseSync, durable: boolean): Upkeep {
  const indexer = createIndexer(db, durable)
  const log = canCount(db) ? db.prepare('PRAGMA wal_checkpoint(NOOP)') : undefined
  if (log) db.exec(`PRAGMA wal_autocheckpoint = ${movedAtOnceFrom}`)

  const move = db.prepare('PRAGMA wal_checkpoint(PASSIVE)')

  /** How many pages the log holds that are not in the database yet. */
  function leftInLog(counted = log?.get()): number {
    return counted ? Number(counted['log']) - Number(counted['checkpointed']) : 0
  }

  function moveLog(): boolean {
    const left = leftInLog()
    // Where somebody reads an old state, a backup say, what has come since must stay in the log.
    return left >= movedFrom && leftInLog(move.get()) < left
  }

  return {
    step: () => moveLog() || indexer.step(),
    isBehind: () => leftInLog() >= movedSoonFrom || indexer.isBehind(),
    eraseTraces: indexer.eraseTraces,
  }
}

/** An earlier SQLite, such as Node 22's, takes NOOP for a wish to move it all. */
function canCount(db: DatabaseSync): boolean {
  const version = String(db.prepare('SELECT sqlite_version() AS version').get()?.['version'])
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return major > 3 || (major === 3 && minor >= 51)
}
