import type { DatabaseSync } from 'node:sqlite'
import type { EndReason } from '../../../contract/index.ts'
import {
  type ContactSelector,
  chooseContact,
  endSessionsSql,
  type FoundContact,
  openSessionSql,
  type SessionRecord,
  toSession,
} from '../rules/sessions.ts'
import type { Bot, BotScope, ContactScope, EndedSession, NewSession, SessionStore } from '../store.ts'
import { prepare, type Sync } from './connection.ts'
import { prepareEnqueue } from './deliveries.ts'
import { idempotency } from './idempotency.ts'

export type SessionReads = Sync<Pick<SessionStore, 'findSession'>>
export type SessionWrites = Sync<Omit<SessionStore, 'findSession'>>

export function sessionReads(db: DatabaseSync): SessionReads {
  const session = prepare<SessionRecord>(
    db,
    `SELECT s.hash, s.bot_id AS botId, s.conversation_id AS conversationId, s.created_at AS createdAt,
       s.expires_at AS expiresAt, s.end_reason AS reason, s.ended_at AS at, c.id AS contactId, c.name AS contactName
     FROM sessions s LEFT JOIN contacts c ON c.id = s.contact_id
     WHERE s.hash = ?`,
  )
  return {
    findSession(hash) {
      const row = session.get(hash)
      return row ? toSession(row) : null
    },
  }
}

const selectContactId = 'SELECT id FROM contacts WHERE id = ? AND bot_id = ? AND organization_id = ?'
const endSessions = endSessionsSql('?', '?')
const returningEnded = 'RETURNING hash, conversation_id AS conversationId, end_reason AS reason'

/** Returns the function that ends every session of a contact. */
export function prepareEndAllSessions(
  db: DatabaseSync,
): (scope: ContactScope, reason: EndReason, at: string) => EndedSession[] | 'not_found' {
  const contactById = prepare<{ id: string }>(db, selectContactId)
  const endAll = prepare<EndedSession>(db, `${endSessions} AND contact_id = ? ${returningEnded}`)
  return ({ organizationId, botId, contactId }, reason, at) =>
    contactById.get(contactId, botId, organizationId) ? endAll.all(reason, at, contactId).map(toEnded) : 'not_found'
}

export function sessionWrites(db: DatabaseSync): SessionWrites {
  const { claimKey, storeResult } = idempotency(db)
  const enqueue = prepareEnqueue(db)
  const bot = prepare<Pick<Bot, 'visitors'>>(db, `SELECT profile ->> 'visitors' AS visitors FROM bots WHERE id = ?`)
  const contactById = prepare<{ id: string }>(db, selectContactId)
  const contactByKey = prepare<{ id: string }>(
    db,
    'SELECT id FROM contacts WHERE email_key = ? AND bot_id = ? AND organization_id = ?',
  )
  const insertConversation = db.prepare(
    `INSERT INTO conversations (id, bot_id, contact_id, created_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (contact_id) DO NOTHING`,
  )
  const conversationOf = prepare<{ id: string }>(db, 'SELECT id FROM conversations WHERE contact_id = ?')
  const insertSession = db.prepare(
    `INSERT INTO sessions (hash, bot_id, contact_id, conversation_id, created_at, expires_at)
     VALUES (?, ?, ?, ?, ?, ?)`,
  )
  const extend = db.prepare(
    `UPDATE sessions SET expires_at = ? WHERE hash = ? AND contact_id IS NULL AND ${openSessionSql('?')}`,
  )
  const endOneSession = prepare<EndedSession>(db, `${endSessions} AND hash = ? AND bot_id = ? ${returningEnded}`)
  const endAllSessions = prepareEndAllSessions(db)
  function findContactId({ organizationId, botId, contactId }: ContactScope): string | undefined {
    return contactById.get(contactId, botId, organizationId)?.id
  }

  function findSelectedContact(scope: BotScope, selector: ContactSelector): FoundContact {
    const { contactId, emailKey } = selector
    const contactIdById = contactId === undefined ? undefined : findContactId({ ...scope, contactId })
    const contactByEmail =
      emailKey === undefined ? undefined : contactByKey.get(emailKey, scope.botId, scope.organizationId)
    return chooseContact(selector, contactIdById, contactByEmail?.id)
  }

  function createSession(botId: string, contactId: string | null, session: NewSession): 'created' {
    const { hash, conversationId, createdAt, expiresAt } = session
    insertConversation.run(conversationId, botId, contactId, createdAt)
    const existing = contactId === null ? undefined : conversationOf.get(contactId)
    insertSession.run(hash, botId, contactId, existing?.id ?? conversationId, createdAt, expiresAt)
    return 'created'
  }

  return {
    createContactSession(scope, selector, session, request) {
      const claim = claimKey(scope, request)
      if (claim.kind === 'rejected') return claim.reason
      const replayed = claim.kind === 'replayed' ? claim.stored : undefined
      // A repetition is about the contact of the first request, even if another contact has that email now.
      const found = findSelectedContact(scope, replayed?.contactId ? { contactId: replayed.contactId } : selector)
      if (found.kind !== 'found') return found.kind
      const { contactId } = found
      createSession(scope.botId, contactId, session)
      storeResult(scope, request, session.hash, contactId)
      if (!replayed) return 'created'
      const formerHash = replayed.result as string
      const replaced = endOneSession.all('revoked', session.createdAt, formerHash, scope.botId)
      return { replaced: replaced.map(toEnded) }
    },
    createVisitorSession(botId, session) {
      const found = bot.get(botId)
      if (!found) return 'not_found'
      return found.visitors === 'contacts' ? 'contacts_only' : createSession(botId, null, session)
    },
    extendSession(hash, expiresAt, at) {
      extend.run(expiresAt, hash, at)
    },
    endSession(botId, hash, reason, at) {
      const [row] = endOneSession.all(reason, at, hash, botId).map(toEnded)
      if (row && reason === 'logged_out') enqueue(row.conversationId, at, [{ type: 'session.ended', reason }])
      return row ?? null
    },
    endContactSessions(scope, reason, at, request) {
      const claim = claimKey(scope, request)
      if (claim.kind === 'rejected') return claim.reason
      if (claim.kind === 'replayed') return 'replayed'
      const ended = endAllSessions(scope, reason, at)
      if (ended !== 'not_found') storeResult(scope, request, 'ended', scope.contactId)
      return ended
    },
  }
}

/** Copies a row: SQLite's rows have no prototype, and would not equal other objects. */
const toEnded = (row: EndedSession): EndedSession => ({ ...row })
