import { existsSync } from 'node:fs'
import { openStore } from '../openStore.ts'
import { isPostgres } from '../store/postgres/address.ts'
import type { Store } from '../store/store.ts'
import { refuse } from './option.ts'
import { serveOptions } from './serveOptions.ts'
import { UsageError } from './usageError.ts'

/** The database that a command works on, which may be one that a running server has open. */
export const database = {
  ...serveOptions.database,
  description: 'The database',
  read: (text: string): string =>
    text === ':memory:'
      ? refuse('Must be a file: a database in memory is gone with this command.')
      : serveOptions.database.read(text),
}

/** A database that is a file, since a command works with the file itself. */
export const databaseFile = {
  ...database,
  metavar: 'FILE',
  read: (text: string): string =>
    isPostgres(text)
      ? refuse('Must be a file. Copy a PostgreSQL database by its own means, such as pg_dump')
      : database.read(text),
}

/** A database that is there; a misspelt path would else be a new and empty one. */
export function existing(file: string, option = '--database'): string {
  if (!isPostgres(file) && !existsSync(file))
    throw new UsageError(`There is no database ${file}: name it with ${option}, or make one with "natter org create".`)
  return file
}

/** Opens the store of a database, and closes it whatever happens. */
export async function withStore<Result>(file: string, use: (store: Store) => Promise<Result>): Promise<Result> {
  const store = await openStore(file)
  try {
    return await use(store)
  } finally {
    await store.close()
  }
}
