import { defaultBatchSize, type RowReader, type RowWriter } from '../moves/copyTables.ts'
import { RowExistsError } from '../moves/moveDatabase.ts'
import type { RowSelection } from '../moves/rowSelection.ts'
import type { Row, Table } from '../moves/tables.ts'
import type { Queries } from './connection.ts'
import { toSearchColumns } from './contactRows.ts'
import { sqlStates } from './sqlStates.ts'

/** Reads rows within a transaction. */
export function createRowReader(db: Queries, { columnsOf, conditionOf, values }: RowSelection): RowReader {
  return {
    async count(table) {
      const sql = `SELECT count(*) AS count FROM ${table.name} WHERE ${conditionOf(table)}`
      return (await db.one<{ count: number }>(sql, values))?.count ?? 0
    },
    async *batches(table) {
      const { name, key, batchSize = defaultBatchSize } = table
      await db.all(
        `DECLARE rows_of_${name} CURSOR FOR
         SELECT ${columnsOf(table).map(readAs(table)).join(', ')} FROM ${name} WHERE ${conditionOf(table)} ORDER BY ${key}`,
        values,
      )
      for (;;) {
        const rows = await db.all<Row>(`FETCH ${batchSize} FROM rows_of_${name}`)
        if (rows.length > 0) yield rows
        if (rows.length < batchSize) break
      }
      await db.all(`CLOSE rows_of_${name}`)
    },
  }
}

/** Reads bytes as the text of which PostgreSQL makes them again. */
const readAs =
  ({ bytes = [] }: Table) =>
  (column: string): string =>
    bytes.includes(column) ? `'\\x' || encode(${column}, 'hex') AS ${column}` : column

/** Writes rows within a transaction. */
export const createRowWriter = (db: Queries, selection: RowSelection): RowWriter => ({
  ...createRowReader(db, selection),
  toStored: replaceNul,
  async insert(table, rows) {
    const { name } = table
    const columns = [...selection.columnsOf(table), ...searchColumnsOf(table)].join(', ')
    const sql = `INSERT INTO ${name} (${columns}) SELECT ${columns} FROM json_populate_recordset(NULL::${name}, $1)`
    try {
      await db.all(sql, [JSON.stringify(rows.map(row => withSearchColumns(table, row)))])
    } catch (error) {
      throw (error as { code?: unknown }).code === sqlStates.uniqueViolation ? new RowExistsError(name, error) : error
    }
  },
})

/** Replaces NUL, which PostgreSQL cannot store. */
function replaceNul(row: Row): Row {
  const entries = Object.entries(row)
  return Object.fromEntries(
    entries.map(([column, value]) => [column, typeof value === 'string' ? value.replaceAll('\0', '\ufffd') : value]),
  )
}

/** The columns that only PostgreSQL's table has. */
export const searchColumnsOf = ({ name }: Table): string[] =>
  name === 'contacts' ? Object.keys(computeSearchColumns({})) : []

const withSearchColumns = ({ name }: Table, row: Row): Row =>
  name === 'contacts' ? { ...row, ...computeSearchColumns(row) } : row

function computeSearchColumns(row: Row): Row {
  const text = (field: string) => String(row[field] ?? '')
  const [id, name, email] = [text('id'), text('name'), text('email')]
  const fields = { id, name, email, phone: text('phone'), mid: text('mid'), wid: text('wid') }
  return toSearchColumns(text('bot_id'), fields)
}
