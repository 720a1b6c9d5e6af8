import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { StoreUnavailableError } from '../store.ts'

/** The synchronous form of the port's methods, as it runs in the thread with the database. */
export type Sync<T> = {
  [Name in keyof T]: T[Name] extends (...args: infer Args) => Promise<infer Result> ? (...args: Args) => Result : never
}

export interface DatabaseOptions {
  file: string
  /** How long to wait for another process's write. */
  busyTimeoutMs: number
  /** Whether commits must survive the process. They need not for `:memory:`. */
  durable: boolean
}

/** A prepared statement with the type of its rows, which is declared next to the SQL that selects the columns. */
export interface TypedStatement<Row> extends Omit<StatementSync, 'get' | 'all'> {
  get(named: Record<string, SQLInputValue>): Row | undefined
  get(...values: SQLInputValue[]): Row | undefined
  all(named: Record<string, SQLInputValue>): Row[]
  all(...values: SQLInputValue[]): Row[]
}

export const prepare = <Row extends object>(db: DatabaseSync, sql: string): TypedStatement<Row> =>
  db.prepare(sql) as TypedStatement<object> as TypedStatement<Row>

/** Opens a connection with the settings that all threads use. */
export function openDatabase({ file, busyTimeoutMs, durable }: DatabaseOptions, readOnly = false): DatabaseSync {
  const db = new DatabaseSync(file, { readOnly, timeout: busyTimeoutMs })
  // With FULL, a commit in WAL mode is on disk before it is acknowledged. secure_delete overwrites deleted text.
  if (!readOnly) db.exec(`PRAGMA synchronous = ${durable ? 'FULL' : 'OFF'}; PRAGMA secure_delete = ON`)
  db.exec('PRAGMA foreign_keys = ON; PRAGMA cache_size = -16000; PRAGMA temp_store = MEMORY')
  return db
}

/** Runs reads on one snapshot of the database: they see no write that is committed in between. */
export async function inOneSnapshot<Result>(db: DatabaseSync, run: () => Result): Promise<Awaited<Result>> {
  db.exec('BEGIN')
  try {
    return await run()
  } finally {
    if (db.isTransaction) db.exec('COMMIT')
  }
}

// SQLITE_BUSY, LOCKED, NOMEM, READONLY, INTERRUPT, IOERR, CORRUPT, FULL, CANTOPEN, PROTOCOL, NOTADB
const unavailable = new Set([5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 26])

// SQLITE_CORRUPT, NOTADB
const damaged = new Set([11, 26])

/** Maps errors which mean that the engine does not answer to `StoreUnavailableError`. */
export function toStoreError(db: DatabaseSync, error: unknown): unknown {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return error
  const code = error.errcode & 0xff
  // Drops cached pages of a damaged file: they would still be used after the file is repaired.
  if (damaged.has(code) && db.isOpen) db.exec('PRAGMA shrink_memory')
  return unavailable.has(code) ? new StoreUnavailableError(error.message, { cause: error }) : error
}
