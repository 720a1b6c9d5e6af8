/**
 * Where an organization is on its way to another database.
 *
 * | | in the database that it leaves | in the one where it goes |
 * |---|---|---|
 * | while it is copied | `copying` | `arriving` |
 * | after that | `copied` | `arrived` |
 * | after `--finish` | `leaving`, until its rows are deleted | none: it is open |
 * | after `--abandon` | none: it is open | `leaving`, until its rows are deleted |
 *
 * An organization with a state takes no writes. Only `arriving` lets rows be inserted: those of the copy.
 */
export type MoveState = 'copying' | 'copied' | 'arriving' | 'arrived' | 'leaving'

export interface Move {
  state: MoveState
  /**
   * When the lease of `copying` ends, in milliseconds since the epoch by the database's clock; `null` for other states. A
   * run that was killed does not renew its lease, so the organization takes writes again.
   */
  leaseEndsMs: number | null
}

/** Whether the state no longer counts: its lease has ended. */
export const hasLapsed = ({ leaseEndsMs }: Move, nowMs: number): boolean => leaseEndsMs !== null && leaseEndsMs <= nowMs
