import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { atomicWrite } from './atomicWrite.ts'
import { openDatabase } from './connection.ts'
import { isBusy, isDamaged, isNoDatabase, lockExclusive } from './databaseLock.ts'
import { realPathOf, refuseFolder, requireFolderOf } from './folder.ts'
import { checkOwn, migrate } from './migrations.ts'
import { verifySchema } from './verifySchema.ts'

export interface RestoreOptions {
  /** Keeps the tokens of the backup valid. Otherwise visitors sign in again, and organizations need new tokens. */
  keepTokens: boolean
  /** The time to record as the end of the tokens. */
  at: string
}

const logs = ['-wal', '-shm', '-journal']

/**
 * Copies a snapshot of the database; servers may write meanwhile. Throws if `target` exists. An interrupted backup
 * leaves no file.
 */
export function backupDatabase(file: string, target: string): void {
  if (!existsSync(file)) throw new Error(`There is no database ${file}.`)
  refuseFolder(file)
  refuseExisting(target)
  requireFolderOf(target)
  atomicWrite(target, partial => {
    // Only the owner may read the file, which contains names and messages.
    writeFileSync(partial, '', { mode: 0o600, flag: 'wx' })
    const db = new DatabaseSync(file, { readOnly: true, timeout: 5000 })
    try {
      withFileName(file, () => checkOwn(db, file))
      db.prepare('VACUUM INTO ?').run(partial)
    } finally {
      db.close()
    }
    removeDeletedText(partial)
    flush(partial)
    refuseExisting(target)
    moveTo(partial, target)
  })
}

/** Removes pieces of the text of deleted contacts, which may still be in the full-text index. */
function removeDeletedText(partial: string): void {
  const db = openDatabase({ file: partial, busyTimeoutMs: 0, durable: true })
  try {
    db.exec(`INSERT INTO contact_search (contact_search) VALUES ('optimize')`)
  } finally {
    db.close()
  }
}

export interface Restored {
  /** The number of tokens that were ended. */
  ended: number
  /** The path of the former database, if there was one. */
  former: string | null
}

/**
 * Replaces the database with a backup, completely or not at all, and ends all tokens in it unless `keepTokens`. Keeps
 * the former database beside it. Throws if the backup is invalid or damaged, if a process uses the database, or if the
 * former database of an earlier restore is still there.
 */
export function restoreDatabase(source: string, path: string, { keepTokens, at }: RestoreOptions): Restored {
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
    return atomicWrite(target, partial => {
      copyFileSync(backup, partial)
      chmodSync(partial, 0o600)
      // A database that was copied by hand may have its latest changes in the WAL.
      if (existsSync(`${backup}-wal`)) copyFileSync(`${backup}-wal`, `${partial}-wal`)
      const ended = prepare(partial, source, keepTokens ? undefined : at)
      if (former !== null) {
        keepOwner(target, partial)
        closeLog(target)
      }
      flush(partial)
      if (former !== null) linkFormer(former, target)
      moveTo(partial, target)
      return { ended, former }
    })
  } finally {
    release()
  }
}

/** Prepares a copy of the backup for a server; returns how many tokens it ended. */
function prepare(partial: string, source: string, endAt: string | undefined): number {
  const db = withFileName(source, () => openDatabase({ file: partial, busyTimeoutMs: 0, durable: true }))
  try {
    withFileName(source, () => {
      checkOwn(db, source)
      // The schema may come from anybody, and is verified only after the migration.
      db.exec('PRAGMA trusted_schema = OFF')
      migrate(db)
      verifySchema(db, `The backup ${source}`)
    })
    const ended = endAt === undefined ? 0 : endTokens(db, endAt)
    // Without a WAL the database is a single file. The rename would leave a WAL behind.
    db.exec('PRAGMA journal_mode = DELETE')
    return ended
  } finally {
    db.close()
  }
}

function endTokens(db: DatabaseSync, at: string): number {
  const organizations = db.prepare('UPDATE organization_tokens SET revoked_at = ? WHERE revoked_at IS NULL').run(at)
  const sessions = db.prepare(`UPDATE sessions SET end_reason = 'revoked', ended_at = ? WHERE ended_at IS NULL`).run(at)
  const open = db.prepare(
    `SELECT 1 FROM organization_tokens WHERE revoked_at IS NULL UNION ALL SELECT 1 FROM sessions WHERE ended_at IS NULL`,
  )
  if (open.get() !== undefined) throw new Error('Not every token of the backup could be ended.')
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
    if (isBusy(cause)) throw new Error(`Another process has the database ${target} open.`, { cause })
    // Other errors mean that the database is damaged, which is what a restore is for.
  } finally {
    db?.close()
  }
  for (const log of logs) rmSync(target + log, { force: true })
}

/** Gives the former database its second name before the first one is replaced, so that the path always exists. */
function linkFormer(former: string, target: string): void {
  try {
    linkSync(target, former)
  } catch {
    // Some file systems have no hard links.
    copyFileSync(target, former, constants.COPYFILE_EXCL)
    keepOwner(target, former)
    flush(former)
  }
}

/** Adds the file's name to errors about invalid or damaged files. */
function withFileName<Result>(file: string, open: () => Result): Result {
  try {
    return open()
  } catch (cause) {
    if (isNoDatabase(cause)) throw new Error(`${file} is no database.`, { cause })
    if (isDamaged(cause)) throw new Error(`${file} is damaged.`, { cause })
    throw cause
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

function moveTo(partial: string, target: string): void {
  renameSync(partial, target)
  flush(dirname(target))
}

function flush(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
