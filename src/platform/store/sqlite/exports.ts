import type { DatabaseSync } from 'node:sqlite'
import type { EndReason } from '../../../contract/index.ts'
import type { Store } from '../store.ts'
import type { Sync } from './connection.ts'
import { contactReads } from './contacts.ts'
import { messageColumns, toMessage } from './messages.ts'

export type ExportReads = Sync<Pick<Store, 'exportContact'>>

export function exportReads(db: DatabaseSync): ExportReads {
  const { findContact } = contactReads(db)
  const sessions = db.prepare(
    `SELECT created_at AS createdAt, expires_at AS expiresAt, end_reason AS reason, ended_at AS at FROM sessions
     WHERE contact_id = ? ORDER BY created_at, hash`,
  )
  const messages = db.prepare(
    `SELECT ${messageColumns} FROM messages
     WHERE conversation_id = (SELECT id FROM conversations WHERE contact_id = ?) ORDER BY seq`,
  )
  return {
    exportContact(scope) {
      const contact = findContact(scope)
      if (!contact) return null
      const rows = sessions.all(contact.id) as unknown as SessionRecord[]
      return {
        contact,
        sessions: rows.map(({ createdAt, expiresAt, reason, at }) => {
          return { createdAt, expiresAt, ended: reason === null ? null : { reason, at } }
        }),
        messages: messages.all(contact.id).map(toMessage),
      }
    },
  }
}

interface SessionRecord {
  createdAt: string
  expiresAt: string
  reason: EndReason | null
  at: string
}
