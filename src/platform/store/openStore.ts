import { closeSync, openSync } from 'node:fs'
import { isPostgres, readAddress } from './postgres/address.ts'
import { createPostgresStore } from './postgres/postgresStore.ts'
import { lockShared, type Release } from './sqlite/databaseLock.ts'
import { refuseFolder, requireFolderOf } from './sqlite/folder.ts'
import { createSqliteStore } from './sqlite/sqliteStore.ts'
import type { Store } from './store.ts'

/** Opens the store of a file or a PostgreSQL URL. Its errors say what to do. */
export const openStore = (database: string): Promise<Store> =>
  isPostgres(database)
    ? createPostgresStore({ url: database })
    : withAdvice(database, async () => {
        if (database !== ':memory:') keepPrivate(database)
        return createSqliteStore({ file: database })
      })

/** Locks a database file against a restore, then opens its store. */
export async function openLockedStore(database: string): Promise<{ store: Store; release: Release }> {
  if (isPostgres(database)) return { store: await openStore(database), release: () => {} }
  const release = await withAdvice(database, async () => lockShared(database))
  try {
    return { store: await openStore(database), release }
  } catch (error) {
    release()
    throw error
  }
}

/** The database's name for logs, without user and password. */
export const nameOfDatabase = (database: string): string =>
  isPostgres(database) ? readAddress(database).name : database

/** Creates a new file such that only its owner can read it: the database contains names and messages. */
function keepPrivate(file: string): void {
  requireFolderOf(file)
  closeSync(openSync(file, 'a', 0o600))
}

const unwritable = new Set<unknown>(['EACCES', 'EPERM', 'EROFS', 'EISDIR', 'EEXIST', 'ENOTDIR', 'ENOENT'])
// The codes of SQLITE_READONLY and SQLITE_CANTOPEN.
for (const code of [8, 14]) unwritable.add(code)
const notADatabase = 26

/** Adds advice to errors of the file system and of SQLite. */
async function withAdvice<Result>(file: string, open: () => Promise<Result>): Promise<Result> {
  refuseFolder(file)
  try {
    return await open()
  } catch (error) {
    const code = codeOf(error) ?? (error instanceof Error ? codeOf(error.cause) : undefined)
    const another = 'name another file with --database.'
    if (unwritable.has(code))
      throw advice(
        `Cannot write to the database ${file}: let this user write to it and to its folder, or ${another}`,
        error,
      )
    if (code === notADatabase) throw advice(`${file} is not a database: ${another}`, error)
    throw error
  }
}

const advice = (text: string, cause: unknown): Error => new Error(text, { cause })

function codeOf(error: unknown): unknown {
  if (!(error instanceof Error)) return undefined
  return 'errcode' in error && typeof error.errcode === 'number'
    ? error.errcode & 0xff
    : 'code' in error
      ? error.code
      : undefined
}
