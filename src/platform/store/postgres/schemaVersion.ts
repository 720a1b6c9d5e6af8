import type { Queries } from './connection.ts'
import { type Migration, stepsOf } from './migration.ts'

/** The key of the advisory lock for migrations and copies: "Natt". */
export const migrationLock = 0x4e617474

/** How far a database is migrated. */
export interface SchemaState {
  /** Whether the table that records the version exists. */
  isMarked: boolean
  /** How many migrations are done; 0 for an empty database. */
  version: number
  /** How many steps of the next migration are done. */
  step: number
  /** The key of the last row of an unfinished backfill. */
  position: string[] | null
}

/** Throws if the database was migrated by a version of Natter that is newer by more than one migration. */
export async function readState(db: Queries, migrations: Migration[]): Promise<SchemaState> {
  // Not `to_regclass`, which may return what was true before this transaction waited for the lock.
  const marker = await db.one(
    `SELECT tablename FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'natter_schema'`,
  )
  const row =
    marker && (await db.one<Omit<SchemaState, 'isMarked'>>('SELECT version, step, position FROM natter_schema'))
  const state = { isMarked: row !== undefined, ...(row ?? { version: 0, step: 0, position: null }) }
  // Steps of an unfinished migration count as that migration.
  const newest = state.step > 0 ? state.version + 1 : state.version
  if (newest > migrations.length + 1)
    throw new Error(
      `The database was migrated by a newer version of Natter: it has ${newest - migrations.length} migrations more than this version knows, and works with one more at most. Update Natter.`,
    )
  return state
}

/** The lowest version that nodes of this release can use: that of the last migration which adds anything. */
export const requiredVersion = (migrations: Migration[]): number =>
  migrations.findLastIndex(({ expand }) => expand !== undefined) + 1

/** Creates the table that records the version. Throws if the database holds tables of another program. */
export async function createMarker(db: Queries): Promise<void> {
  const other = await db.one<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables
     WHERE schemaname = current_schema() AND tablename IN ('organizations', 'bots', 'contacts', 'messages') LIMIT 1`,
  )
  if (other)
    throw new Error(`The database holds a table ${other.name} that is not Natter's. Give Natter a database of its own.`)
  await db.all('CREATE TABLE natter_schema (version integer NOT NULL, step integer NOT NULL, position json)')
  await db.all('INSERT INTO natter_schema (version, step) VALUES (0, 0)')
}

/** Records a step as done. */
export async function recordStep(db: Queries, { version, step }: SchemaState, migration: Migration): Promise<void> {
  const isLast = step + 1 === stepsOf(migration).length
  await db.all('UPDATE natter_schema SET version = $1, step = $2, position = NULL', [
    ...(isLast ? [version + 1, 0] : [version, step + 1]),
  ])
}
