import { randomUUID } from 'node:crypto'
import { closeSync, existsSync, openSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { defaultBatchSize } from '../moves/copyTables.ts'
import type { Move } from '../moves/move.ts'
import type { MoveDatabase } from '../moves/moveDatabase.ts'
import { ofOrganization } from '../moves/rowSelection.ts'
import { tables } from '../moves/tables.ts'
import { openDatabase, prepare } from './connection.ts'
import { createRowReader, createRowWriter, toNumbered } from './copiedRows.ts'
import { realPathOf, refuseFolder } from './folder.ts'
import { migrate } from './migrations.ts'
import { createGuards, dropUnusedGuards, nowMs } from './moveGuards.ts'

const busyTimeoutMs = 5_000

/** Opens a file, which is created if it does not exist. */
export function openSqliteMoveDatabase(path: string): MoveDatabase {
  refuseFolder(path)
  const file = realPathOf(path)
  // It contains names and messages.
  if (!existsSync(file)) closeSync(openSync(file, 'ax', 0o600))
  const open = () => openDatabase({ file, busyTimeoutMs, durable: true })
  const db = openMigrated(open)
  const runId = randomUUID()
  const organization = db.prepare('SELECT 1 FROM organizations WHERE id = ?')
  const moveOf = prepare<Move>(
    db,
    'SELECT state, reopens_at AS leaseEndsMs FROM organization_moves WHERE organization_id = ?',
  )
  const now = prepare<{ ms: number }>(db, `SELECT ${nowMs} AS ms`)

  function setState(target: DatabaseSync, organizationId: string, state: string, leaseMs?: number): void {
    target
      .prepare(
        `INSERT INTO organization_moves (organization_id, state, reopens_at, run_id) VALUES (?1, ?2, ${nowMs} + ?3, ?4)
         ON CONFLICT (organization_id) DO UPDATE SET state = ?2, reopens_at = excluded.reopens_at, run_id = ?4`,
      )
      .run(organizationId, state, leaseMs ?? null, runId)
  }

  function replaceCopying(organizationId: string, state: string, leaseMs?: number): boolean {
    const replaced = db
      .prepare(
        `UPDATE organization_moves SET state = ?2, reopens_at = ${nowMs} + ?3
         WHERE organization_id = ?1 AND state = 'copying' AND run_id = ?4 AND reopens_at > ${nowMs}`,
      )
      .run(organizationId, state, leaseMs ?? null, runId)
    return replaced.changes === 1
  }

  const removeState = (condition: string, ...values: string[]) =>
    inTransaction(db, () => {
      db.prepare(`DELETE FROM organization_moves WHERE ${condition}`).run(...values)
      dropUnusedGuards(db)
    })

  /** Rows have a connection of their own: states change during the transaction. */
  async function withConnection<Result>(begin: string, use: (data: DatabaseSync) => Promise<Result>): Promise<Result> {
    const data = open()
    try {
      data.exec(begin)
      const result = await use(data)
      data.exec('COMMIT')
      return result
    } finally {
      if (data.isTransaction) data.exec('ROLLBACK')
      data.close()
    }
  }

  return {
    name: path,
    async findHolding(organizationId) {
      return { hasOrganization: organization.get(organizationId) !== undefined, move: moveOf.get(organizationId) }
    },
    nowMs: async () => now.get()?.ms ?? Number.NaN,
    setState: async (organizationId, state, leaseMs) => setState(db, organizationId, state, leaseMs),
    // There is one writer at a time, so all earlier writes are over.
    guardTables: async () => inTransaction(db, () => createGuards(db)),
    renewLease: async (organizationId, leaseMs) => replaceCopying(organizationId, 'copying', leaseMs),
    endLease: async organizationId => replaceCopying(organizationId, 'copied'),
    removeState: async organizationId => removeState('organization_id = ?', organizationId),
    removeOwnState: async organizationId => removeState('organization_id = ? AND run_id = ?', organizationId, runId),
    read: (organizationId, use) =>
      withConnection('BEGIN', data => use(createRowReader(data, ofOrganization(organizationId)))),
    write: (organizationId, use) =>
      withConnection('BEGIN IMMEDIATE', async data => {
        const result = await use({
          ...createRowWriter(data, ofOrganization(organizationId)),
          async setState(state) {
            setState(data, organizationId, state)
            // With the state, in case a server has removed the guards of what it took for a killed run.
            createGuards(data)
          },
        })
        data
          .prepare(
            `UPDATE bots SET contact_count = (SELECT count(*) FROM contacts WHERE bot_id = bots.id)
             WHERE organization_id = ?`,
          )
          .run(organizationId)
        return result
      }),
    async deleteRows(organizationId, onProgress) {
      let deleted = 0
      for (const { name, key, ofOrganization: condition, batchSize = defaultBatchSize } of tables.toReversed()) {
        const some = db.prepare(
          `DELETE FROM ${name} WHERE (${key}) IN
             (SELECT ${key} FROM ${name} WHERE ${toNumbered(condition)} LIMIT ${batchSize})`,
        )
        for (let count = batchSize; count === batchSize; ) {
          count = Number(some.run(organizationId).changes)
          deleted += count
          if (count > 0) onProgress(deleted)
        }
      }
    },
    close: async () => db.close(),
  }
}

function openMigrated(open: () => DatabaseSync): DatabaseSync {
  const db = open()
  try {
    migrate(db)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

function inTransaction(db: DatabaseSync, run: () => void): void {
  db.exec('BEGIN IMMEDIATE')
  try {
    run()
    db.exec('COMMIT')
  } finally {
    if (db.isTransaction) db.exec('ROLLBACK')
  }
}
