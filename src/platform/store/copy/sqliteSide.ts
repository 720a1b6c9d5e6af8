import { randomUUID } from 'node:crypto'
import { closeSync, existsSync, openSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { normalizeContact } from '../../search/searchNormalization.ts'
import { nowMs, sqliteGuards } from '../rules/moves.ts'
import { type Row, type Table, tables } from '../rules/tables.ts'
import { openDatabase } from '../sqlite/connection.ts'
import { realPathOf, refuseFolder } from '../sqlite/folder.ts'
import { migrate } from '../sqlite/migrations.ts'
import { batchSize, columnsOf, type OrganizationDatabase, type RowReader, TakenError } from './organizationDatabase.ts'
import { fromFile, toFile } from './rows.ts'

const now = `CAST(${nowMs.sqlite} AS INTEGER)`

/** Opens a file, which is made if it does not exist. */
export function openSqliteSide(path: string): OrganizationDatabase {
  refuseFolder(path)
  const file = realPathOf(path)
  // It contains names and messages.
  if (!existsSync(file)) closeSync(openSync(file, 'ax', 0o600))
  const open = () => openDatabase({ file, busyTimeoutMs: 5000, durable: true })
  const db = open()
  migrate(db)
  const runId = randomUUID()

  function setState(target: DatabaseSync, organizationId: string, state: string, leaseMs?: number): void {
    target
      .prepare(
        `INSERT INTO organization_moves (organization_id, state, reopens_at, run_id) VALUES (?1, ?2, ${now} + ?3, ?4)
         ON CONFLICT (organization_id) DO UPDATE SET state = ?2, reopens_at = excluded.reopens_at, run_id = ?4`,
      )
      .run(organizationId, state, leaseMs ?? null, runId)
  }

  const removeState = (condition: string, ...values: string[]) =>
    inTransaction(db, () => {
      db.prepare(`DELETE FROM organization_moves WHERE ${condition}`).run(...values)
      if (db.prepare('SELECT 1 FROM organization_moves').get()) return
      for (const { drop } of sqliteGuards) for (const sql of drop) db.exec(sql)
    })

  /** Rows are read and written on a connection of their own: states change during the transaction. */
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
    hasOrganization: async id => db.prepare('SELECT 1 FROM organizations WHERE id = ?').get(id) !== undefined,
    async findMove(organizationId) {
      const row = db
        .prepare(
          `SELECT state, reopens_at IS NOT NULL AND reopens_at <= ${now} AS hasLapsed FROM organization_moves
           WHERE organization_id = ?`,
        )
        .get(organizationId)
      return row && ({ state: row['state'], hasLapsed: row['hasLapsed'] === 1 } as never)
    },
    // There is one writer at a time, so all earlier writes are over.
    begin: async (organizationId, state, leaseMs) =>
      inTransaction(db, () => {
        setState(db, organizationId, state, leaseMs)
        for (const { create } of sqliteGuards) for (const sql of create) db.exec(sql)
      }),
    async advance(organizationId, from, to, { leaseMs, marginMs = 0 } = {}) {
      const changed = db
        .prepare(
          `UPDATE organization_moves SET state = ?3, reopens_at = ${now} + ?4
           WHERE organization_id = ?1 AND state = ?2 AND run_id = ?6 AND (reopens_at IS NULL OR reopens_at > ${now} + ?5)`,
        )
        .run(organizationId, from, to, leaseMs ?? null, marginMs, runId)
      return changed.changes === 1
    },
    end: async organizationId => removeState('organization_id = ?', organizationId),
    cancel: async organizationId => removeState('organization_id = ? AND run_id = ?', organizationId, runId),
    read: (organizationId, use) => withConnection('BEGIN', data => use(readerOf(data, organizationId))),
    write: (organizationId, use) =>
      withConnection('BEGIN IMMEDIATE', async data => {
        const result = await use({
          ...readerOf(data, organizationId),
          toStored: row => row,
          insert: async (table, rows) => insert(data, table, rows),
          setState: async state => setState(data, organizationId, state),
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
      for (const { name, key, ofOrganization } of tables.toReversed()) {
        const some = db.prepare(
          `DELETE FROM ${name} WHERE (${key}) IN
             (SELECT ${key} FROM ${name} WHERE ${positional(ofOrganization)} LIMIT ${batchSize})`,
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

/** SQLite's form of `$1`. */
const positional = (sql: string): string => sql.replaceAll('$1', '?1')

function inTransaction(db: DatabaseSync, run: () => void): void {
  db.exec('BEGIN IMMEDIATE')
  try {
    run()
    db.exec('COMMIT')
  } finally {
    if (db.isTransaction) db.exec('ROLLBACK')
  }
}

function readerOf(data: DatabaseSync, organizationId: string): RowReader {
  const select = (what: string, { name, ofOrganization }: Table, rest = '') =>
    data.prepare(`SELECT ${what} FROM ${name} WHERE ${positional(ofOrganization)} ${rest}`)
  return {
    count: async table => Number(select('count(*) AS count', table).get(organizationId)?.['count']),
    async *batches(table) {
      let batch: Row[] = []
      const rows = select(columnsOf(table).join(', '), table, `ORDER BY ${table.key}`)
      for (const record of rows.iterate(organizationId)) {
        if (batch.push(fromFile(table, record)) < batchSize) continue
        yield batch
        batch = []
      }
      if (batch.length > 0) yield batch
    },
  }
}

function insert(data: DatabaseSync, table: Table, rows: Row[]): void {
  const columns = columnsOf(table)
  const places = columns.map(() => '?').join(', ')
  const statement = data.prepare(`INSERT INTO ${table.name} (${columns.join(', ')}) VALUES (${places})`)
  const doc = data.prepare(
    `INSERT INTO contact_search_docs (bot, created_at, id, number, name, rest, digits)
     SELECT number, ?, ?, ?, ?, ?, ? FROM bots WHERE id = ?`,
  )
  // The server that opens the file next indexes them. A number of a deleted contact may come again, while its text is
  // still to be removed.
  const queue = data.prepare(
    'INSERT OR IGNORE INTO search_index_queue (bot, number) SELECT bots.number, ? FROM bots WHERE id = ?',
  )
  try {
    for (const row of rows) {
      const { lastInsertRowid: number } = statement.run(...toFile(table, columns, row))
      if (table.name !== 'contacts') continue
      const contact = row as Record<'id' | 'name' | 'email' | 'phone' | 'mid' | 'wid' | 'created_at' | 'bot_id', string>
      const { name, rest, digits } = normalizeContact(contact)
      doc.run(contact.created_at, contact.id, number, name, rest, digits, contact.bot_id)
      queue.run(number, contact.bot_id)
    }
  } catch (error) {
    // SQLITE_CONSTRAINT_PRIMARYKEY, SQLITE_CONSTRAINT_UNIQUE
    if ([1555, 2067].includes((error as { errcode?: number }).errcode ?? 0))
      throw new TakenError(String(error), { cause: error })
    throw error
  }
}
