import { existsSync } from 'node:fs'
import { openStore } from '../store/openStore.ts'
import { isPostgres } from '../store/postgres/address.ts'
import type { Store } from '../store/store.ts'
import { refuse } from './option.ts'
import { serveOptions } from './serveOptions.ts'
import { UsageError } from './usageError.ts'

/** The database of a command. A server may be using it. */
export const database = {
  ...serveOptions.database,
  description: 'The database',
  read: (text: string): string =>
    text === ':memory:'
      ? refuse('Must be a file: a database in memory would end with this command.')
      : serveOptions.database.read(text),
}

/** A database file, for commands that work with the file itself. */
export const databaseFile = {
  ...database,
  metavar: 'FILE',
  read: (text: string): string =>
    isPostgres(text)
      ? refuse('Must be a file. Copy a PostgreSQL database with its own tools, such as pg_dump')
      : database.read(text),
}

/** Requires the database to exist: a misspelt path would otherwise create an empty one. */
export function existing(file: string, option = '--database'): string {
  if (!isPostgres(file) && !existsSync(file))
    throw new UsageError(
      `The database ${file} does not exist: name another one with ${option}, or create it with "natter org create".`,
    )
  return file
}

/** Opens the store of a database, and closes it afterwards. */
export async function withStore<Result>(file: string, use: (store: Store) => Promise<Result>): Promise<Result> {
  const store = await openStore(file)
  try {
    return await use(store)
  } finally {
    await store.close()
  }
}
