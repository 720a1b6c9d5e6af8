import { randomUUID } from 'node:crypto'
import { readAddress } from '../postgres/address.ts'
import type { Queries } from '../postgres/connection.ts'
import { connect } from '../postgres/connection.ts'
import { connectDirectly, type DirectConnection, lockMigrations } from '../postgres/directConnection.ts'
import { ensureSchema } from '../postgres/ensureSchema.ts'
import { retryLocks } from '../postgres/retryLocks.ts'
import { nowMs, postgresGuards } from '../rules/moves.ts'
import { type Row, type Table, tables } from '../rules/tables.ts'
import {
  batchSize,
  columnsOf,
  type OrganizationDatabase,
  type RowReader,
  type RowWriter,
  TakenError,
} from './organizationDatabase.ts'
import { columnsWithSearchTexts, toPostgres, withSearchTexts } from './rows.ts'

const application = 'natter copy'
const now = nowMs.postgres

/** One copy or migration at a time works on a database: the others wait. */
export async function openPostgresSide(url: string, onWait: (line: string) => void): Promise<OrganizationDatabase> {
  const { name } = readAddress(url)
  const store = await connect(url)
  await ensureSchema(store).finally(store.close)
  const runId = randomUUID()
  const db = await connectDirectly(url, application)
  await lockMigrations(db, () => onWait(`another command works on ${name}: waiting for it`))

  async function setState(queries: Queries, organizationId: string, state: string, leaseMs?: number): Promise<void> {
    await queries.all(
      `INSERT INTO organization_moves (organization_id, state, reopens_at, run_id) VALUES ($1, $2, ${now}::bigint + $3::bigint, $4)
       ON CONFLICT (organization_id) DO UPDATE SET state = $2, reopens_at = excluded.reopens_at, run_id = $4`,
      [organizationId, state, leaseMs ?? null, runId],
    )
  }

  /** Creates or drops the triggers of each table. Their lock waits until the writes that began before are over. */
  async function changeGuards(change: 'create' | 'drop', onWaiting?: () => unknown): Promise<void> {
    for (const guard of postgresGuards)
      await retryLocks(
        db,
        async () => {
          for (const sql of guard[change]) await db.all(sql)
        },
        () => {
          onWait(`still waiting for a lock of ${guard.table}; a long transaction or a vacuum has it`)
          return onWaiting?.()
        },
      )
  }

  async function removeState(condition: string, ...values: string[]): Promise<void> {
    await db.all(`DELETE FROM organization_moves WHERE ${condition}`, values)
    if (!(await db.one('SELECT state FROM organization_moves LIMIT 1'))) await changeGuards('drop')
  }

  /** Rows are read and written on a connection of their own: states change during the transaction. */
  async function withConnection<Result>(use: (data: DirectConnection) => Promise<Result>): Promise<Result> {
    const data = await connectDirectly(url, application)
    try {
      return await use(data)
    } finally {
      await data.close()
    }
  }

  const advance: OrganizationDatabase['advance'] = async (organizationId, from, to, { leaseMs, marginMs = 0 } = {}) => {
    const changed = await db.one(
      `UPDATE organization_moves SET state = $3, reopens_at = ${now}::bigint + $4::bigint
       WHERE organization_id = $1 AND state = $2 AND run_id = $6 AND (reopens_at IS NULL OR reopens_at > ${now} + $5::bigint)
       RETURNING state`,
      [organizationId, from, to, leaseMs ?? null, marginMs, runId],
    )
    return changed !== undefined
  }

  return {
    name,
    hasOrganization: async id => (await db.one('SELECT id FROM organizations WHERE id = $1', [id])) !== undefined,
    findMove: organizationId =>
      db.one(
        `SELECT state, reopens_at IS NOT NULL AND reopens_at <= ${now} AS "hasLapsed" FROM organization_moves
         WHERE organization_id = $1`,
        [organizationId],
      ),
    async begin(organizationId, state, leaseMs) {
      await setState(db, organizationId, state, leaseMs)
      const renew = leaseMs === undefined ? undefined : () => advance(organizationId, state, state, { leaseMs })
      await changeGuards('create', renew)
      if (renew && !(await renew()))
        throw new Error(`The tables of ${name} were in use for too long. Nothing was kept; try again.`)
    },
    advance,
    end: organizationId => removeState('organization_id = $1', organizationId),
    cancel: organizationId => removeState('organization_id = $1 AND run_id = $2', organizationId, runId),
    read: (organizationId, use) =>
      withConnection(data =>
        data.transact(() => use(readerOf(data, organizationId)), 'ISOLATION LEVEL REPEATABLE READ READ ONLY'),
      ),
    write: (organizationId, use) =>
      withConnection(data =>
        data.transact(() =>
          use({
            ...readerOf(data, organizationId),
            toStored: toPostgres,
            insert: (table, rows) => insert(data, table, rows),
            setState: state => setState(data, organizationId, state),
          } satisfies RowWriter),
        ),
      ),
    async deleteRows(organizationId, onProgress) {
      let deleted = 0
      for (const { name, key, ofOrganization } of tables.toReversed())
        for (let count = batchSize; count === batchSize; ) {
          const gone = await retryLocks(db, () =>
            db.all(
              `DELETE FROM ${name} WHERE (${key}) IN (SELECT ${key} FROM ${name} WHERE ${ofOrganization} LIMIT ${batchSize})
               RETURNING 1`,
              [organizationId],
            ),
          )
          count = gone.length
          deleted += count
          if (count > 0) onProgress(deleted)
        }
    },
    close: db.close,
  }
}

function readerOf(data: DirectConnection, organizationId: string): RowReader {
  return {
    async count({ name, ofOrganization }) {
      const sql = `SELECT count(*) AS count FROM ${name} WHERE ${ofOrganization}`
      return (await data.one<{ count: number }>(sql, [organizationId]))?.count ?? 0
    },
    async *batches(table) {
      const { name, key, ofOrganization } = table
      await data.all(
        `DECLARE rows_of_${name} CURSOR FOR
         SELECT ${columnsOf(table).join(', ')} FROM ${name} WHERE ${ofOrganization} ORDER BY ${key}`,
        [organizationId],
      )
      for (;;) {
        const rows = await data.all<Row>(`FETCH ${batchSize} FROM rows_of_${name}`)
        if (rows.length > 0) yield rows
        if (rows.length < batchSize) break
      }
      await data.all(`CLOSE rows_of_${name}`)
    },
  }
}

async function insert(data: DirectConnection, table: Table, rows: Row[]): Promise<void> {
  const { name } = table
  const names = columnsWithSearchTexts(table, columnsOf(table)).join(', ')
  const text = `INSERT INTO ${name} (${names}) SELECT ${names} FROM json_populate_recordset(NULL::${name}, $1)`
  try {
    await data.all(text, [JSON.stringify(rows.map(row => withSearchTexts(table, row)))])
  } catch (error) {
    // unique_violation
    if ((error as { code?: unknown }).code === '23505') throw new TakenError(String(error), { cause: error })
    throw error
  }
}
