import type { mapInSlices } from '../mapInSlices.ts'
import type { BotScope } from './store.ts'

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
  /** Runs one statement that writes, in a transaction of its own. On SQLite `writer.ts` begins and commits it. */
  write<Row extends object>(text: string, values?: unknown[]): Promise<Row[]>
  /**
   * Runs a transaction, and repeats it after a conflict; `attempt` counts from 1. `run` must have no effects outside the
   * transaction. What is not committed by the deadline is rolled back. On SQLite `writer.ts` does all this, for several calls
   * at once, and there are no conflicts. `isSnapshot`: read-only, and all reads see one snapshot.
   */
  transact<Result>(
    run: (tx: Queries, attempt: number) => Promise<Result>,
    options?: { isSnapshot?: boolean },
  ): Promise<Result>
}

/** A condition that a statement selects: SQLite has no booleans. */
export type Flag = boolean | 0 | 1

/** The value of a JSON column. */
export function parseJson<Value>(text: string): Value
export function parseJson<Value>(text: string | null): Value | null
export function parseJson<Value>(text: string | null): Value | null {
  return text === null ? null : (JSON.parse(text) as Value)
}

/** What an engine does in its own way. */
export interface Dialect {
  /**
   * Maps many items. In slices on PostgreSQL, where other requests would wait; not on SQLite, where nothing may come between
   * two statements of a transaction.
   */
  map: typeof mapInSlices
  /**
   * Locks the assignment of emails to the contacts of an organization. Upserts (`shared`) lock contacts in the order of
   * their emails. If emails changed meanwhile, two upserts could lock contacts in different orders and deadlock, so a
   * change of an email (`exclusive`) waits for the upserts, and they wait for it.
   */
  lockEmails(tx: Queries, scope: BotScope, mode: 'shared' | 'exclusive'): Promise<void>
  limits: StoreLimits
  search: SearchDialect
}

/** How much a step of the store does. */
export const defaultStoreLimits = {
  /** How many matches of a search are counted. Its pages end there; its list continues. */
  maxCounted: 10_000,
  /** How many contacts a step of a list compares one by one. */
  step: 20_000,
  /** The contacts of a bot with at most so many are always compared one by one. */
  scanned: 10_000,
  /** Reading one contact that the index has found costs as much as comparing so many in their order. */
  rowsPerLookup: 10,
  /** How many messages a search reads at most that the index has found. */
  messagesPerSearch: 2_000,
  /** How many contacts that a search has found are looked up one by one for their conversations. */
  contactsPerSearch: 1_000,
  /** How many rows of each kind a transaction purges or erases, so that others do not wait for long. */
  rowsPerErasure: 500,
  /** How many conversations with unread messages a transaction reports. */
  noticesPerStep: 200,
}
export type StoreLimits = typeof defaultStoreLimits

export interface SearchDialect {
  /** The condition that a column contains a form of a word, given as `toValue` returns it. */
  contains(column: string, value: string): string
  /** A condition that ends the statement at the deadline of its call. `number` is that of the row. */
  isInTime(number: string): string
  toValue(form: string): string
  /**
   * Asks the index for contacts that may have all these words, each in one of its forms. Resolves to `undefined` if comparing
   * the bot's contacts one by one is faster. `size` is their number.
   */
  lookUp(tx: Queries, words: string[][], size: number): Promise<ContactSource | undefined>
  /**
   * Asks the index for the latest messages of these bots that may have all these words, each of at least three characters: their
   * numbers in `message_texts`, descending.
   */
  lookUpMessages(
    tx: Queries,
    words: string[],
    range: { botIds: string[]; before: number; limit: number },
  ): Promise<number[]>
}

/** Contacts to compare with the words of a search. */
export interface ContactSource {
  /** What stands after FROM. `value` is the placeholder of the value. */
  from(value: string): string
  value?: unknown
}

/** Another transaction has written the same data. Repeating this one will find it. */
export class ConflictRetryError extends Error {
  override readonly name = 'ConflictRetryError'
}
