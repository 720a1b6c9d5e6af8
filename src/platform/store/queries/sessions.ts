import type { EndReason } from '../../../contract/index.ts'
import { ConflictRetryError, type Database, type Queries } from '../database.ts'
import type {
  Bot,
  BotScope,
  ContactScope,
  EndedSession,
  NewSession,
  SessionEndReason,
  SessionRow,
  SessionStore,
} from '../store.ts'
import { type ContactColumns, openSessionSql, toContactSummary } from './common.ts'
import { enqueue } from './deliveries.ts'
import { claimKey, storeResult, transactOnce } from './idempotency.ts'

/** The end of a session as its columns hold it. */
export interface EndColumns {
  reason: SessionEndReason | null
  at: string
}

/** Puts the columns of its end into one property. */
export const withEnd = <Columns extends EndColumns>({ reason, at, ...rest }: Columns) => ({
  ...rest,
  ended: reason === null ? null : { reason, at },
})

/** A session as its query finds it, with the contact's columns beside its own. */
interface SessionRecord extends Omit<SessionRow, 'contact' | 'ended'>, ContactColumns, EndColumns {}

function toSession({ contactId, contactName, ...rest }: SessionRecord): SessionRow {
  return { ...withEnd(rest), contact: toContactSummary({ contactId, contactName }) }
}

/**
 * Ends the sessions which a condition after it selects. It also ends expired sessions: setting the clock back must not reopen
 * them.
 */
export const endSessions = 'UPDATE sessions SET end_reason = $1, ended_at = $2 WHERE ended_at IS NULL'
const returningEnded = 'RETURNING hash, conversation_id AS "conversationId", end_reason AS reason'

const insertConversation = `INSERT INTO conversations (id, bot_id, contact_id, created_at) VALUES ($1, $2, $3, $4)`
const insertSession = `INSERT INTO sessions (hash, bot_id, contact_id, conversation_id, created_at, expires_at)
  VALUES ($1, $2, $3, $4, $5, $6)`

export function sessions(db: Database) {
  return {
    createContactSession: (scope, selector, session, request) =>
      db.transact(async tx => {
        const first = await claimKey(tx, scope, request)
        if (typeof first === 'string') return first
        // A repetition is about the contact of the first request, even if another contact has that email now.
        const selected = first?.contactId ? { contactId: first.contactId } : selector
        const contact = await lockSelectedContact(tx, scope, selected)
        if (typeof contact === 'string') return contact
        const { hash, createdAt, expiresAt } = session
        const conversationId = contact.conversationId ?? (await beginConversation(tx, scope, contact.id, session))
        await tx.all(insertSession, [hash, scope.botId, contact.id, conversationId, createdAt, expiresAt])
        await storeResult(tx, scope, request, hash, contact.id)
        if (!first) return { value: [], replayed: false }
        // Sessions are locked before conversations. This keeps that order: the first request has made the conversation, so
        // `beginConversation` has locked nothing.
        const replaced = await endOneSession(tx, scope.botId, first.result as string, 'revoked', createdAt)
        return { value: replaced, replayed: true }
      }),
    createVisitorSession: (botId, { hash, conversationId, createdAt, expiresAt }) =>
      db.transact(async tx => {
        const bot = await tx.one<Pick<Bot, 'visitors'>>(
          "SELECT settings ->> 'visitors' AS visitors FROM bots WHERE id = $1",
          [botId],
        )
        if (!bot) return 'not_found'
        if (bot.visitors === 'contacts') return 'contacts_only'
        await tx.all(insertConversation, [conversationId, botId, null, createdAt])
        await tx.all(insertSession, [hash, botId, null, conversationId, createdAt, expiresAt])
        return 'created'
      }),
    async findSession(hash) {
      const row = await db.one<SessionRecord>(
        `SELECT s.hash, s.bot_id AS "botId", s.conversation_id AS "conversationId", s.created_at AS "createdAt",
           s.expires_at AS "expiresAt", s.end_reason AS reason, s.ended_at AS at, c.id AS "contactId",
           c.name AS "contactName"
         FROM sessions s LEFT JOIN contacts c ON c.id = s.contact_id
         WHERE s.hash = $1`,
        [hash],
      )
      return row ? toSession(row) : null
    },
    async extendSession(hash, expiresAt, at) {
      await db.write(
        `UPDATE sessions SET expires_at = $2
         WHERE hash = $1 AND contact_id IS NULL AND ${openSessionSql('$3')}`,
        [hash, expiresAt, at],
      )
    },
    endSession: (botId, hash, reason, at) =>
      db.transact(async tx => {
        const [session] = await endOneSession(tx, botId, hash, reason, at)
        if (session && reason === 'logged_out')
          await enqueue(tx, session.conversationId, at, [{ type: 'session.ended', reason }])
        return session ?? null
      }),
    endGuestSession: (conversationId, reason, at) => db.transact(tx => endGuestSession(tx, conversationId, reason, at)),
    endContactSessions: (scope, reason, at, request) =>
      transactOnce(db, scope, request, noSessions, async tx => {
        const ended = await endAllSessions(tx, scope, reason, at, 'KEY SHARE')
        if (ended === 'not_found') return ended
        await storeResult(tx, scope, request, 'ended', scope.contactId)
        return { value: ended, replayed: false }
      }),
  } satisfies SessionStore
}

const noSessions = (): EndedSession[] => []

/** Finds and locks the contact: `KEY SHARE` against deletion, `UPDATE` against everything. */
export async function lockContact(
  tx: Queries,
  { organizationId, botId, contactId }: ContactScope,
  strength: 'KEY SHARE' | 'UPDATE',
): Promise<boolean> {
  const lock = `SELECT id FROM contacts WHERE id = $1 AND bot_id = $2 AND organization_id = $3 FOR ${strength}`
  return (await tx.one(lock, [contactId, botId, organizationId])) !== undefined
}

/** Finds the contact that a request names, and locks it against deletion. If id and email are given, both must be its. */
async function lockSelectedContact(
  tx: Queries,
  { organizationId, botId }: BotScope,
  { contactId, emailKey }: { contactId?: string; emailKey?: string },
): Promise<{ id: string; conversationId: string | null } | 'not_found' | 'mismatch'> {
  const rows = await tx.all<{ id: string; emailKey: string; conversationId: string | null }>(
    `SELECT c.id, c.email_key AS "emailKey", v.id AS "conversationId"
     FROM contacts c LEFT JOIN conversations v ON v.contact_id = c.id
     WHERE c.bot_id = $1 AND c.organization_id = $2 AND (c.id = $3 OR c.email_key = $4) ORDER BY c.id FOR KEY SHARE OF c`,
    [botId, organizationId, contactId, emailKey],
  )
  const byId = rows.find(({ id }) => id === contactId)
  const byEmail = rows.find(row => row.emailKey === emailKey)
  if ((contactId !== undefined && !byId) || (emailKey !== undefined && !byEmail)) return 'not_found'
  if (byId && byEmail && byId !== byEmail) return 'mismatch'
  return byId ?? byEmail ?? 'not_found'
}

/** Begins the contact's conversation. Resolves to its id, also if another transaction has begun it meanwhile. */
async function beginConversation(
  tx: Queries,
  { botId }: BotScope,
  contactId: string,
  { conversationId, createdAt }: NewSession,
): Promise<string> {
  const begun = await tx.one<{ id: string }>(`${insertConversation} ON CONFLICT (contact_id) DO NOTHING RETURNING id`, [
    conversationId,
    botId,
    contactId,
    createdAt,
  ])
  const found =
    begun ?? (await tx.one<{ id: string }>('SELECT id FROM conversations WHERE contact_id = $1', [contactId]))
  if (!found) throw new ConflictRetryError('Another transaction has deleted the conversation of the contact.')
  return found.id
}

function endOneSession(
  tx: Queries,
  botId: string,
  hash: string,
  reason: EndReason,
  at: string,
): Promise<EndedSession[]> {
  return tx.all<EndedSession>(`${endSessions} AND hash = $3 AND bot_id = $4 ${returningEnded}`, [
    reason,
    at,
    hash,
    botId,
  ])
}

export const endGuestSession = (
  tx: Queries,
  conversationId: string,
  reason: SessionEndReason,
  at: string,
): Promise<EndedSession[]> =>
  tx.all<EndedSession>(`${endSessions} AND conversation_id = $3 AND contact_id IS NULL ${returningEnded}`, [
    reason,
    at,
    conversationId,
  ])

/** Ends every session of a contact, which it locks. */
export async function endAllSessions(
  tx: Queries,
  scope: ContactScope,
  reason: EndReason,
  at: string,
  strength: 'KEY SHARE' | 'UPDATE',
): Promise<EndedSession[] | 'not_found'> {
  if (!(await lockContact(tx, scope, strength))) return 'not_found'
  return tx.all<EndedSession>(`${endSessions} AND contact_id = $3 ${returningEnded}`, [reason, at, scope.contactId])
}
