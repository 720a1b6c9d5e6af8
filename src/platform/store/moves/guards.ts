import { type Guard, type Table, tables } from './tables.ts'

/** The message of the error by which a database refuses a write. */
export const movingMessage = 'The organization is being moved to another database.'

/** A table with triggers that refuse what an organization that is moved must not write. */
export type GuardedTable = Table & { guard: Guard }

export const guardedTables = tables.filter((table): table is GuardedTable => table.guard !== undefined)

/** The columns that must not change. */
export const guardedColumns = ({ columns, guard: { mayChange = [] } }: GuardedTable): string =>
  columns.filter(column => !mayChange.includes(column)).join(', ')

// The conditions below are standard SQL. `nowMs` is the engine's expression for its present time in milliseconds.

/** Whether the lease of the move `m` has not ended. */
const isInForceSql = (nowMs: string): string => `(m.reopens_at IS NULL OR m.reopens_at > ${nowMs})`

/** Whether the organization must not insert or update rows. `arriving` lets the copy itself write. */
export const refusesChangesSql = (organization: string, nowMs: string): string =>
  `EXISTS (SELECT 1 FROM organization_moves m WHERE m.organization_id = ${organization}
     AND m.state <> 'arriving' AND ${isInForceSql(nowMs)})`

/** Whether the organization must not delete rows. `leaving` lets the command itself delete them. */
export const refusesDeletionsSql = (organization: string, nowMs: string): string =>
  `EXISTS (SELECT 1 FROM organization_moves m WHERE m.organization_id = ${organization}
     AND m.state NOT IN ('arriving', 'leaving') AND ${isInForceSql(nowMs)})`

/** The bots of organizations that take no writes: nobody works on their turns and deliveries. */
export const closedBotsSql = (nowMs: string): string =>
  `SELECT b.id FROM organization_moves m JOIN bots b ON b.organization_id = m.organization_id
   WHERE ${isInForceSql(nowMs)}`

/**
 * Whether a run that was killed has left the row of organization_moves. Only true while no run works on the database:
 * `arriving` says nothing about whether its run is alive.
 */
export const isLeftBehindSql = (nowMs: string): string =>
  `(state = 'arriving' OR coalesce(reopens_at <= ${nowMs}, FALSE))`
