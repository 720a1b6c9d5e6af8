import { closeSync, openSync } from 'node:fs'
import { isPostgres, readAddress } from './store/postgres/address.ts'
import { createPostgresStore } from './store/postgres/postgresStore.ts'
import { lockShared, type Release } from './store/sqlite/databaseLock.ts'
import { requireFolderOf } from './store/sqlite/folder.ts'
import { createSqliteStore } from './store/sqlite/sqliteStore.ts'
import type { Store } from './store/store.ts'

/** Opens the store of a file or an address; what it throws says what to do. */
export const openStore = (database: string): Promise<Store> =>
  isPostgres(database)
    ? createPostgresStore({ url: database })
    : withAdvice(database, async () => {
        if (database !== ':memory:') keepPrivate(database)
        return createSqliteStore({ file: database })
      })

/** Keeps a restore away from the file of a server, whose store it opens then. */
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

/** What a database is called where others read it. */
export const nameOfDatabase = (database: string): string =>
  isPostgres(database) ? readAddress(database).name : database

/** A new database is its owner's alone: it holds people's names and what they wrote. */
function keepPrivate(file: string): void {
  requireFolderOf(file)
  closeSync(openSync(file, 'a', 0o600))
}

const unwritable = new Set<unknown>(['EACCES', 'EPERM', 'EROFS', 'EISDIR', 'EEXIST', 'ENOTDIR', 'ENOENT'])
// SQLITE_READONLY, SQLITE_CANTOPEN
for (const code of [8, 14]) unwritable.add(code)
const notADatabase = 26

/** The file system and SQLite say what has failed, and not what to do about it. */
async function withAdvice<Result>(file: string, open: () => Promise<Result>): Promise<Result> {
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
    if (code === notADatabase) throw advice(`${file} is no database: ${another}`, error)
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
