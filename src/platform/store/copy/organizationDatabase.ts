import type { Move, MoveState } from '../rules/moves.ts'
import type { Row, Table } from '../rules/tables.ts'

/** A database that an organization leaves, or where it goes. */
export interface OrganizationDatabase {
  /** For messages: without user and password. */
  name: string
  hasOrganization(organizationId: string): Promise<boolean>
  findMove(organizationId: string): Promise<Move | undefined>
  /** Sets the state, in place of any other. Resolves when all writes that began before are over. */
  begin(organizationId: string, state: MoveState, leaseMs?: number): Promise<void>
  /**
   * Replaces the state, which `begin` of this object has set, by another. `false` if the organization has another state
   * than `from`, if another run has set it, or if it lapses within `marginMs`.
   */
  advance(
    organizationId: string,
    from: MoveState,
    to: MoveState,
    lease?: { leaseMs?: number; marginMs?: number },
  ): Promise<boolean>
  /** Removes the state: the organization takes writes. */
  end(organizationId: string): Promise<void>
  /** The same, unless another run has set the state. */
  cancel(organizationId: string): Promise<void>
  /** Runs with the rows of one moment. */
  read<Result>(organizationId: string, use: (rows: RowReader) => Promise<Result>): Promise<Result>
  /** Runs a transaction: all of it takes effect or nothing. */
  write<Result>(organizationId: string, use: (rows: RowWriter) => Promise<Result>): Promise<Result>
  /** Deletes the organization with all its rows, in batches, while others write. */
  deleteRows(organizationId: string, onProgress: (deleted: number) => void): Promise<void>
  close(): Promise<void>
}

export interface RowReader {
  count(table: Table): Promise<number>
  /** The organization's rows in the order of the table's key, as PostgreSQL's driver returns them. */
  batches(table: Table): AsyncIterable<Row[]>
}

export interface RowWriter extends RowReader {
  /** What a row becomes where the database cannot hold all of it. */
  toStored(row: Row): Row
  insert(table: Table, rows: Row[]): Promise<void>
  /** Sets the state within the transaction. */
  setState(state: MoveState): Promise<void>
}

export const batchSize = 1000

/** The columns to copy: the new database counts its running numbers itself. */
export const columnsOf = ({ columns, number }: Table): string[] => columns.filter(column => column !== number)

/** A row of the new database has the id of one that is copied. */
export class TakenError extends Error {
  override readonly name = 'TakenError'
}
