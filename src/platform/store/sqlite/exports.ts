import type { DatabaseSync } from 'node:sqlite'
import { messageColumns } from '../rules/messageColumns.ts'
import { type ExportedSessionRecord, toExportedSession } from '../rules/sessions.ts'
import type { ContactStore } from '../store.ts'
import { inOneSnapshot, prepare, type Sync } from './connection.ts'
import { contactReads } from './contacts.ts'
import { type MessageWithContextRecord, toMessageWithContext } from './messages.ts'

export type ExportReads = Sync<Pick<ContactStore, 'exportContact'>>

export function exportReads(db: DatabaseSync): ExportReads {
  const { findContact, findContactAttributes } = contactReads(db)
  const sessions = prepare<ExportedSessionRecord>(
    db,
    `SELECT created_at AS createdAt, expires_at AS expiresAt, end_reason AS reason, ended_at AS at FROM sessions
     WHERE contact_id = ? ORDER BY created_at, hash`,
  )
  const messages = prepare<MessageWithContextRecord>(
    db,
    `SELECT ${messageColumns}, context FROM messages
     WHERE conversation_id = (SELECT id FROM conversations WHERE contact_id = ?) ORDER BY seq`,
  )
  const locale = prepare<{ locale: string | null }>(db, 'SELECT locale FROM conversations WHERE contact_id = ?')
  return {
    exportContact: scope =>
      inOneSnapshot(db, () => {
        const contact = findContact(scope)
        if (!contact) return null
        return {
          contact,
          attributes: findContactAttributes(scope) ?? {},
          locale: locale.get(contact.id)?.locale ?? null,
          sessions: sessions.all(contact.id).map(toExportedSession),
          messages: messages.all(contact.id).map(toMessageWithContext),
        }
      }),
  }
}
