import type { DatabaseSync } from 'node:sqlite'
import { normalizeContact } from '../../search/searchNormalization.ts'
import type { ContactRows } from '../database.ts'
import { prepare } from './connection.ts'

/** Writes contacts and what searches read of them. */
export function createContactRows(db: DatabaseSync): ContactRows {
  const bot = prepare<{ number: number }>(db, 'SELECT number FROM bots WHERE id = ?')
  const insert = db.prepare(
    `INSERT INTO contacts (id, organization_id, bot_id, email_key, name, email, phone, mid, wid, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (organization_id, email_key) DO NOTHING`,
  )
  const addToCount = db.prepare('UPDATE bots SET contact_count = contact_count + ? WHERE number = ?')
  const update = db.prepare(
    'UPDATE contacts SET email_key = ?, name = ?, email = ?, phone = ?, mid = ?, wid = ?, updated_at = ? WHERE id = ?',
  )
  const insertSearchDoc = db.prepare(
    `INSERT INTO contact_search_docs (bot, created_at, id, number, name, rest, digits) VALUES (?, ?, ?, ?, ?, ?, ?)`,
  )
  const ofContact = `(bot, created_at, id) =
    (SELECT b.number, c.created_at, c.id FROM contacts c JOIN bots b ON b.id = c.bot_id WHERE c.id = ?)`
  // A trigger would be slower: SQLite would copy each page before each row.
  const queueNew = db.prepare('INSERT OR IGNORE INTO search_index_queue (bot, number) VALUES (?, ?)')
  // Ignores later changes of a contact: the queue must keep the text that the index holds. Synchronization jobs send the
  // same contacts over and over: those need not be indexed again.
  const isChanged = '(name, rest, digits) <> (?, ?, ?)'
  const queueChanged = db.prepare(
    `INSERT OR IGNORE INTO search_index_queue (bot, number, name, rest, digits)
     SELECT bot, number, name, rest, digits FROM contact_search_docs WHERE ${ofContact} AND ${isChanged}`,
  )
  const updateSearchDoc = db.prepare(
    `UPDATE contact_search_docs SET name = ?, rest = ?, digits = ? WHERE ${ofContact} AND ${isChanged}`,
  )

  return {
    async insert(_, { organizationId, botId }, rows) {
      const number = bot.get(botId)?.number ?? 0
      let inserted = 0
      for (const { id, emailKey, name, email, phone, mid, wid, createdAt, updatedAt } of rows) {
        const fields = [emailKey, name, email, phone, mid, wid, createdAt, updatedAt]
        const { changes, lastInsertRowid } = insert.run(id, organizationId, botId, ...fields)
        if (changes === 0) continue
        const text = normalizeContact({ id, name, email, phone, mid, wid })
        insertSearchDoc.run(number, createdAt, id, lastInsertRowid, text.name, text.rest, text.digits)
        queueNew.run(number, lastInsertRowid)
        inserted++
      }
      addToCount.run(inserted, number)
      return inserted
    },
    async update(_, __, rows) {
      for (const { id, emailKey, name, email, phone, mid, wid, updatedAt } of rows) {
        update.run(emailKey, name, email, phone, mid, wid, updatedAt, id)
        const text = normalizeContact({ id, name, email, phone, mid, wid })
        const values = [text.name, text.rest, text.digits]
        queueChanged.run(id, ...values)
        updateSearchDoc.run(...values, id, ...values)
      }
    },
    async lockEmails() {},
  }
}
