import { longMs } from '../deadline.ts'
import type { Database, Queries } from './connection.ts'
import { ConflictRetryError } from './errors.ts'
import { type Migration, type Step, stepsOf } from './migration.ts'
import { migrations as all } from './migrations.ts'
import { createMarker, migrationLock, readState, recordStep, requiredVersion } from './schemaVersion.ts'

/** A node migrates a database by itself if its largest table takes less than this: a few seconds at most. */
const smallBytes = 16 * 1024 * 1024

/**
 * Creates the tables of an empty database, and migrates a small one, in one transaction. Throws if a large one lacks what
 * this version needs. Works behind a proxy that pools by transaction.
 */
export async function ensureSchema(db: Database, migrations: Migration[] = all, small = smallBytes): Promise<void> {
  const required = requiredVersion(migrations)
  // Nodes that start later do not need the lock.
  if ((await readState(db, migrations)).version >= required) return
  await db.transact(
    async tx => {
      // Does not wait: an index that "natter migrate" builds would wait for this transaction.
      const lock = await tx.one<{ held: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS held', [migrationLock])
      if (!lock?.held) throw new ConflictRetryError('Another process migrates the database. Try again when it is done.')
      const state = await readState(tx, migrations)
      if (state.version >= required) return
      if (!state.isMarked) await createMarker(tx)
      else if (!(await isSmall(tx, small)))
        throw new Error(
          'The database is of an older version of Natter, and too large to migrate while servers start. Run "natter migrate" first; servers of the older version can go on meanwhile.',
        )
      await migrateAtOnce(tx, migrations)
    },
    { timeoutMs: longMs },
  )
}

async function isSmall(db: Queries, small: number): Promise<boolean> {
  const largest = await db.one<{ bytes: number }>(
    `SELECT coalesce(max(pg_table_size(oid)), 0) AS bytes FROM pg_class
     WHERE relkind = 'r' AND relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())`,
  )
  return largest !== undefined && largest.bytes < small
}

/** Runs the remaining steps, each as one statement. Other transactions wait for the tables meanwhile. */
async function migrateAtOnce(tx: Queries, migrations: Migration[]): Promise<void> {
  for (;;) {
    const state = await readState(tx, migrations)
    const migration = migrations[state.version]
    const step = migration && stepsOf(migration)[state.step]
    if (!step) return
    for (const sql of statementsOf(step)) await tx.all(sql)
    await recordStep(tx, state, migration)
  }
}

function statementsOf(step: Step): string[] {
  if ('sql' in step) return [step.sql]
  if ('backfill' in step) return [`UPDATE ${step.backfill} SET ${step.set} WHERE ${step.where ?? 'true'}`]
  // A killed "natter migrate" may have left an invalid index.
  return [
    `DROP INDEX IF EXISTS ${step.index}`,
    `CREATE ${step.unique ? 'UNIQUE ' : ''}INDEX ${step.index} ON ${step.on}`,
  ]
}
