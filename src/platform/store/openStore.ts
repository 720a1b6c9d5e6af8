import { closeSync, openSync } from 'node:fs'
import { isPostgres, readAddress } from './postgres/address.ts'
import { createPostgresStore } from './postgres/postgresStore.ts'
import { resultCodeOf, resultCodes } from './sqlite/connection.ts'
import { lockShared, type Release, refuseFolder } from './sqlite/databaseFile.ts'
import { createSqliteStore, type SqliteStoreOptions } from './sqlite/sqliteStore.ts'
import type { Store } from './store.ts'

/** Opens the store of a PostgreSQL URL or of a file, which is locked against a restore. Its errors say what to do. */
export async function openStore(database: string, forTests: Omit<SqliteStoreOptions, 'file'> = {}): Promise<Store> {
  if (isPostgres(database)) return createPostgresStore({ url: database })
  if (database === ':memory:') return createSqliteStore({ file: database })
  refuseFolder(database)
  let release: Release | undefined
  try {
    release = lockShared(database)
    // Only its owner can read a new file: it contains names and messages.
    closeSync(openSync(database, 'a', 0o600))
    const store = await createSqliteStore({ file: database, ...forTests })
    return { ...store, close: () => store.close().finally(release) }
  } catch (error) {
    release?.()
    throw withAdvice(database, error)
  }
}

/** The database's name for logs, without user and password. */
export const nameOfDatabase = (database: string): string =>
  isPostgres(database) ? readAddress(database).name : database

const unwritable = new Set<unknown>([
  ...['EACCES', 'EPERM', 'EROFS', 'EISDIR', 'EEXIST', 'ENOTDIR', 'ENOENT'],
  ...[resultCodes.readOnly, resultCodes.cannotOpen],
])

/** Adds advice to errors of the file system and of SQLite. */
function withAdvice(file: string, error: unknown): unknown {
  const code = codeOf(error) ?? codeOf((error as Error).cause)
  const problem = unwritable.has(code)
    ? `Cannot write to the database ${file}: let this user write to it and to its folder, or`
    : code === resultCodes.noDatabase && `${file} is not a database:`
  return problem ? new Error(`${problem} name another file with --database.`, { cause: error }) : error
}

/** The code of SQLite or of the file system. */
const codeOf = (error: unknown): unknown => resultCodeOf(error) ?? (error as { code?: unknown } | undefined)?.code
