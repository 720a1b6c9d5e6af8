import { randomUUID } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openDatabase, resultCodeOf, resultCodes } from './connection.ts'
import { lockExclusive, realPathOf, refuseFolder, requireFolderOf } from './databaseFile.ts'
import { checkOwn, migrate } from './migrations.ts'

const logs = ['-wal', '-shm', '-journal']

/**
 * Copies a snapshot of the database; servers may write meanwhile. Throws if `target` exists. An interrupted backup
 * leaves no file of that name.
 */
export function backupDatabase(file: string, target: string): void {
  if (!existsSync(file)) throw new Error(`There is no database ${file}.`)
  refuseFolder(file)
  refuseExisting(target)
  requireFolderOf(target)
  writeThenMove(target, partial => {
    withDatabase(file, { file, readOnly: true }, db => {
      checkOwn(db, file)
      // Not `backup()` of node:sqlite, which begins anew whenever a server writes, and copies deleted text, too.
      db.prepare('VACUUM INTO ?').run(partial)
    })
    // The full-text index may still hold pieces of the text of deleted contacts.
    const optimize = `INSERT INTO contact_search (contact_search) VALUES ('optimize')`
    withDatabase(partial, { file: partial }, db => db.exec(optimize))
    refuseExisting(target)
  })
}

/**
 * Replaces the database with a backup, completely or not at all. Keeps the former database beside it. Throws if the backup
 * is invalid or damaged, if a process uses the database, or if the former database of an earlier restore is still there.
 * Ends all tokens in the backup, at the time `at`, unless `keepTokens`: visitors sign in again, and organizations need new
 * ones. Returns how many it has ended, and the path of the former database, if there was one.
 */
export function restoreDatabase(
  source: string,
  path: string,
  { keepTokens, at }: { keepTokens: boolean; at: string },
): { ended: number; former: string | null } {
  if (!existsSync(source)) throw new Error(`There is no backup ${source}.`)
  for (const file of [source, path]) refuseFolder(file)
  // A symbolic link to the database stays, and leads to the restored one.
  const target = realPathOf(path)
  const backup = realPathOf(source)
  if (existsSync(target) && backup === target) throw new Error(`The backup ${source} is the database itself.`)
  const former = existsSync(target) ? `${target}.before-restore` : null
  if (former !== null && existsSync(former))
    throw new Error(`${former} exists already, from an earlier restore. Move it away or delete it first.`)
  const release = lockExclusive(target)
  try {
    return writeThenMove(target, partial => {
      copyFileSync(backup, partial)
      chmodSync(partial, 0o600)
      // A database that was copied by hand may have its latest changes in the WAL.
      if (existsSync(`${backup}-wal`)) copyFileSync(`${backup}-wal`, `${partial}-wal`)
      const ended = prepare(partial, source, keepTokens ? undefined : at)
      if (former !== null) {
        keepOwner(target, partial)
        closeLog(target)
        // Its second name, so that the first one always exists.
        linkSync(target, former)
      }
      return { ended, former }
    })
  } finally {
    release()
  }
}

/** Prepares a copy of the backup for a server; returns how many tokens it ended. */
function prepare(partial: string, source: string, endAt: string | undefined): number {
  return withDatabase(source, { file: partial }, db => {
    checkOwn(db, source)
    // The schema may come from anybody, and is verified only after the migration.
    db.exec('PRAGMA trusted_schema = OFF')
    migrate(db)
    verify(db, `The backup ${source}`)
    const ended = endAt === undefined ? 0 : endTokens(db, endAt)
    // Without a WAL the database is a single file. The rename would leave a WAL behind.
    db.exec('PRAGMA journal_mode = DELETE')
    return ended
  })
}

/**
 * Throws if a database from elsewhere is damaged, or has other tables, indexes, views or triggers than Natter creates:
 * a foreign trigger would run with every write.
 */
function verify(db: DatabaseSync, name: string): void {
  const [problem] = db.prepare('PRAGMA integrity_check(1)').all()
  if (problem?.['integrity_check'] !== 'ok') throw new Error(`${name} is damaged.`)
  if (db.prepare('PRAGMA foreign_key_check').get() !== undefined)
    throw new Error(`${name} is damaged: it refers to rows that it does not hold.`)
  const own = withDatabase(name, { file: ':memory:' }, empty => {
    migrate(empty)
    return schemaOf(empty)
  })
  if (schemaOf(db) !== own) throw new Error(`${name} does not hold the tables that Natter makes.`)
}

const schemaOf = (db: DatabaseSync): string =>
  JSON.stringify(db.prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name').all())

function endTokens(db: DatabaseSync, at: string): number {
  const organizations = db.prepare('UPDATE organization_tokens SET revoked_at = ? WHERE revoked_at IS NULL').run(at)
  const sessions = db.prepare(`UPDATE sessions SET end_reason = 'revoked', ended_at = ? WHERE ended_at IS NULL`).run(at)
  return Number(organizations.changes) + Number(sessions.changes)
}

/** Removes the former database's log: SQLite would apply it to the new one. */
function closeLog(target: string): void {
  let db: DatabaseSync | undefined
  try {
    db = new DatabaseSync(target, { timeout: 0 })
    // This also fails if a process other than a server has the database open.
    db.exec('PRAGMA journal_mode = DELETE')
  } catch (cause) {
    if (resultCodeOf(cause) === resultCodes.busy)
      throw new Error(`Another process has the database ${target} open.`, { cause })
    // Other errors mean that the database is damaged, which is what a restore is for.
  } finally {
    db?.close()
  }
  for (const log of logs) rmSync(target + log, { force: true })
}

/** Opens a database, and closes it afterwards. Errors about an invalid or damaged one have its name. */
function withDatabase<Result>(
  name: string,
  { file, readOnly = false }: { file: string; readOnly?: boolean },
  use: (db: DatabaseSync) => Result,
): Result {
  let db: DatabaseSync | undefined
  try {
    db = openDatabase({ file, busyTimeoutMs: 5000, durable: true }, readOnly)
    return use(db)
  } catch (cause) {
    const code = resultCodeOf(cause)
    if (code === resultCodes.noDatabase) throw new Error(`${name} is no database.`, { cause })
    if (code === resultCodes.damaged) throw new Error(`${name} is damaged.`, { cause })
    throw cause
  } finally {
    db?.close()
  }
}

function refuseExisting(target: string): void {
  if (existsSync(target)) throw new Error(`${target} exists already. Name a file that does not.`)
}

function keepOwner(from: string, to: string): void {
  const { mode, uid, gid } = statSync(from)
  chmodSync(to, mode)
  const own = statSync(to)
  if (own.uid !== uid || own.gid !== gid) chownSync(to, uid, gid)
}

/** Runs with a new file beside the target, which only its owner can read, then moves it there. Removes it after an error. */
function writeThenMove<Result>(target: string, write: (partial: string) => Result): Result {
  const partial = `${target}.${randomUUID()}.partial`
  closeSync(openSync(partial, 'wx', 0o600))
  try {
    const result = write(partial)
    flush(partial)
    renameSync(partial, target)
    flush(dirname(target))
    return result
  } finally {
    for (const log of ['', ...logs]) rmSync(partial + log, { force: true })
  }
}

function flush(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
