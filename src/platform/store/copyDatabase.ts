import type { DatabaseSync } from 'node:sqlite'
import { monotonicMs, runInContext } from './callContext.ts'
import type { Queries } from './database.ts'
import { readAddress } from './postgres/address.ts'
import { openPostgres } from './postgres/postgresStore.ts'
import { openDatabase } from './sqlite/connection.ts'
import { requireCurrent } from './sqlite/migrations.ts'
import { cannotOpen } from './store.ts'

export interface CopyOptions {
  /** The embedded store's file. Nothing may write to it during the copy. */
  from: string
  /** Address of an empty PostgreSQL database. */
  to: string
  /** Called before each table, with its number of rows. */
  onTable?: (table: string, rows: number) => void
}

/** The tables that are copied, ordered by foreign keys: referenced rows come first. */
export const copiedTables = [
  'organizations',
  'bots',
  'organization_tokens',
  'contacts',
  'conversations',
  'email_confirmations',
  'messages',
  'message_texts',
  'attachments',
  'attachment_parts',
  'sessions',
  'idempotency',
  'turns',
  'turn_log',
  'deliveries',
  'email_links',
  'members',
  'member_sessions',
  'invitations',
  'audit',
  'notes',
  'drafts',
  'saved_replies',
] as const
type Table = (typeof copiedTables)[number]

type Row = Record<string, unknown>

const dayMs = 24 * 60 * 60_000
/** How many rows one statement inserts: fewer where they are large. */
const defaultBatchSize = 500
const batchSizes: { [Name in Table]?: number } = { attachment_parts: 16, idempotency: 50 }

/**
 * Copies the database of a file into an empty PostgreSQL database, completely or not at all, and compares the numbers of
 * rows. The file does not change. Resolves to the number of rows.
 */
export async function copyDatabase({ from, to, onTable = () => {} }: CopyOptions): Promise<number> {
  const file = openFile(from)
  try {
    const db = await openPostgres(to)
    try {
      const copy = () => db.transact(tx => copyTables(file, tx, readAddress(to).name, onTable))
      return await runInContext({ owner: null, deadline: monotonicMs() + dayMs }, copy)
    } finally {
      await db.close()
    }
  } finally {
    file.close()
  }
}

function openFile(path: string): DatabaseSync {
  let file: DatabaseSync | undefined
  try {
    file = openDatabase({ file: path, busyTimeoutMs: 5000, durable: true })
    requireCurrent(file)
    // All reads see the file at one moment.
    file.exec('BEGIN')
    return file
  } catch (cause) {
    file?.close()
    throw cannotOpen(path, cause)
  }
}

async function copyTables(
  file: DatabaseSync,
  tx: Queries,
  name: string,
  onTable: NonNullable<CopyOptions['onTable']>,
): Promise<number> {
  // A node that starts during the copy waits and then finds everything.
  await tx.all(`LOCK TABLE ${copiedTables.join(', ')} IN EXCLUSIVE MODE`)
  for (const table of copiedTables)
    if (await tx.one(`SELECT 1 FROM ${table} LIMIT 1`))
      throw new Error(`The database ${name} holds data already. Copy into an empty one.`)
  let sum = 0
  for (const table of copiedTables) {
    const count = Number(file.prepare(`SELECT count(*) AS count FROM ${table}`).get()?.['count'])
    onTable(table, count)
    await copyRows(file, tx, table)
    const arrived = await tx.one<{ count: number }>(`SELECT count(*) AS count FROM ${table}`)
    if (arrived?.count !== count)
      throw new Error(`Only ${arrived?.count} of ${count} rows of ${table} have arrived. Nothing was kept.`)
    sum += count
  }
  return sum
}

async function copyRows(file: DatabaseSync, tx: Queries, table: Table): Promise<void> {
  const columns = await tx.all<{ name: string; type: string }>(
    `SELECT column_name AS name, data_type AS type FROM information_schema.columns
     WHERE table_schema = current_schema() AND table_name = $1`,
    [table],
  )
  const names = columns.map(({ name }) => name).join(', ')
  const lists = columns.map(({ type }, index) => `$${index + 1}::${type}[]`).join(', ')
  const flush = (rows: Row[]) => {
    const values = columns.map(({ name, type }) => rows.map(row => toPostgres(type, row[name])))
    return tx.all(`INSERT INTO ${table} (${names}) SELECT * FROM unnest(${lists})`, values)
  }
  let rows: Row[] = []
  for (const row of file.prepare(`SELECT * FROM ${table}`).iterate()) {
    if (rows.push(row) < (batchSizes[table] ?? defaultBatchSize)) continue
    await flush(rows)
    rows = []
  }
  if (rows.length > 0) await flush(rows)
  if (columns.some(({ name }) => name === 'number')) await continueNumbers(tx, table)
}

/** PostgreSQL cannot store NUL. */
const replaceNul = (value: unknown): unknown => (typeof value === 'string' ? value.replaceAll('\0', '\ufffd') : value)

const toPostgres = (type: string, value: unknown): unknown =>
  type === 'json' && typeof value === 'string'
    ? JSON.stringify(JSON.parse(value), (_, inner) => replaceNul(inner))
    : replaceNul(value)

/** Lets the table count on from the highest number. */
async function continueNumbers(tx: Queries, table: Table): Promise<void> {
  await tx.all(
    `SELECT setval(pg_get_serial_sequence('${table}', 'number'),
       (SELECT coalesce(max(number), 0) + 1 FROM ${table}), false)`,
  )
}
