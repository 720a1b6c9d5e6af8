import { createHash } from 'node:crypto'
import { type Row, type Table, tables } from '../rules/tables.ts'
import type { CopyOptions } from './copyDatabase.ts'
import { columnsOf, type OrganizationDatabase, type RowReader, TakenError } from './organizationDatabase.ts'
import { addTo } from './rows.ts'

export interface OrganizationMove {
  organizationId: string
  from: OrganizationDatabase
  to: OrganizationDatabase
}

/** For how long a copy that was killed keeps the organization closed. */
const defaultLeaseMs = 60_000

/**
 * Copies an organization with all that belongs to it, completely or not at all, and reads each row back. From the
 * beginning on it takes no writes; afterwards neither database takes any until `finishMove` or `abandonMove`. Resolves to
 * the number of rows.
 */
export async function copyOrganization(
  { organizationId, from, to }: OrganizationMove,
  { onProgress, leaseMs = defaultLeaseMs }: Pick<CopyOptions, 'onProgress'> & { leaseMs?: number },
): Promise<number> {
  await requireOpen({ organizationId, from, to })
  await to.begin(organizationId, 'arriving')
  let renewAt = performance.now() + leaseMs / 4
  async function renew(): Promise<void> {
    if (performance.now() < renewAt) return
    renewAt = performance.now() + leaseMs / 4
    if (!(await from.advance(organizationId, 'copying', 'copying', { leaseMs }))) throw new LapsedError(from.name)
  }
  try {
    await from.begin(organizationId, 'copying', leaseMs)
    return await from.read(organizationId, reader =>
      to.write(organizationId, async writer => {
        let sum = 0
        for (const table of tables) {
          const total = await reader.count(table)
          const columns = columnsOf(table)
          const hash = createHash('sha256')
          let copied = 0
          for await (const batch of reader.batches(table)) {
            const rows = batch.map(writer.toStored)
            refuseDevelopment(table, rows)
            await writer.insert(table, rows).catch(error => explain(error, table, to))
            for (const row of rows) addTo(hash, columns, row)
            copied += rows.length
            onProgress({ table: table.name, copied, total })
            await renew()
          }
          const there = await checksumOf(writer, table, renew)
          if (there.count !== total || there.checksum !== hash.digest('hex'))
            throw new Error(
              `What stands in ${table.name} is not what was copied: ${there.count} of ${total} rows. Nothing was kept.`,
            )
          sum += total
        }
        await writer.setState('arrived')
        // The last moment before the commit: from now on the organization does not open by itself.
        const isClosed = await from.advance(organizationId, 'copying', 'copied', { marginMs: leaseMs / 4 })
        if (!isClosed) throw new LapsedError(from.name)
        return sum
      }),
    )
  } catch (error) {
    // Should these fail, too, "copying" lapses, and the next try replaces "arriving".
    await from.cancel(organizationId).catch(() => {})
    const move = await to.findMove(organizationId).catch(() => undefined)
    if (move?.state === 'arriving') await to.cancel(organizationId).catch(() => {})
    throw error
  }
}

/** Opens the organization in its new database, and deletes it in the old one. Goes on where a run was killed. */
export async function finishMove(
  { organizationId, from, to }: OrganizationMove,
  onProgress: (deleted: number) => void,
): Promise<void> {
  const move = await from.findMove(organizationId)
  if (move?.state !== 'copied' && move?.state !== 'leaving')
    throw new Error(`${from.name} holds no organization ${organizationId} that was copied. Copy it first.`)
  const there = await to.findMove(organizationId)
  const hasArrived = (await to.hasOrganization(organizationId)) && (there === undefined || there.state === 'arrived')
  // Without a state there, an earlier run has opened it.
  if (!hasArrived || (there === undefined && move.state === 'copied'))
    throw new Error(`${to.name} holds no copy of the organization ${organizationId}. Nothing was changed.`)
  await from.begin(organizationId, 'leaving')
  await to.end(organizationId)
  await from.deleteRows(organizationId, onProgress)
  await from.end(organizationId)
}

/** Deletes the copy, and opens the organization where it was. */
export async function abandonMove(
  { organizationId, from, to }: OrganizationMove,
  onProgress: (deleted: number) => void,
): Promise<void> {
  const move = await from.findMove(organizationId)
  if (move?.state === 'leaving')
    throw new Error(`The organization ${organizationId} is open in its new database already. Run --finish to the end.`)
  if (move?.state === 'arriving' || move?.state === 'arrived')
    throw new Error(`The organization ${organizationId} has come to ${from.name}: it is named by --to, then.`)
  if (!(await from.hasOrganization(organizationId)))
    throw new Error(`${from.name} holds no organization ${organizationId}.`)
  const there = await to.findMove(organizationId)
  if (there && !['arriving', 'arrived', 'leaving'].includes(there.state))
    throw new Error(`The organization ${organizationId} is on its way from ${to.name}: that is the one of --from.`)
  if (there) {
    await to.begin(organizationId, 'leaving')
    await to.deleteRows(organizationId, onProgress)
    await to.end(organizationId)
  }
  if (move) await from.end(organizationId)
}

/** Throws if the organization is on its way already, or is in the new database. */
async function requireOpen({ organizationId, from, to }: OrganizationMove): Promise<void> {
  if (!(await from.hasOrganization(organizationId)))
    throw new Error(`${from.name} holds no organization ${organizationId}. "natter org list" shows those it holds.`)
  const move = await from.findMove(organizationId)
  if (move && !move.hasLapsed)
    throw new Error(
      move.state === 'copying'
        ? `The organization ${organizationId} is being copied, or such a run was killed less than a minute ago. Try again in a minute.`
        : `The organization ${organizationId} is copied already. End that with --finish or --abandon first.`,
    )
  const there = await to.findMove(organizationId)
  if (there && there.state !== 'arriving')
    throw new Error(`${to.name} holds a copy of an earlier run. Delete it with --abandon first.`)
  if (await to.hasOrganization(organizationId))
    throw new Error(`${to.name} holds an organization ${organizationId} already. Nothing was copied.`)
}

async function checksumOf(
  reader: RowReader,
  table: Table,
  renew: () => Promise<void>,
): Promise<{ count: number; checksum: string }> {
  const hash = createHash('sha256')
  const columns = columnsOf(table)
  let count = 0
  for await (const rows of reader.batches(table)) {
    for (const row of rows) addTo(hash, columns, row)
    count += rows.length
    await renew()
  }
  return { count, checksum: hash.digest('hex') }
}

/** A server that starts without `--dev` ends these tokens, which an organization that takes no writes would prevent. */
function refuseDevelopment({ name }: Table, rows: Row[]): void {
  if (name !== 'organization_tokens' || !rows.some(row => row['dev'] === true && row['revoked_at'] === null)) return
  throw new Error('The organization has an open token of "natter serve --dev". Start the server once without --dev.')
}

function explain(error: unknown, { name }: Table, to: OrganizationDatabase): never {
  if (!(error instanceof TakenError)) throw error
  throw new Error(
    `${to.name} holds a row in ${name} with the id of one that is to be copied. Nothing was written, and the organization takes writes as before.`,
    { cause: error },
  )
}

class LapsedError extends Error {
  override readonly name = 'LapsedError'

  constructor(database: string) {
    super(
      `This run was stopped for so long that ${database} takes writes of the organization again. Nothing was kept; try again.`,
    )
  }
}
