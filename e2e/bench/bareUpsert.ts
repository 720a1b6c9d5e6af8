import { createId } from '../../src/platform/domain/ids.ts'
import { insertContacts } from '../../src/platform/store/queries/contacts.ts'
import { createDatabase, openDatabase } from '../../src/platform/store/sqlite/connection.ts'
import { sqliteDialect } from '../../src/platform/store/sqlite/dialect.ts'
import type { Dataset } from './dataset.ts'

/** The baseline for upserts: one SQL transaction that looks up each entry's email and writes its row. */
export interface BareUpsert {
  /** Upserts a thousand new contacts and resolves to the milliseconds it took. */
  run(): Promise<number>
  close(): void
}

const entries = 1000

export function createBareUpsert({ database, botId }: Dataset): BareUpsert {
  const db = openDatabase({ file: database, busyTimeoutMs: 5000, durable: true })
  const queries = createDatabase(db)
  const bot = db.prepare('SELECT organization_id AS organizationId FROM bots WHERE id = ?').get(botId)
  const { organizationId } = bot as { organizationId: string }
  const find = db.prepare('SELECT id FROM contacts WHERE organization_id = ? AND email_key = ?')
  let count = 0

  return {
    async run() {
      const at = new Date().toISOString()
      const rows = Array.from({ length: entries }, () => {
        const email = `mary.jackson.${process.pid}.${Date.now()}.${++count}@example.com`
        const fields = { id: createId(Date.now()), name: `Mary Jackson ${count}`, email, emailKey: email }
        return { ...fields, phone: '', mid: '', wid: '', createdAt: at, updatedAt: at }
      })
      const start = performance.now()
      db.exec('BEGIN IMMEDIATE')
      for (const { email } of rows) if (find.get(organizationId, email)) throw new Error(`${email} exists already.`)
      await insertContacts(queries, sqliteDialect(), { organizationId, botId }, rows)
      db.exec('COMMIT')
      return performance.now() - start
    },
    close: () => db.close(),
  }
}
