import { closeSync, existsSync, lstatSync, openSync, readlinkSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { resultCodeOf, resultCodes } from './connection.ts'

/** Releases a lock. The lock also ends with its process. */
export type Release = () => void

// Keeps the connections reachable: garbage collection would close them and release their locks.
const held = new Set<DatabaseSync>()

/**
 * Locks the database for a server: several servers may use it, but no restore can begin. Throws during a restore.
 */
export function lockShared(file: string): Release {
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

/** Throws if a file's folder is missing: creating it would hide a misspelt path. */
export function requireFolderOf(file: string): void {
  if (!existsSync(dirname(file)))
    throw new Error(`There is no folder ${dirname(file)}: make it, or name a file elsewhere.`)
}

/** Throws if the path is a folder. */
export function refuseFolder(file: string): void {
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory())
    throw new Error(`${file} is a folder: name a file, such as ${join(file, 'natter.db')}.`)
}

/**
 * The path without symbolic links. Processes that use different names for one database must find the same lock beside it,
 * and replace the same file. The file may be missing. Throws if its folder is missing.
 */
export function realPathOf(file: string): string {
  requireFolderOf(file)
  if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink())
    return realPathOf(resolve(dirname(file), readlinkSync(file)))
  return join(realpathSync(dirname(file)), basename(file))
}
