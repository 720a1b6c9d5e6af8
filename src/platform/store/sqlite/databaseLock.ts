import { closeSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { requireFolderOf } from './folder.ts'

/** A held lock; gone with its process however that ends. */
export type Release = () => void

// A connection that nobody can reach any more is closed at some later moment, and its lock let go.
const held = new Set<DatabaseSync>()

/**
 * Says that a server works with the database: several may, but no restore begins meanwhile. Throws where a restore is
 * under way.
 */
export function lockShared(file: string): Release {
  if (file === ':memory:') return () => {}
  return lock(
    file,
    'BEGIN; SELECT 1 FROM sqlite_schema',
    `The database ${file} is being restored. Try again when that is done.`,
  )
}

/** Keeps servers away from the database; throws where one works with it. */
export function lockExclusive(file: string): Release {
  return lock(file, 'BEGIN EXCLUSIVE', `A server works with the database ${file}. Stop it first, then try again.`)
}

/** The lock is SQLite's own, on an empty database beside the true one: the system drops it when the process is killed. */
function lock(file: string, take: string, refusal: string): Release {
  requireFolderOf(file)
  // As private as what it stands for; whoever could read it could hold it.
  closeSync(openSync(`${file}.lock`, 'a', 0o600))
  const db = new DatabaseSync(`${file}.lock`, { timeout: 0 })
  try {
    db.exec(take)
  } catch (cause) {
    db.close()
    throw isBusy(cause) ? new Error(refusal, { cause }) : cause
  }
  held.add(db)
  return () => {
    if (held.delete(db)) db.close()
  }
}

/** Tells whether the engine refused because somebody else has the lock. */
export const isBusy = (error: unknown): boolean => hasCode(error, 5)

/** Tells whether the engine found something else than a database. */
export const isNoDatabase = (error: unknown): boolean => hasCode(error, 26)

/** Tells whether the engine found a database that has been damaged. */
export const isDamaged = (error: unknown): boolean => hasCode(error, 11)

const hasCode = (error: unknown, code: number): boolean =>
  error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === code
