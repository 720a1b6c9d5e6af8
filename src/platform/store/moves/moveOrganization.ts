import { monotonicMs } from '../deadline.ts'
import { type CopyProgress, copyTables, type RowReader } from './copyTables.ts'
import { decideMove, type MoveCommand, type MoveDecision, type MoveRefusal } from './decideMove.ts'
import { keepLease } from './keepLease.ts'
import { type MoveDatabase, RowExistsError } from './moveDatabase.ts'
import { ofOrganization } from './rowSelection.ts'
import type { Row, Table } from './tables.ts'

export interface OrganizationMove {
  organizationId: string
  from: MoveDatabase
  to: MoveDatabase
}

export interface CopyOptions {
  /** Called after each batch of a table. */
  onProgress: (progress: CopyProgress) => void
  /** For how long a copy that was killed keeps the organization closed; default: a minute. */
  leaseMs?: number
}

const defaultLeaseMs = 60_000

/**
 * Copies an organization with all that belongs to it, completely or not at all, and reads each row back. From the
 * beginning on it takes no writes; afterwards neither database takes any until `finishMove` or `abandonMove`. Resolves to
 * the number of rows.
 */
export async function copyOrganization(
  move: OrganizationMove,
  { onProgress, leaseMs = defaultLeaseMs }: CopyOptions,
): Promise<number> {
  const { organizationId, from, to } = move
  await decide('copy', move)
  await to.setState(organizationId, 'arriving')
  await to.guardTables()
  const sinceMs = monotonicMs()
  await from.setState(organizationId, 'copying', leaseMs)
  const createLapsedError = () => new LapsedError(from.name)
  const lease = keepLease({
    leaseMs,
    sinceMs,
    renew: () => from.renewLease(organizationId, leaseMs),
    createLapsedError,
  })
  try {
    await from.guardTables()
    return await from.read(organizationId, reader =>
      to.write(organizationId, async writer => {
        const checked = checkBatches(reader, (table, rows) => {
          lease.requireHeld()
          refuseDevelopmentTokens(table, rows)
        })
        const count = await copyTables(checked, writer, ofOrganization(organizationId), onProgress)
        await writer.setState('arrived')
        lease.stop()
        // The last step before the commit: from now on the organization does not open by itself.
        const hasEnded = await from.endLease(organizationId)
        lease.requireHeld()
        if (!hasEnded) throw createLapsedError()
        return count
      }),
    )
  } catch (error) {
    // Should these fail, too, the lease ends, and the next copy replaces "arriving".
    await from.removeOwnState(organizationId).catch(() => {})
    const there = await to.findHolding(organizationId).catch(() => undefined)
    if (there?.move?.state === 'arriving') await to.removeOwnState(organizationId).catch(() => {})
    throw error instanceof RowExistsError ? explainExistingRow(error, to) : error
  } finally {
    lease.stop()
  }
}

/** Opens the organization in its new database, and deletes it in the old one. Continues what a killed run has begun. */
export async function finishMove(move: OrganizationMove, onProgress: (deleted: number) => void): Promise<void> {
  const { organizationId, from, to } = move
  await decide('finish', move)
  await from.setState(organizationId, 'leaving')
  await from.guardTables()
  await to.removeState(organizationId)
  await from.deleteRows(organizationId, onProgress)
  await from.removeState(organizationId)
}

/** Deletes the copy, and opens the organization where it was. Continues what a killed run has begun. */
export async function abandonMove(move: OrganizationMove, onProgress: (deleted: number) => void): Promise<void> {
  const { organizationId, from, to } = move
  const { deletesCopy } = await decide('abandon', move)
  if (deletesCopy) {
    await to.setState(organizationId, 'leaving')
    await to.guardTables()
    await to.deleteRows(organizationId, onProgress)
    await to.removeState(organizationId)
  }
  await from.removeState(organizationId)
}

/** Throws if the databases do not allow the command. */
async function decide<Command extends MoveCommand>(
  command: Command,
  { organizationId, from, to }: OrganizationMove,
): Promise<Extract<MoveDecision, { kind: Command }>> {
  const holdings = { from: await from.findHolding(organizationId), to: await to.findHolding(organizationId) }
  const decision = decideMove(command, holdings, await from.nowMs())
  if (decision.kind === 'refuse') throw new Error(refusalMessages[decision.reason](organizationId, from.name, to.name))
  return decision as Extract<MoveDecision, { kind: Command }>
}

const refusalMessages: Record<MoveRefusal, (organizationId: string, from: string, to: string) => string> = {
  from_lacks_organization: (id, from) => `${from} holds no organization ${id}. "natter org list" shows those it holds.`,
  copy_is_running: id =>
    `The organization ${id} is being copied, or such a run was killed less than a minute ago. Try again in a minute.`,
  copied_already: id => `The organization ${id} is copied already. End that with --finish or --abandon first.`,
  to_holds_earlier_copy: (_, __, to) => `${to} holds a copy of an earlier run. Delete it with --abandon first.`,
  to_holds_organization: (id, _, to) => `${to} holds an organization ${id} already. Nothing was copied.`,
  not_copied_yet: (id, from) =>
    `${from} holds no copied organization ${id}. Either its move is finished, which "natter org list" of the new database shows, or it was never copied.`,
  to_lacks_copy: (id, _, to) => `${to} holds no copy of the organization ${id}. Nothing was changed.`,
  finish_has_begun: id => `The organization ${id} is open in its new database already. Run --finish to the end.`,
  from_is_the_new_database: (id, from) => `The organization ${id} has come to ${from}: name that with --to.`,
  to_is_the_old_database: (id, _, to) => `The organization ${id} is on its way from ${to}: name that with --from.`,
}

/** A reader that calls `check` with each batch. */
const checkBatches = (reader: RowReader, check: (table: Table, rows: Row[]) => void): RowReader => ({
  count: reader.count,
  async *batches(table) {
    for await (const rows of reader.batches(table)) {
      check(table, rows)
      yield rows
    }
  },
})

/** A server that starts without `--dev` ends these tokens, which an organization that takes no writes would prevent. */
function refuseDevelopmentTokens({ name }: Table, rows: Row[]): void {
  if (name !== 'organization_tokens' || !rows.some(row => row['dev'] === true && row['revoked_at'] === null)) return
  throw new Error('The organization has an open token of "natter serve --dev". Start the server once without --dev.')
}

const explainExistingRow = (error: RowExistsError, to: MoveDatabase): Error =>
  new Error(
    `${to.name} holds a row in ${error.table} with the id of one that is to be copied. Nothing was written, and the organization takes writes as before.`,
    { cause: error },
  )

class LapsedError extends Error {
  override readonly name = 'LapsedError'

  constructor(database: string) {
    super(
      `This run was stopped for so long that ${database} takes writes of the organization again. Nothing was kept; try again.`,
    )
  }
}
