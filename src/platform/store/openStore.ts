import { closeSync, openSync } from 'node:fs'
import { isPostgres, readAddress } from './postgres/address.ts'
import { createPostgresStore } from './postgres/postgresStore.ts'
import { resultCodeOf, resultCodes } from './sqlite/connection.ts'
import { lockShared } from './sqlite/databaseLock.ts'
import { refuseFolder } from './sqlite/folder.ts'
import { createSqliteStore } from './sqlite/sqliteStore.ts'
import type { Store } from './store.ts'

/** Opens the store of a PostgreSQL URL or of a file, which is locked against a restore. Its errors say what to do. */
export async function openStore(database: string): Promise<Store> {
  if (isPostgres(database)) return createPostgresStore({ url: database })
  return withAdvice(database, async () => {
    const release = lockShared(database)
    try {
      if (database !== ':memory:') keepPrivate(database)
      const store = await createSqliteStore({ file: database })
      return { ...store, close: () => store.close().finally(release) }
    } catch (error) {
      release()
      throw error
    }
  })
}

/** The database's name for logs, without user and password. */
export const nameOfDatabase = (database: string): string =>
  isPostgres(database) ? readAddress(database).name : database

/** Creates a new file such that only its owner can read it: the database contains names and messages. */
function keepPrivate(file: string): void {
  closeSync(openSync(file, 'a', 0o600))
}

const unwritable = new Set<unknown>([
  ...['EACCES', 'EPERM', 'EROFS', 'EISDIR', 'EEXIST', 'ENOTDIR', 'ENOENT'],
  ...[resultCodes.readOnly, resultCodes.cannotOpen],
])

/** Adds advice to errors of the file system and of SQLite. */
async function withAdvice<Result>(file: string, open: () => Promise<Result>): Promise<Result> {
  refuseFolder(file)
  try {
    return await open()
  } catch (error) {
    const code = codeOf(error) ?? codeOf((error as Error).cause)
    const problem = unwritable.has(code)
      ? `Cannot write to the database ${file}: let this user write to it and to its folder, or`
      : code === resultCodes.noDatabase && `${file} is not a database:`
    throw problem ? new Error(`${problem} name another file with --database.`, { cause: error }) : error
  }
}

/** The code of SQLite or of the file system. */
const codeOf = (error: unknown): unknown => resultCodeOf(error) ?? (error as { code?: unknown } | undefined)?.code
