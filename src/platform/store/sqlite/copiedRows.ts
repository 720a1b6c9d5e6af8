import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { normalizeContact } from '../../search/searchNormalization.ts'
import { defaultBatchSize, type RowReader, type RowWriter } from '../moves/copyTables.ts'
import { RowExistsError } from '../moves/moveDatabase.ts'
import type { RowSelection } from '../moves/rowSelection.ts'
import type { Row, Table } from '../moves/tables.ts'

// SQLITE_CONSTRAINT_PRIMARYKEY, SQLITE_CONSTRAINT_UNIQUE
const uniqueViolations = [1555, 2067]

/** Reads rows within a transaction. */
export function createRowReader(db: DatabaseSync, { columnsOf, conditionOf, values }: RowSelection): RowReader {
  const select = (what: string, table: Table, order = '') =>
    db.prepare(`SELECT ${what} FROM ${table.name} WHERE ${toNumbered(conditionOf(table))} ${order}`)
  return {
    count: async table => Number(select('count(*) AS count', table).get(...values)?.['count']),
    async *batches(table) {
      let batch: Row[] = []
      const rows = select(columnsOf(table).join(', '), table, `ORDER BY ${table.key}`)
      for (const record of rows.iterate(...values)) {
        if (batch.push(fromFile(table, record)) < (table.batchSize ?? defaultBatchSize)) continue
        yield batch
        batch = []
      }
      if (batch.length > 0) yield batch
    },
  }
}

/** Writes rows within a transaction. */
export function createRowWriter(db: DatabaseSync, selection: RowSelection): RowWriter {
  const doc = db.prepare(
    `INSERT INTO contact_search_docs (bot, created_at, id, number, name, rest, digits)
     SELECT number, ?, ?, ?, ?, ?, ? FROM bots WHERE id = ?`,
  )
  // The server that opens the file next indexes them. A number of a deleted contact may come again, while its text is
  // still to be removed.
  const queue = db.prepare(
    'INSERT OR IGNORE INTO search_index_queue (bot, number) SELECT bots.number, ? FROM bots WHERE id = ?',
  )

  function addToSearch(number: number | bigint, row: Row): void {
    const contact = row as Record<'id' | 'name' | 'email' | 'phone' | 'mid' | 'wid' | 'created_at' | 'bot_id', string>
    const { name, rest, digits } = normalizeContact(contact)
    doc.run(contact.created_at, contact.id, number, name, rest, digits, contact.bot_id)
    queue.run(number, contact.bot_id)
  }

  return {
    ...createRowReader(db, selection),
    toStored: row => row,
    async insert(table, rows) {
      const columns = selection.columnsOf(table)
      const places = columns.map(() => '?').join(', ')
      const statement = db.prepare(`INSERT INTO ${table.name} (${columns.join(', ')}) VALUES (${places})`)
      try {
        for (const row of rows) {
          const { lastInsertRowid } = statement.run(...toFile(table, columns, row))
          if (table.name === 'contacts') addToSearch(lastInsertRowid, row)
        }
      } catch (error) {
        const code = (error as { errcode?: number }).errcode ?? 0
        throw uniqueViolations.includes(code) ? new RowExistsError(table.name, error) : error
      }
    },
  }
}

/** SQLite's form of `$1`. */
export const toNumbered = (sql: string): string => sql.replaceAll('$1', '?1')

/** A row of a file as PostgreSQL's driver would return it. */
function fromFile({ json = [], truth = [], bytes = [] }: Table, record: Row): Row {
  const row = { ...record }
  for (const column of json) if (typeof row[column] === 'string') row[column] = JSON.parse(row[column])
  for (const column of truth) row[column] = row[column] === 1
  for (const column of bytes) row[column] = `\\x${Buffer.from(row[column] as Uint8Array).toString('hex')}`
  return row
}

/** The values of a row for a file, in the order of the columns. */
const toFile = ({ json = [], bytes = [] }: Table, columns: string[], row: Row): SQLInputValue[] =>
  columns.map(column => {
    const value = row[column] ?? null
    if (value !== null && json.includes(column)) return JSON.stringify(value)
    if (bytes.includes(column)) return Buffer.from(String(value).slice(2), 'hex')
    return typeof value === 'boolean' ? Number(value) : (value as SQLInputValue)
  })
