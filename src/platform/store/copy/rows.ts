import type { Hash } from 'node:crypto'
import type { SQLInputValue } from 'node:sqlite'
import { toSearchColumns } from '../postgres/contactRows.ts'
import type { Row, Table } from '../rules/tables.ts'

/** A row of a file as PostgreSQL's driver would return it. */
export function fromFile({ json = [], truth = [] }: Table, record: Row): Row {
  const row = { ...record }
  for (const column of json) if (typeof row[column] === 'string') row[column] = JSON.parse(row[column])
  for (const column of truth) row[column] = row[column] === 1
  return row
}

/** Adds a row to a checksum. */
export function addTo(hash: Hash, columns: string[], row: Row): void {
  hash.update(`${JSON.stringify(columns.map(column => row[column]))}\n`)
}

/** Replaces NUL, which PostgreSQL cannot store. */
export function toPostgres(row: Row): Row {
  const entries = Object.entries(row)
  return Object.fromEntries(
    entries.map(([column, value]) => [column, typeof value === 'string' ? value.replaceAll('\0', '\ufffd') : value]),
  )
}

/** The values of a row for a file, in the order of the columns. */
export const toFile = ({ json = [] }: Table, columns: string[], row: Row): SQLInputValue[] =>
  columns.map(column => {
    const value = row[column] ?? null
    if (value !== null && json.includes(column)) return JSON.stringify(value)
    return typeof value === 'boolean' ? Number(value) : (value as SQLInputValue)
  })

/** A row with the columns that only PostgreSQL's table has. */
export const withSearchTexts = ({ name }: Table, row: Row): Row =>
  name === 'contacts' ? { ...row, ...searchTextsOf(row) } : row

/** The columns to insert into PostgreSQL's table. */
export const columnsWithSearchTexts = ({ name }: Table, columns: string[]): string[] =>
  name === 'contacts' ? [...columns, ...Object.keys(searchTextsOf({}))] : columns

function searchTextsOf(row: Row): Row {
  const text = (field: string) => String(row[field] ?? '')
  const [id, name, email] = [text('id'), text('name'), text('email')]
  const fields = { id, name, email, phone: text('phone'), mid: text('mid'), wid: text('wid') }
  return toSearchColumns(text('bot_id'), fields)
}
