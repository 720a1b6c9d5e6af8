import type { Queries } from '../database.ts'
import type { PostgresDatabase } from './connection.ts'
import { migrations as all } from './migrations.ts'

/** The key of the advisory lock for migrations: "Natt". */
const migrationLock = 0x4e617474

/**
 * Creates the tables of an empty database, and migrates an older one to this version, in one transaction. Another process
 * that starts meanwhile waits. Throws if the database is newer than this version.
 */
export async function ensureSchema(db: PostgresDatabase, migrations: string[][] = all): Promise<void> {
  // A database of this version needs neither the lock nor the right to change tables.
  if ((await readVersion(db, migrations)) === migrations.length) return
  await db.transact(async tx => {
    await tx.one('SELECT pg_advisory_xact_lock($1)', [migrationLock])
    const version = await readVersion(tx, migrations)
    if (version === migrations.length) return
    if (version === 0) await tx.all('CREATE TABLE natter_schema (version integer NOT NULL)')
    for (const statement of migrations.slice(version).flat()) await tx.all(statement)
    await tx.all('DELETE FROM natter_schema')
    await tx.all('INSERT INTO natter_schema (version) VALUES ($1)', [migrations.length])
  })
}

/** How many migrations the database has; 0 if it is empty. */
async function readVersion(db: Queries, migrations: string[][]): Promise<number> {
  // Not `to_regclass`, which may return what was true before this transaction waited for the lock.
  const table = await db.one(
    `SELECT tablename FROM pg_tables WHERE schemaname = current_schema() AND tablename = 'natter_schema'`,
  )
  const row = table && (await db.one<{ version: number }>('SELECT version FROM natter_schema'))
  const version = row?.version ?? 0
  if (version > migrations.length) throw new Error('The database is of a newer version of Natter. Update Natter.')
  return version
}
