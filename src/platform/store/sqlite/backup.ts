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
  realpathSync,
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
import { refuseFolder, requireFolderOf } from './folder.ts'
import { createIndexer } from './indexer.ts'
import { checkOwn, migrate } from './migrations.ts'
import { verifySchema } from './verifySchema.ts'

export interface RestoreOptions {
  /** Leaves the tokens of the backup valid; else everyone signs in anew, and organization tokens are made anew. */
  keepTokens: boolean
  /** The time at which the tokens end. */
  at: string
}

const logs = ['-wal', '-shm', '-journal']

/**
 * Copies the database as it is at one moment, while servers may go on writing. Throws where `target` exists; a backup
 * that is broken off leaves none.
 */
export function backupDatabase(file: string, target: string): void {
  if (!existsSync(file)) throw new Error(`There is no database ${file}.`)
  refuseFolder(file)
  refuseExisting(target)
  requireFolderOf(target)
  atomicWrite(target, partial => {
    // It holds people's names and what they wrote.
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

/** A contact that was erased a moment ago may still stand in the search index. */
function removeDeletedText(partial: string): void {
  const db = openDatabase({ file: partial, busyTimeoutMs: 0, durable: true })
  try {
    const indexer = createIndexer(db, true)
    while (indexer.holdsDeletedText()) indexer.step()
  } finally {
    db.close()
  }
}

export interface Restored {
  /** How many tokens were ended. */
  ended: number
  /** Where the database lies that stood in the place, if one did. */
  former: string | null
}

/**
 * Puts a backup in the place of the database, whole or not at all, and ends every token in it unless `keepTokens`.
 * Leaves the former database beside it. Throws where the backup is none or damaged, something works with the database,
 * or the former one of an earlier restore still lies there.
 */
export function restoreDatabase(source: string, target: string, { keepTokens, at }: RestoreOptions): Restored {
  if (!existsSync(source)) throw new Error(`There is no backup ${source}.`)
  for (const file of [source, target]) refuseFolder(file)
  if (existsSync(target) && realpathSync(source) === realpathSync(target))
    throw new Error(`The backup ${source} is the database itself.`)
  const former = existsSync(target) ? `${target}.before-restore` : null
  if (former !== null && existsSync(former))
    throw new Error(`${former} exists already, from an earlier restore. Move it away or delete it first.`)
  const release = lockExclusive(target)
  try {
    return atomicWrite(target, partial => {
      copyFileSync(source, partial)
      chmodSync(partial, 0o600)
      // A database that was copied by hand may have its newest part beside it.
      if (existsSync(`${source}-wal`)) copyFileSync(`${source}-wal`, `${partial}-wal`)
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

/** Makes of a copy of the backup what a server may open; returns how many tokens it ended. */
function prepare(partial: string, source: string, endAt: string | undefined): number {
  const db = withFileName(source, () => openDatabase({ file: partial, busyTimeoutMs: 0, durable: true }))
  try {
    withFileName(source, () => {
      checkOwn(db, source)
      // Its schema may be of anybody's making, and is looked at only then.
      db.exec('PRAGMA trusted_schema = OFF')
      migrate(db)
      verifySchema(db, `The backup ${source}`)
    })
    const ended = endAt === undefined ? 0 : endTokens(db, endAt)
    // One file, and no log beside it that the move would leave behind.
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

/** Leaves no log of the former database: SQLite would take it for the new one's. */
function closeLog(target: string): void {
  let db: DatabaseSync | undefined
  try {
    db = new DatabaseSync(target, { timeout: 0 })
    // Also fails where a process has it open that is no server.
    db.exec('PRAGMA journal_mode = DELETE')
  } catch (cause) {
    if (isBusy(cause)) throw new Error(`Another process has the database ${target} open.`, { cause })
    // One that can't even be opened is what a restore is for.
  } finally {
    db?.close()
  }
  for (const log of logs) rmSync(target + log, { force: true })
}

/** A second name first: at no moment does the place stand empty. */
function linkFormer(former: string, target: string): void {
  try {
    linkSync(target, former)
  } catch {
    // Some file systems give no file a second name.
    copyFileSync(target, former, constants.COPYFILE_EXCL)
    keepOwner(target, former)
    flush(former)
  }
}

/** Gives what the engine says of a file that is none of its own the file's name. */
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
