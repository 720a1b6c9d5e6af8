import type { DatabaseSync } from 'node:sqlite'
import {
  type GuardedTable,
  guardedColumns,
  guardedTables,
  isLeftBehindSql,
  movingMessage,
  refusesChangesSql,
  refusesDeletionsSql,
} from '../moves/guards.ts'

/** The present time in milliseconds. */
export const nowMs = `CAST(unixepoch('subsec') * 1000 AS INTEGER)`

interface Guard {
  name: string
  create: string
}

const guards: Guard[] = guardedTables.flatMap(table => {
  const { organizationOf, keepsRows } = table.guard
  return [
    guardOf(table, 'insert', 'INSERT', refusesChangesSql(organizationOf('NEW'), nowMs)),
    guardOf(table, 'update', `UPDATE OF ${guardedColumns(table)}`, refusesChangesSql(organizationOf('OLD'), nowMs)),
    ...(keepsRows ? [guardOf(table, 'delete', 'DELETE', refusesDeletionsSql(organizationOf('OLD'), nowMs))] : []),
  ]
})

function guardOf(table: GuardedTable, operation: string, event: string, condition: string): Guard {
  const name = `natter_guard_${table.name}_${operation}`
  return {
    name,
    create: `CREATE TRIGGER IF NOT EXISTS ${name} BEFORE ${event} ON ${table.name} WHEN ${condition}
      BEGIN SELECT RAISE(ABORT, '${movingMessage}'); END`,
  }
}

/** Creates the triggers that refuse the writes of organizations with a state. */
export function createGuards(db: DatabaseSync): void {
  for (const { create } of guards) db.exec(create)
}

export const hasGuards = (db: DatabaseSync): boolean =>
  db.prepare(`SELECT 1 FROM sqlite_schema WHERE name LIKE 'natter_guard_%'`).get() !== undefined

/** Removes the triggers unless an organization has a state. */
export function dropUnusedGuards(db: DatabaseSync): void {
  if (!hasGuards(db) || db.prepare('SELECT 1 FROM organization_moves').get()) return
  for (const { name } of guards) db.exec(`DROP TRIGGER IF EXISTS ${name}`)
}

/**
 * Removes the states and guards that runs of `natter copy` have left which were killed. For a server: while one uses the
 * file no run copies into it.
 */
export function removeLeftMoves(db: DatabaseSync): void {
  db.exec(`DELETE FROM organization_moves WHERE ${isLeftBehindSql(nowMs)}`)
  dropUnusedGuards(db)
}
