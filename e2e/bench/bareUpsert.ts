import { createId } from '../../src/platform/domain/ids.ts'
import { normalizeContact } from '../../src/platform/search/searchNormalization.ts'
import { openDatabase } from '../../src/platform/store/sqlite/connection.ts'
import type { Dataset } from './dataset.ts'

/** The baseline for upserts: one SQL transaction with a look-up and the rows of each entry, prepared before timing starts. */
export interface BareUpsert {
  /** Upserts a thousand new contacts and returns the milliseconds it took. */
  run(): number
  close(): void
}

const entries = 1000

export function createBareUpsert({ database, botId }: Dataset): BareUpsert {
  const db = openDatabase({ file: database, busyTimeoutMs: 5000, durable: true })
  const bot = db.prepare('SELECT number, organization_id AS organizationId FROM bots WHERE id = ?').get(botId)
  const { number, organizationId } = bot as { number: number; organizationId: string }
  const find = db.prepare('SELECT id FROM contacts WHERE organization_id = ? AND email_key = ?')
  const insert = db.prepare(
    `INSERT INTO contacts (id, organization_id, bot_id, email_key, name, email, phone, mid, wid, created_at, updated_at)
     VALUES ($id, $organizationId, $botId, $email, $name, $email, '', '', '', $at, $at) RETURNING number`,
  )
  const insertSearchDoc = db.prepare(
    'INSERT INTO contact_search_docs (bot, created_at, id, number, name, rest, digits) VALUES (?, ?, ?, ?, ?, ?, ?)',
  )
  const enqueueForIndex = db.prepare('INSERT INTO search_index_queue (bot, number) VALUES (?, ?)')
  let count = 0

  const prepare = () =>
    Array.from({ length: entries }, () => {
      const email = `mary.jackson.${process.pid}.${Date.now()}.${++count}@example.com`
      const fields = { id: createId(Date.now()), name: `Mary Jackson ${count}`, email }
      return { ...fields, text: normalizeContact({ ...fields, phone: '', mid: '', wid: '' }) }
    })
  const upsert = ({ text, ...fields }: ReturnType<typeof prepare>[number], at: string): void => {
    if (find.get(organizationId, fields.email))
      throw new Error(`A contact with the email ${fields.email} already exists.`)
    const stored = insert.get({ ...fields, organizationId, botId, at }) as { number: number }
    insertSearchDoc.run(number, at, fields.id, stored.number, text.name, text.rest, text.digits)
    enqueueForIndex.run(number, stored.number)
  }

  return {
    run() {
      const rows = prepare()
      const at = new Date().toISOString()
      const start = performance.now()
      db.exec('BEGIN IMMEDIATE')
      for (const row of rows) upsert(row, at)
      db.exec('COMMIT')
      const ms = performance.now() - start
      // Otherwise the platform would index these rows after its own next write, and that upsert would be measured too slow.
      db.exec('DELETE FROM search_index_queue')
      return ms
    },
    close: () => db.close(),
  }
}
