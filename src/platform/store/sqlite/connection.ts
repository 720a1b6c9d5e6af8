import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { StoreUnavailableError } from '../store.ts'

/** A method of the port as it runs where the database is: at once, without a promise. */
export type Sync<T> = {
  [Name in keyof T]: T[Name] extends (...args: infer Args) => Promise<infer Result> ? (...args: Args) => Result : never
}

export interface DatabaseOptions {
  file: string
  /** How long to wait for another process that writes. */
  busyTimeoutMs: number
  /** Whether a commit must outlive the process: `:memory:` does not. */
  durable: boolean
}

/** A prepared statement whose rows are known: the type stands where the SQL that selects its columns does. */
export interface TypedStatement<Row> extends Omit<StatementSync, 'get' | 'all'> {
  get(named: Record<string, SQLInputValue>): Row | undefined
  get(...values: SQLInputValue[]): Row | undefined
  all(named: Record<string, SQLInputValue>): Row[]
  all(...values: SQLInputValue[]): Row[]
}

export const prepare = <Row extends object>(db: DatabaseSync, sql: string): TypedStatement<Row> =>
  db.prepare(sql) as TypedStatement<object> as TypedStatement<Row>

/** Opens a connection as every thread uses it. */
export function openDatabase({ file, busyTimeoutMs, durable }: DatabaseOptions, readOnly = false): DatabaseSync {
  const db = new DatabaseSync(file, { readOnly, timeout: busyTimeoutMs })
  // FULL: in WAL mode a commit is on disk before it is acknowledged. Erased text is overwritten, not left in the file.
  if (!readOnly) db.exec(`PRAGMA synchronous = ${durable ? 'FULL' : 'OFF'}; PRAGMA secure_delete = ON`)
  db.exec('PRAGMA foreign_keys = ON; PRAGMA cache_size = -16000; PRAGMA temp_store = MEMORY')
  return db
}

// SQLITE_BUSY, LOCKED, NOMEM, READONLY, INTERRUPT, IOERR, CORRUPT, FULL, CANTOPEN, PROTOCOL, NOTADB
const unavailable = new Set([5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 26])

// SQLITE_CORRUPT, NOTADB
const damaged = new Set([11, 26])

/** What of an engine's error goes on: one that says that the engine does not answer becomes a `StoreUnavailableError`. */
export function toStoreError(db: DatabaseSync, error: unknown): unknown {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return error
  const code = error.errcode & 0xff
  // What was read of a damaged file would be taken for the file when that is whole again.
  if (damaged.has(code) && db.isOpen) db.exec('PRAGMA shrink_memory')
  return unavailable.has(code) ? new StoreUnavailableError(error.message, { cause: error }) : error
}
