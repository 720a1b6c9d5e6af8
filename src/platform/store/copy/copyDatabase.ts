import { createHash } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { readAddress } from '../postgres/address.ts'
import { connect, type Queries } from '../postgres/connection.ts'
import { ensureSchema } from '../postgres/ensureSchema.ts'
import { type Row, type Table, tables } from '../rules/tables.ts'
import { openDatabase } from '../sqlite/connection.ts'
import { amend, checkOwn } from '../sqlite/migrations.ts'
import { addTo, columnsWithSearchTexts, fromFile, toPostgres, withSearchTexts } from './rows.ts'

export interface CopyOptions {
  /** The embedded store's file. Nothing may write to it during the copy. */
  from: string
  /** Address of an empty database. */
  to: string
  /** Called after each batch of a table. */
  onProgress: (progress: { table: string; copied: number; total: number }) => void
}

const atOnce = 1000
const timeoutMs = 10 * 60_000

/**
 * Copies the database of a file, completely or not at all, without changing the file. Reads each row back and compares
 * it. Resolves to the number of rows.
 */
export async function copyDatabase({ from, to, onProgress }: CopyOptions): Promise<number> {
  const { name } = readAddress(to)
  const file = await naming(from, async () => openDatabase({ file: from, busyTimeoutMs: 5000, durable: true }))
  try {
    await naming(from, async () => {
      checkOwn(file)
      // Never committed, so the file does not change.
      file.exec('BEGIN')
      amend(file)
      if (file.prepare('SELECT 1 FROM organization_moves').get())
        throw new Error('An organization of it is being moved: end that with natter copy --finish or --abandon first.')
    })
    // Count before the transaction, which must not stay idle for long.
    const counted = tables.map(table => ({ table, total: countRows(file, table) }))
    const db = await connect(to)
    try {
      await naming(name, () => ensureSchema(db))
      return await db.transact(
        async tx => {
          // A node that starts during the copy waits and then finds everything.
          await tx.all(`LOCK TABLE ${tables.map(table => table.name).join(', ')} IN EXCLUSIVE MODE`)
          for (const table of tables)
            if (await tx.one(`SELECT 1 FROM ${table.name} LIMIT 1`))
              throw new Error(`The database ${name} holds data already. Copy into an empty one.`)
          for (const { table, total } of counted) await copyTable(file, tx, table, total, onProgress)
          return counted.reduce((sum, { total }) => sum + total, 0)
        },
        { timeoutMs },
      )
    } finally {
      await db.close()
    }
  } finally {
    file.close()
  }
}

/** Adds the name of the database that cannot be opened to an error. */
async function naming<Result>(database: string, open: () => Promise<Result>): Promise<Result> {
  try {
    return await open()
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`Cannot open the database ${database}: ${reason}`, { cause })
  }
}

function countRows(file: DatabaseSync, { name }: Table): number {
  return Number(file.prepare(`SELECT count(*) AS count FROM ${name}`).get()?.['count'])
}

async function copyTable(
  file: DatabaseSync,
  tx: Queries,
  table: Table,
  total: number,
  onProgress: CopyOptions['onProgress'],
): Promise<void> {
  const { name, key, columns } = table
  const names = columnsWithSearchTexts(table, columns).join(', ')
  const insert = `INSERT INTO ${name} (${names}) SELECT ${names} FROM json_populate_recordset(NULL::${name}, $1)`
  const hash = createHash('sha256')
  let [copied, batch]: [number, Row[]] = [0, []]
  const flush = async () => {
    await tx.all(insert, [JSON.stringify(batch.map(row => withSearchTexts(table, row)))])
    copied += batch.length
    batch = []
    onProgress({ table: name, copied, total })
  }
  for (const record of file.prepare(`SELECT ${columns.join(', ')} FROM ${name} ORDER BY ${key}`).iterate()) {
    const row = toPostgres(fromFile(table, record))
    addTo(hash, columns, row)
    if (batch.push(row) === atOnce) await flush()
  }
  if (batch.length > 0) await flush()
  if (table.number) await continueNumbers(tx, name, table.number)
  const there = await readBack(tx, table)
  if (there.count !== total || there.checksum !== hash.digest('hex'))
    throw new Error(`What stands in ${name} is not what was copied: ${there.count} of ${total} rows. Nothing was kept.`)
}

/** Reads the copied table in batches. */
async function readBack(tx: Queries, { name, key, columns }: Table): Promise<{ count: number; checksum: string }> {
  const hash = createHash('sha256')
  let count = 0
  await tx.all(`DECLARE copied_${name} CURSOR FOR SELECT ${columns.join(', ')} FROM ${name} ORDER BY ${key}`)
  for (let isLeft = true; isLeft; ) {
    const rows = await tx.all<Row>(`FETCH ${atOnce} FROM copied_${name}`)
    for (const row of rows) addTo(hash, columns, row)
    count += rows.length
    isLeft = rows.length === atOnce
  }
  await tx.all(`CLOSE copied_${name}`)
  return { count, checksum: hash.digest('hex') }
}

async function continueNumbers(tx: Queries, table: string, column: string): Promise<void> {
  await tx.all(
    `SELECT setval(pg_get_serial_sequence('${table}', '${column}'),
       (SELECT coalesce(max(${column}), 0) + 1 FROM ${table}), false)`,
  )
}
