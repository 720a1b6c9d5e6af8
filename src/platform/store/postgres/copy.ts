import { createHash, type Hash } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { normalizeContact } from '../../search/searchNormalization.ts'
import { openDatabase } from '../sqlite/connection.ts'
import { amend, checkOwn } from '../sqlite/migrations.ts'
import { readAddress } from './address.ts'
import { connect, type Queries } from './connection.ts'
import { ensureSchema } from './ensureSchema.ts'

export interface CopyOptions {
  /** The embedded store's file. Nothing may write to it during the copy. */
  from: string
  /** Address of an empty database. */
  to: string
  /** Called after each batch of a table. */
  onProgress: (progress: { table: string; copied: number; total: number }) => void
}

interface Table {
  name: string
  /** The sort key of its rows, on both sides. */
  key: string
  columns: string[]
  /** JSON columns, which are text in the file. */
  json?: string[]
  /** Boolean columns, which are 0 or 1 in the file. */
  truth?: string[]
  /** Columns that only the new table has. */
  also?: (row: Row) => Row
  /** Its sequence column, which continues where it was. */
  number?: string
}
type Row = Record<string, unknown>

const contactFields = [
  'id',
  'organization_id',
  'bot_id',
  'email_key',
  'name',
  'email',
  'phone',
  'mid',
  'wid',
  'attributes',
]
const delivered = ['number', 'id', 'bot_id', 'conversation_id', 'type', 'data', 'created_at', 'due_at']

/** Ordered by foreign keys: referenced rows come first. */
export const tables: Table[] = [
  { name: 'organizations', key: 'id', columns: ['id', 'name', 'created_at'] },
  {
    name: 'bots',
    key: 'id',
    columns: ['id', 'organization_id', 'profile', 'origins', 'responder', 'events', 'turns_per_day', 'created_at'],
    json: ['profile', 'origins', 'responder', 'events'],
  },
  {
    name: 'organization_tokens',
    key: 'hash',
    columns: ['hash', 'prefix', 'organization_id', 'dev', 'created_at', 'last_used_at', 'revoked_at'],
    truth: ['dev'],
  },
  {
    name: 'contacts',
    key: 'id',
    columns: [...contactFields, 'created_at', 'updated_at'],
    json: ['attributes'],
    also: searchTextsOf,
  },
  {
    name: 'conversations',
    key: 'id',
    columns: [
      ...['id', 'bot_id', 'contact_id', 'created_at', 'last_seq', 'read_seq', 'unread', 'last_message_at'],
      ...['is_begun', 'paused_until'],
    ],
    truth: ['is_begun'],
  },
  {
    name: 'messages',
    key: 'conversation_id, seq',
    columns: ['conversation_id', 'seq', 'id', 'author', 'text', 'format', 'quick_replies', 'context', 'created_at'],
    json: ['quick_replies', 'context'],
  },
  {
    name: 'sessions',
    key: 'hash',
    columns: [
      ...['hash', 'bot_id', 'contact_id', 'conversation_id', 'created_at', 'expires_at', 'end_reason', 'ended_at'],
    ],
  },
  {
    name: 'idempotency',
    key: 'key_hash',
    columns: ['key_hash', 'body_hash', 'contact_id', 'result', 'attempt', 'expires_at'],
    json: ['result'],
  },
  {
    name: 'turns',
    key: 'conversation_id',
    columns: ['conversation_id', 'from_seq', 'last_seq', 'leased_seq', 'owner', 'lease_until', 'attempt'],
  },
  {
    name: 'turn_log',
    key: 'number',
    columns: ['number', 'bot_id', 'conversation_id', 'begun_at', 'of_day'],
    number: 'number',
  },
  {
    name: 'deliveries',
    key: 'number',
    columns: [...delivered, 'owner', 'attempt'],
    json: ['data'],
    number: 'number',
  },
]

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
  const { name, key, columns, also = () => ({}) } = table
  const names = [...columns, ...Object.keys(also({}))].join(', ')
  const insert = `INSERT INTO ${name} (${names}) SELECT ${names} FROM json_populate_recordset(NULL::${name}, $1)`
  const hash = createHash('sha256')
  let [copied, batch]: [number, Row[]] = [0, []]
  const flush = async () => {
    await tx.all(insert, [JSON.stringify(batch.map(row => ({ ...row, ...also(row) })))])
    copied += batch.length
    batch = []
    onProgress({ table: name, copied, total })
  }
  for (const record of file.prepare(`SELECT ${columns.join(', ')} FROM ${name} ORDER BY ${key}`).iterate()) {
    const row = fromFile(table, record)
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

function fromFile({ json = [], truth = [] }: Table, record: Row): Row {
  const row = { ...record }
  // PostgreSQL cannot store NUL.
  for (const [column, value] of Object.entries(row))
    if (typeof value === 'string') row[column] = value.replaceAll('\0', '\ufffd')
  for (const column of json) if (typeof row[column] === 'string') row[column] = JSON.parse(row[column])
  for (const column of truth) row[column] = row[column] === 1
  return row
}

function addTo(hash: Hash, columns: string[], row: Row): void {
  hash.update(`${JSON.stringify(columns.map(column => row[column]))}\n`)
}

function searchTextsOf(row: Row): Row {
  const text = (field: string) => String(row[field] ?? '')
  const [id, name, email] = [text('id'), text('name'), text('email')]
  const normalized = normalizeContact({ id, name, email, phone: text('phone'), mid: text('mid'), wid: text('wid') })
  return { name_text: normalized.name, rest_text: normalized.rest, digits_text: normalized.digits }
}

async function continueNumbers(tx: Queries, table: string, column: string): Promise<void> {
  await tx.all(
    `SELECT setval(pg_get_serial_sequence('${table}', '${column}'),
       (SELECT coalesce(max(${column}), 0) + 1 FROM ${table}), false)`,
  )
}
