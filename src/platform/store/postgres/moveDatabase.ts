import { randomUUID } from 'node:crypto'
import { defaultBatchSize } from '../moves/copyTables.ts'
import { guardedTables } from '../moves/guards.ts'
import type { Move } from '../moves/move.ts'
import type { MoveDatabase } from '../moves/moveDatabase.ts'
import { ofOrganization } from '../moves/rowSelection.ts'
import { type Table, tables } from '../moves/tables.ts'
import { readAddress } from './address.ts'
import type { Queries } from './connection.ts'
import { connectToCopy, copyApplication } from './connectToCopy.ts'
import { createRowReader, createRowWriter } from './copiedRows.ts'
import { connectDirectly, type DirectConnection } from './directConnection.ts'
import { createGuard, dropGuard, nowMs } from './moveGuards.ts'
import { retryLocks } from './retryLocks.ts'

export async function openPostgresMoveDatabase(url: string, onWait: (line: string) => void): Promise<MoveDatabase> {
  // Each statement here is a transaction by itself: a timer may send one while others are under way. What takes long has
  // a connection of its own.
  const db = await connectToCopy(url, onWait)
  const runId = randomUUID()

  async function setState(queries: Queries, organizationId: string, state: string, leaseMs?: number): Promise<void> {
    await queries.all(
      `INSERT INTO organization_moves (organization_id, state, reopens_at, run_id)
       VALUES ($1, $2, ${nowMs}::bigint + $3::bigint, $4)
       ON CONFLICT (organization_id) DO UPDATE SET state = $2, reopens_at = excluded.reopens_at, run_id = $4`,
      [organizationId, state, leaseMs ?? null, runId],
    )
  }

  async function replaceCopying(organizationId: string, state: string, leaseMs?: number): Promise<boolean> {
    const replaced = await db.one(
      `UPDATE organization_moves SET state = $2, reopens_at = ${nowMs}::bigint + $3::bigint
       WHERE organization_id = $1 AND state = 'copying' AND run_id = $4 AND reopens_at > ${nowMs} RETURNING state`,
      [organizationId, state, leaseMs ?? null, runId],
    )
    return replaced !== undefined
  }

  async function removeState(condition: string, ...values: string[]): Promise<void> {
    await db.all(`DELETE FROM organization_moves WHERE ${condition}`, values)
    if (!(await db.one('SELECT state FROM organization_moves LIMIT 1'))) await changeGuards(dropGuard)
  }

  /** Changes the triggers of each table. Their lock waits until the writes that began before are over. */
  function changeGuards(statementsOf: typeof createGuard): Promise<void> {
    return withConnection(async data => {
      const named = await data.one<{ schema: string }>('SELECT quote_ident(current_schema()) AS schema')
      for (const table of guardedTables)
        await retryLocks(
          data,
          async () => {
            for (const sql of statementsOf(table, named?.schema ?? '')) await data.all(sql)
          },
          () => onWait(`still waiting for a lock of ${table.name}; a long transaction or a vacuum has it`),
        )
    })
  }

  async function withConnection<Result>(use: (data: DirectConnection) => Promise<Result>): Promise<Result> {
    const data = await connectDirectly(url, copyApplication)
    try {
      return await use(data)
    } finally {
      await data.close()
    }
  }

  type DeletedRows = Pick<Table, 'name' | 'key' | 'batchSize'> & { condition: string }

  /** Deletes the rows of a table in batches. */
  async function deleteFrom(
    data: DirectConnection,
    { name, key, condition, batchSize = defaultBatchSize }: DeletedRows,
    organizationId: string,
    onDeleted: (count: number) => void,
  ): Promise<void> {
    const sql = `DELETE FROM ${name} WHERE (${key}) IN (SELECT ${key} FROM ${name} WHERE ${condition} LIMIT ${batchSize})
      RETURNING 1`
    for (let count = batchSize; count === batchSize; ) {
      count = (await retryLocks(data, () => data.all(sql, [organizationId]))).length
      if (count > 0) onDeleted(count)
    }
  }

  return {
    name: readAddress(url).name,
    async findHolding(organizationId) {
      const found = await db.one('SELECT id FROM organizations WHERE id = $1', [organizationId])
      const move = await db.one<Move>(
        'SELECT state, reopens_at AS "leaseEndsMs" FROM organization_moves WHERE organization_id = $1',
        [organizationId],
      )
      return { hasOrganization: found !== undefined, move }
    },
    nowMs: async () => (await db.one<{ ms: number }>(`SELECT ${nowMs}::bigint AS ms`))?.ms ?? Number.NaN,
    setState: (organizationId, state, leaseMs) => setState(db, organizationId, state, leaseMs),
    guardTables: () => changeGuards(createGuard),
    renewLease: (organizationId, leaseMs) => replaceCopying(organizationId, 'copying', leaseMs),
    endLease: organizationId => replaceCopying(organizationId, 'copied'),
    removeState: organizationId => removeState('organization_id = $1', organizationId),
    removeOwnState: organizationId => removeState('organization_id = $1 AND run_id = $2', organizationId, runId),
    read: (organizationId, use) =>
      withConnection(data =>
        data.transact(
          () => use(createRowReader(data, ofOrganization(organizationId))),
          'ISOLATION LEVEL REPEATABLE READ READ ONLY',
        ),
      ),
    write: (organizationId, use) =>
      withConnection(data =>
        data.transact(() =>
          use({
            ...createRowWriter(data, ofOrganization(organizationId)),
            setState: state => setState(data, organizationId, state),
          }),
        ),
      ),
    deleteRows: (organizationId, onProgress) =>
      withConnection(async data => {
        let deleted = 0
        const onDeleted = (count: number) => {
          deleted += count
          onProgress(deleted)
        }
        for (const { name, key, ofOrganization: condition, batchSize } of tables.toReversed()) {
          // Deleting contacts changes the counts of their bot, and nothing deletes these.
          if (name === 'bots') await deleteFrom(data, contactCounts, organizationId, () => {})
          await deleteFrom(data, { name, key, condition, ...(batchSize && { batchSize }) }, organizationId, onDeleted)
        }
      }),
    close: db.close,
  }
}

const contactCounts = {
  name: 'contact_counts',
  key: 'bot_id, number',
  condition: 'bot_id IN (SELECT id FROM bots WHERE organization_id = $1)',
}
