/** What one release changes in the tables. Version n of the database is what the first n migrations have made. */
export interface Migration {
  /** For progress and errors. */
  name: string
  /** Adds what this release needs. Nodes of the release before run on the result, and know nothing of it. */
  expand?: Step[]
  /** Removes what only releases before the last one have used. Nodes start without it. */
  contract?: Step[]
}

/**
 * A step of a migration. It is recorded when it is done, and may run again if its process was killed in the middle.
 */
export type Step = StatementStep | IndexStep | BackfillStep

/**
 * A statement that takes a moment however many rows there are: it runs in a transaction of its own, and gives up its
 * place in the queue for a lock each half second, so that nobody waits behind it for longer.
 */
export interface StatementStep {
  sql: string
}

/** Builds an index while others write. */
export interface IndexStep {
  /** The name of the index. */
  index: string
  /** `contacts (bot_id, phone)`, with anything that may follow. */
  on: string
  unique?: boolean
}

/** Sets columns in all rows of a table, in small batches while others write. */
export interface BackfillStep {
  /** The table. */
  backfill: string
  /** The columns of its primary key. */
  key: string[]
  /** `phone_key = lower(phone)` */
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
