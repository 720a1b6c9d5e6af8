import type { RowReader, RowWriter } from './copyTables.ts'
import type { Holding } from './decideMove.ts'
import type { MoveState } from './move.ts'

/** A database that an organization leaves, or where it goes. A run of the command opens one for each of the two. */
export interface MoveDatabase {
  /** For messages: without user and password. */
  name: string
  /** What it holds of the organization. */
  findHolding(organizationId: string): Promise<Holding>
  /** The database's time in milliseconds since the epoch. */
  nowMs(): Promise<number>
  /** Sets the state, in place of any other. It lapses after `leaseMs`; default: never. */
  setState(organizationId: string, state: MoveState, leaseMs?: number): Promise<void>
  /** Refuses the writes of organizations with a state. Resolves when all writes that began before are over. */
  guardTables(): Promise<void>
  /** Extends the lease of `copying`. `false` if it has ended, or if another run has set the state. */
  renewLease(organizationId: string, leaseMs: number): Promise<boolean>
  /** Replaces `copying` by `copied`, which does not lapse. `false` as above. */
  endLease(organizationId: string): Promise<boolean>
  /** Removes the state: the organization takes writes. */
  removeState(organizationId: string): Promise<void>
  /** The same, unless another run has set the state. */
  removeOwnState(organizationId: string): Promise<void>
  /** Reads the organization's rows of one moment. */
  read<Result>(organizationId: string, use: (reader: RowReader) => Promise<Result>): Promise<Result>
  /** Writes the organization's rows in a transaction: all of it takes effect or nothing. */
  write<Result>(organizationId: string, use: (writer: OrganizationWriter) => Promise<Result>): Promise<Result>
  /** Deletes the organization with all its rows, in batches, while others write. */
  deleteRows(organizationId: string, onProgress: (deleted: number) => void): Promise<void>
  close(): Promise<void>
}

export interface OrganizationWriter extends RowWriter {
  /** Sets the state within the transaction. */
  setState(state: MoveState): Promise<void>
}

/** A row of the new database has the id of one that is copied. */
export class RowExistsError extends Error {
  override readonly name = 'RowExistsError'
  readonly table: string

  constructor(table: string, cause: unknown) {
    super(`A row in ${table} has the id of one that is copied.`, { cause })
    this.table = table
  }
}
