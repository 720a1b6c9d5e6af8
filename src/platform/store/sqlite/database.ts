import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import type { Database, Queries } from '../database.ts'
import { toSqlite } from './toSqlite.ts'

/**
 * The port to a connection in this thread. Each statement is ready at once, so nothing else that the thread does can come
 * between two statements of a transaction. The thread begins and commits transactions.
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
      return statement.all(...order.map(index => toValue(values[index]))).map(row => ({ ...row }) as Row)
    },
    async one<Row extends object>(text: string, values: unknown[] = []): Promise<Row | undefined> {
      const { statement, order } = prepare(text)
      const row = statement.get(...order.map(index => toValue(values[index])))
      // A copy: SQLite's rows have no prototype, and would not equal other objects.
      return row && ({ ...row } as Row)
    },
  }
  return {
    ...queries,
    write: queries.all,
    async transact(run, { isSnapshot = false } = {}) {
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

function toValue(value: unknown): SQLInputValue {
  if (value === undefined) return null
  if (typeof value === 'boolean') return value ? 1 : 0
  return Array.isArray(value) ? JSON.stringify(value) : (value as SQLInputValue)
}
