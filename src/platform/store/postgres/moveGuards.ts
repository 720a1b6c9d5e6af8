import {
  type GuardedTable,
  guardedColumns,
  guardedTables,
  isLeftBehindSql,
  movingMessage,
  refusesChangesSql,
  refusesDeletionsSql,
} from '../moves/guards.ts'
import type { Database, Queries } from './connection.ts'
import { migrationLock } from './schemaVersion.ts'
import { sqlStates } from './sqlStates.ts'

/** The server's time in milliseconds. */
export const nowMs = '(extract(epoch FROM clock_timestamp()) * 1000)'

/** How long others may wait behind the removal of a guard. */
const removalLockMs = 100

const guardOf = ({ name }: Pick<GuardedTable, 'name'>): string => `natter_guard_${name}`

/** Statements that create the trigger of a table, whose names are those of `schema` whatever the writer's search path. */
export function createGuard(table: GuardedTable, schema: string): string[] {
  const { name, guard } = table
  const { organizationOf, keepsRows } = guard
  const refuse = `RAISE EXCEPTION USING ERRCODE = '${sqlStates.organizationMoving}', MESSAGE = '${movingMessage}'`
  return [
    `CREATE OR REPLACE FUNCTION ${guardOf(table)}() RETURNS trigger LANGUAGE plpgsql
     SET search_path = ${schema}, pg_temp AS $$ BEGIN
      IF TG_OP = 'INSERT' THEN
        IF ${refusesChangesSql(organizationOf('NEW'), nowMs)} THEN ${refuse}; END IF;
      ELSIF TG_OP = 'UPDATE' THEN
        IF ${refusesChangesSql(organizationOf('OLD'), nowMs)} THEN ${refuse}; END IF;
      ELSE
        IF ${refusesDeletionsSql(organizationOf('OLD'), nowMs)} THEN ${refuse}; END IF;
        RETURN OLD;
      END IF;
      RETURN NEW;
    END $$`,
    `CREATE OR REPLACE TRIGGER ${guardOf(table)}
     BEFORE INSERT OR UPDATE OF ${guardedColumns(table)} ${keepsRows ? 'OR DELETE ' : ''}
     ON ${name} FOR EACH ROW EXECUTE FUNCTION ${guardOf(table)}()`,
  ]
}

export const dropGuard = (table: GuardedTable): string[] => [
  `DROP TRIGGER IF EXISTS ${guardOf(table)} ON ${table.name}`,
  `DROP FUNCTION IF EXISTS ${guardOf(table)}()`,
]

/** Removes the states and guards that runs of `natter copy` have left which were killed. */
export async function removeLeftMoves(db: Database): Promise<void> {
  await db.transact(async tx => {
    if (await lockMoves(tx)) await tx.all(`DELETE FROM organization_moves WHERE ${isLeftBehindSql(nowMs)}`)
  })
  // A role that does not own the tables leaves the guards to the next run of the command.
  const existing = await db.all<{ name: string }>(
    `SELECT relname AS name FROM pg_trigger JOIN pg_class c ON c.oid = tgrelid
     WHERE starts_with(tgname, '${guardOf({ name: '' })}') AND pg_has_role(relowner, 'USAGE')
       AND relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())`,
  )
  for (const table of guardedTables) if (existing.some(({ name }) => name === table.name)) await removeGuard(db, table)
}

async function removeGuard(db: Database, table: GuardedTable): Promise<void> {
  try {
    await db.transact(async tx => {
      if (!(await lockMoves(tx)) || (await tx.one('SELECT state FROM organization_moves LIMIT 1'))) return
      await tx.all(`SET LOCAL lock_timeout = ${removalLockMs}`)
      for (const sql of dropGuard(table)) await tx.all(sql).catch(giveUpIfInUse)
    })
  } catch (error) {
    // The next purge tries again.
    if (!(error instanceof TableInUseError)) throw error
  }
}

/** Whether no run of `natter copy` or `natter migrate` works on the database: it cannot begin before this transaction ends. */
async function lockMoves(tx: Queries): Promise<boolean> {
  const lock = await tx.one<{ held: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS held', [migrationLock])
  return lock?.held === true
}

function giveUpIfInUse(error: unknown): never {
  throw (error as { code?: unknown }).code === sqlStates.lockNotAvailable ? new TableInUseError() : error
}

/** Unlike the driver's error, it does not repeat the transaction. */
class TableInUseError extends Error {
  override readonly name = 'TableInUseError'
}
