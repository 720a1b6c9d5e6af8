/** The changes that one release makes to the tables. Version n of a database has the first n migrations. */
export interface Migration {
  /** Shown in progress and errors. */
  name: string
  /** Adds what this release needs. Nodes of the release before must be able to use the result. */
  expand?: Step[]
  /** Removes what only releases before the last one have used. Nodes of this release also start before it has run. */
  contract?: Step[]
}

/**
 * A step of a migration. It is recorded when it is done. If its process is killed before that, it runs again.
 */
export type Step = StatementStep | IndexStep | BackfillStep

/**
 * A statement that takes a moment however many rows there are. It runs in a transaction of its own, and stops waiting for
 * a lock after half a second, so that no other transaction waits behind it for longer.
 */
export interface StatementStep {
  sql: string
}

/** Builds an index while other transactions write. */
export interface IndexStep {
  /** The name of the index. */
  index: string
  /** The table and the columns, with any further clauses: `contacts (bot_id, phone)`. */
  on: string
  unique?: boolean
}

/** Sets columns in all rows of a table, in small batches, while other transactions write. */
export interface BackfillStep {
  /** The table. */
  backfill: string
  /** The columns of its primary key. */
  key: string[]
  /** The assignments: `phone_key = lower(phone)`. */
  set: string
  /** Which rows still need it; default: all. */
  where?: string
}

export const stepsOf = ({ expand = [], contract = [] }: Migration): Step[] => [...expand, ...contract]

/** Describes a step for progress. */
export function titleOf(step: Step): string {
  if ('index' in step) return `index ${step.index}`
  return 'backfill' in step ? `rows of ${step.backfill}` : step.sql.replace(/\s+/g, ' ').slice(0, 60)
}
