import type { BotScope, ContactRow } from './store.ts'

/**
 * Runs statements with values for `$1`, `$2` and so on. They are written for PostgreSQL; `sqlite/toSqlite.ts` translates
 * what SQLite says in another way. JSON columns hold texts in both.
 */
export interface Queries {
  all<Row extends object>(text: string, values?: unknown[]): Promise<Row[]>
  one<Row extends object>(text: string, values?: unknown[]): Promise<Row | undefined>
}

/** `all` and `one` are for reads: each runs one statement by itself, which may still run after the caller has its answer. */
export interface Database extends Queries {
  /** Runs one statement that writes, in a transaction of its own. */
  write<Row extends object>(text: string, values?: unknown[]): Promise<Row[]>
  /**
   * Runs a transaction, and repeats it after a conflict; `attempt` counts from 1. `run` must have no effects outside the
   * transaction. What is not committed by the deadline is rolled back.
   */
  transact<Result>(
    run: (tx: Queries, attempt: number) => Promise<Result>,
    options?: TransactionOptions,
  ): Promise<Result>
}

export interface TransactionOptions {
  /** Read-only, and all reads see one snapshot. */
  isSnapshot?: boolean
  /** Whether it takes longer than ordinary calls: its time limit is six times theirs, unless the call has a deadline. */
  isLong?: boolean
  /** Whether it keeps the engine busy, so that few of its kind may run at the same time. */
  isLarge?: boolean
}

/** A condition that a statement selects: SQLite has no booleans. */
export type Flag = boolean | 0 | 1

/** The value of a JSON column. */
export function parseJson<Value>(text: string): Value
export function parseJson<Value>(text: string | null): Value | null
export function parseJson<Value>(text: string | null): Value | null {
  return text === null ? null : (JSON.parse(text) as Value)
}

/** How an engine writes contacts, with what its search reads of them. */
export interface ContactRows {
  /** Inserts the contacts whose email is free. Resolves to how many those are. */
  insert(tx: Queries, scope: BotScope, rows: ContactRow[]): Promise<number>
  /** Updates contacts of the bot, which the caller has locked. */
  update(tx: Queries, scope: BotScope, rows: ContactRow[]): Promise<void>
  /**
   * Locks the assignment of emails to the contacts of an organization. Upserts (`shared`) lock contacts in the order of
   * their emails. If emails changed meanwhile, two upserts could lock contacts in different orders and deadlock, so a
   * change of an email (`exclusive`) waits for the upserts, and they wait for it.
   */
  lockEmails(tx: Queries, scope: BotScope, mode: 'shared' | 'exclusive'): Promise<void>
}

/** Another transaction has written the same data. Repeating this one will find it. */
export class ConflictRetryError extends Error {
  override readonly name = 'ConflictRetryError'
}
