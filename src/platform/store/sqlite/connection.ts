import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import type { Database, Queries } from '../database.ts'
import { StoreUnavailableError } from '../store.ts'
import { toSqlite } from './toSqlite.ts'

export interface DatabaseOptions {
  file: string
  /** How long to wait for another process's write. */
  busyTimeoutMs: number
  /** Whether commits must survive the process. They need not for `:memory:`. */
  durable: boolean
}

/** Opens a connection with the settings that all threads use. */
export function openDatabase({ file, busyTimeoutMs, durable }: DatabaseOptions, readOnly = false): DatabaseSync {
  const db = new DatabaseSync(file, { readOnly, timeout: busyTimeoutMs })
  // With FULL, a commit in WAL mode is on disk before it is acknowledged. secure_delete overwrites deleted text.
  if (!readOnly) db.exec(`PRAGMA synchronous = ${durable ? 'FULL' : 'OFF'}; PRAGMA secure_delete = ON`)
  db.exec('PRAGMA foreign_keys = ON; PRAGMA cache_size = -16000; PRAGMA temp_store = MEMORY')
  return db
}

/**
 * The port to a connection in this thread. Each statement is ready at once, so nothing else that the thread does can come
 * between two statements of a transaction. `writer.ts` begins and commits transactions.
 */
export function createDatabase(db: DatabaseSync): Database {
  const prepared = new Map<string, { statement: StatementSync; order: number[] }>()

  function prepare(text: string): { statement: StatementSync; order: number[] } {
    const known = prepared.get(text)
    if (known) return known
    const { text: translated, order } = toSqlite(text)
    const added = { statement: db.prepare(translated), order }
    prepared.set(text, added)
    return added
  }

  const queries: Queries = {
    async all<Row extends object>(text: string, values: unknown[] = []): Promise<Row[]> {
      const { statement, order } = prepare(text)
      const rows = statement.all(...order.map(index => toParameter(values[index])))
      // Copies: SQLite's rows have no prototype, and would not equal other objects.
      return rows.map(row => ({ ...row }) as Row)
    },
    one: async (text, values) => (await queries.all(text, values))[0] as never,
  }
  return {
    ...queries,
    write: queries.all,
    async transact(run, { isSnapshot = false } = {}) {
      // `writer.ts` has begun the transaction, and commits it.
      if (!isSnapshot) return run(queries, 1)
      db.exec('BEGIN')
      try {
        return await run(queries, 1)
      } finally {
        if (db.isTransaction) db.exec('COMMIT')
      }
    },
  }
}

function toParameter(value: unknown): SQLInputValue {
  if (value === undefined) return null
  if (typeof value === 'boolean') return value ? 1 : 0
  return Array.isArray(value) ? JSON.stringify(value) : (value as SQLInputValue)
}

/** SQLite's result codes that Natter handles. */
export const resultCodes = { busy: 5, readOnly: 8, damaged: 11, cannotOpen: 14, noDatabase: 26 } as const

/** SQLite's result code, if it has thrown the error. */
export const resultCodeOf = (error: unknown): number | undefined =>
  error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : undefined

// SQLITE_BUSY, LOCKED, NOMEM, READONLY, INTERRUPT, IOERR, CORRUPT, FULL, CANTOPEN, PROTOCOL, NOTADB
const unavailable = new Set<unknown>([5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 26])

/** Maps errors which mean that the engine does not answer to `StoreUnavailableError`. */
export function toStoreError(db: DatabaseSync, error: unknown): unknown {
  const code = resultCodeOf(error)
  // Drops cached pages of a damaged file: they would still be used after the file is repaired.
  if ((code === resultCodes.damaged || code === resultCodes.noDatabase) && db.isOpen) db.exec('PRAGMA shrink_memory')
  return unavailable.has(code) ? new StoreUnavailableError((error as Error).message, { cause: error }) : error
}
