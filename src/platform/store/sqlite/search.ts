import type { DatabaseSync } from 'node:sqlite'
import type { Contact } from '../../../contract/index.ts'
import type { Store } from '../store.ts'
import type { Sync } from './connection.ts'
import { contactColumns } from './contacts.ts'

export type SearchReads = Sync<Pick<Store, 'searchContacts'>>

export function searchReads(db: DatabaseSync): SearchReads {
  const bot = db.prepare('SELECT 1 FROM bots WHERE id = ? AND organization_id = ?')
  const matches = db.prepare(
    `SELECT number FROM contacts WHERE bot_id = ?1 AND (
       (?2 = '' AND ?3 = '') OR (?2 <> '' AND instr(name_text, ?2)) OR (?3 <> '' AND instr(rest_text, ?3))
       OR (?4 <> '' AND instr(digits_text, ?4)))
     ORDER BY created_at DESC, id DESC`,
  )
  const contact = db.prepare(`SELECT ${contactColumns} FROM contacts WHERE number = ?`)
  return {
    searchContacts({ organizationId, botId }, { text, digits = '', page, limit }) {
      if (!bot.get(botId, organizationId)) return 'not_found'
      const numbers = matches.all(botId, text.name, text.rest, digits).map(row => row['number'] as number)
      const last = Math.max(1, Math.ceil(numbers.length / limit))
      const start = (Math.min(page, last) - 1) * limit
      const rows = numbers.slice(start, start + limit).map(number => contact.get(number) as unknown as Contact)
      return { contacts: rows.map(row => ({ ...row })), total: numbers.length }
    },
  }
}
