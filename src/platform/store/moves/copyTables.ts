import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { RowSelection } from './rowSelection.ts'
import { type Row, type Table, tables } from './tables.ts'

/** Reads rows that do not change meanwhile. */
export interface RowReader {
  count(table: Table): Promise<number>
  /** The rows in the order of the table's key, as PostgreSQL's driver returns them. */
  batches(table: Table): AsyncIterable<Row[]>
}

/** Writes rows, and reads those that it has written. */
export interface RowWriter extends RowReader {
  /** What a row becomes where the database cannot hold all of it. */
  toStored(row: Row): Row
  insert(table: Table, rows: Row[]): Promise<void>
}

export interface CopyProgress {
  table: string
  copied: number
  total: number
}

/** How many rows a batch has. */
export const defaultBatchSize = 1000

/**
 * Copies the rows of all tables and reads each one back. Throws if one has not arrived unchanged. Resolves to the number
 * of rows.
 */
export async function copyTables(
  reader: RowReader,
  writer: RowWriter,
  { columnsOf }: RowSelection,
  onProgress: (progress: CopyProgress) => void,
): Promise<number> {
  let sum = 0
  for (const table of tables) {
    const total = await reader.count(table)
    const sent = createChecksum(columnsOf(table))
    for await (const batch of reader.batches(table)) {
      const rows = batch.map(writer.toStored)
      await writer.insert(table, rows)
      sent.add(rows)
      onProgress({ table: table.name, copied: sent.count, total })
      await runTimers()
    }
    const arrived = createChecksum(columnsOf(table))
    for await (const rows of writer.batches(table)) {
      arrived.add(rows)
      await runTimers()
    }
    if (sent.count !== total || arrived.count !== total || arrived.digest() !== sent.digest())
      throw new Error(
        `What stands in ${table.name} is not what was copied: ${arrived.count} of ${total} rows. Nothing was kept.`,
      )
    sum += total
  }
  return sum
}

/** SQLite answers at once. Without this no timer would fire until all of the copy is done. */
const runTimers = (): Promise<unknown> => setImmediate()

function createChecksum(columns: string[]) {
  const hash = createHash('sha256')
  let count = 0
  return {
    get count() {
      return count
    },
    add(rows: Row[]) {
      for (const row of rows) hash.update(`${JSON.stringify(columns.map(column => row[column]))}\n`)
      count += rows.length
    },
    digest: () => hash.digest('hex'),
  }
}
