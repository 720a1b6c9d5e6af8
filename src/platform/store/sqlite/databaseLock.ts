import { closeSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { resultCodeOf, resultCodes } from './connection.ts'
import { realPathOf } from './folder.ts'

/** Releases a lock. The lock also ends with its process. */
export type Release = () => void

// Keeps the connections reachable: garbage collection would close them and release their locks.
const held = new Set<DatabaseSync>()

/**
 * Locks the database for a server: several servers may use it, but no restore can begin. Throws during a restore.
 */
export function lockShared(file: string): Release {
  if (file === ':memory:') return () => {}
  return lock(
    file,
    'BEGIN; SELECT 1 FROM sqlite_schema',
    `The database ${file} is being restored. Try again when that is done.`,
  )
}

/** Locks the database against servers; throws if a server uses it. */
export function lockExclusive(file: string): Release {
  return lock(file, 'BEGIN EXCLUSIVE', `A server works with the database ${file}. Stop it first, then try again.`)
}

/** Uses SQLite's lock on an empty database beside the real one. The system releases it when the process is killed. */
function lock(file: string, take: string, refusal: string): Release {
  const lockFile = `${realPathOf(file)}.lock`
  // Only the owner may read the file: whoever can read it can hold the lock.
  closeSync(openSync(lockFile, 'a', 0o600))
  const db = new DatabaseSync(lockFile, { timeout: 0 })
  try {
    db.exec(take)
  } catch (cause) {
    db.close()
    throw resultCodeOf(cause) === resultCodes.busy ? new Error(refusal, { cause }) : cause
  }
  held.add(db)
  return () => {
    if (held.delete(db)) db.close()
  }
}
