import { setTimeout as pause } from 'node:timers/promises'
import { nameInErrors } from '../nameInErrors.ts'
import { readAddress } from './address.ts'
import { connectDirectly, type DirectConnection, lockMigrations } from './directConnection.ts'
import { type BackfillStep, type IndexStep, type Migration, stepsOf, titleOf } from './migration.ts'
import { migrations as all } from './migrations.ts'
import { retryLocks } from './retryLocks.ts'
import { createMarker, readState, recordStep, type SchemaState } from './schemaVersion.ts'

export interface MigrateOptions {
  url: string
  /** Called with a line for each step, and about once a second within one. */
  onProgress: (line: string) => void
  /** Default: those of this version. */
  migrations?: Migration[]
}

/** How long a batch of a backfill should take. */
const batchMs = 50
const firstBatchRows = 100
const largestBatchRows = 10_000
/** The longest pause after a batch. */
const longestPauseMs = 1_000
const reportEveryMs = 1_000

/** Migrates a database to this version while nodes use it. Continues what a killed run has begun. */
export async function migrate({ url, onProgress, migrations = all }: MigrateOptions): Promise<void> {
  const { name } = readAddress(url)
  const db = await nameInErrors(name, () => connectDirectly(url, 'natter migrate'))
  try {
    await lockMigrations(db, () => onProgress('another "natter migrate" is running: waiting for it'))
    // Otherwise the server continues to build an index after this process has ended. Not every system supports it.
    await db.all(`SET client_connection_check_interval = '1s'`).catch(() => {})
    if (!(await readState(db, migrations)).isMarked) await db.transact(() => createMarker(db))
    for (;;) {
      const state = await readState(db, migrations)
      const migration = migrations[state.version]
      if (!migration) return
      await runStep(db, migration, state, onProgress)
    }
  } finally {
    await db.close()
  }
}

async function runStep(
  db: DirectConnection,
  migration: Migration,
  state: SchemaState,
  onProgress: MigrateOptions['onProgress'],
): Promise<void> {
  const step = stepsOf(migration)[state.step]
  if (!step) throw new Error(`The migration "${migration.name}" has no steps.`)
  const title = `${migration.name}: ${titleOf(step)}`
  onProgress(title)
  if ('sql' in step) {
    await retryLocks(
      db,
      async () => {
        await db.all(step.sql)
        await recordStep(db, state, migration)
      },
      () => onProgress(`${title}: still waiting for a lock; a long transaction or a vacuum has it`),
    )
    return
  }
  if ('index' in step) await buildIndex(db, step)
  else await backfill(db, step, state, rows => onProgress(`${title}: ${rows} rows`))
  await recordStep(db, state, migration)
}

async function buildIndex(db: DirectConnection, { index, on, unique }: IndexStep): Promise<void> {
  const existing = await db.one<{ isValid: boolean }>(
    `SELECT indisvalid AS "isValid" FROM pg_index JOIN pg_class c ON c.oid = indexrelid
     WHERE relname = $1 AND relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())`,
    [index],
  )
  if (existing?.isValid) return
  // An interrupted build leaves an invalid index, which slows down writes and is used by no query.
  if (existing) await db.all(`DROP INDEX CONCURRENTLY ${index}`)
  await db.all(`CREATE ${unique ? 'UNIQUE ' : ''}INDEX CONCURRENTLY ${index} ON ${on}`)
}

/** Visits the rows by their key. Stores the position with each batch, so that a later run continues from there. */
async function backfill(
  db: DirectConnection,
  { backfill: table, key, set, where = 'true' }: BackfillStep,
  { position }: SchemaState,
  onProgress: (rows: number) => void,
): Promise<void> {
  const columns = key.join(', ')
  // Aliases that differ from the columns: "set" and "where" name columns without their table.
  const named = key.map((column, index) => ({ column, name: `key_${index}` }))
  const isSame = named.map(({ column, name }) => `t.${column} = ${name}`).join(' AND ')
  const values = key.map((_, index) => `$${index + 2}`).join(', ')
  // Locks the rows in their order, as an upsert does: PostgreSQL notices a deadlock only after a second.
  const sqlAfter = (after: string[] | null): string =>
    `WITH batch AS MATERIALIZED (
       SELECT ${named.map(({ column, name }) => `${column} AS ${name}`).join(', ')} FROM ${table} ${after ? `WHERE (${columns}) > (${values})` : ''}
       ORDER BY ${columns} LIMIT $1 FOR NO KEY UPDATE
     ), changed AS (
       UPDATE ${table} t SET ${set} FROM batch WHERE ${isSame} AND (${where})
     )
     SELECT json_build_array(${named.map(({ name }) => `${name}::text`).join(', ')}) AS last, count(*) OVER ()::int AS count
     FROM batch ORDER BY ${named.map(({ name }) => `${name} DESC`).join(', ')} LIMIT 1`
  let after = position
  let size = firstBatchRows
  let rows = 0
  let reportedMs = performance.now()
  for (;;) {
    const began = performance.now()
    const batch = await retryLocks(db, async () => {
      const read = await db.one<{ last: string[]; count: number }>(sqlAfter(after), [size, ...(after ?? [])])
      if (read) await db.all('UPDATE natter_schema SET position = $1', [JSON.stringify(read.last)])
      return read
    })
    if (!batch) return
    after = batch.last
    rows += batch.count
    const tookMs = performance.now() - began
    if (tookMs < batchMs) size = Math.min(largestBatchRows, size * 2)
    else if (tookMs > 2 * batchMs) size = Math.max(1, Math.floor(size / 2))
    if (performance.now() - reportedMs > reportEveryMs) {
      reportedMs = performance.now()
      onProgress(rows)
    }
    // Leaves half of the time to other transactions.
    await pause(Math.min(tookMs, longestPauseMs))
  }
}
