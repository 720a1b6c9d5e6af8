import type { Attributes, MessageChange } from '../../../contract/index.ts'
import { type Database, type Flag, parseJson, type Queries } from '../database.ts'
import type { ConversationRow, EndedSession, NewMessage, Position, Store } from '../store.ts'
import { appendWithFiles } from './attachments.ts'
import {
  type ContactColumns,
  countsAsUnreadSql,
  hasResponderSql,
  hasWebhookSql,
  isReachableSql,
  openSessionSql,
  toContactSummary,
} from './common.ts'
import { type ConversationStatus, isPaused, nextStatus, statusColumns } from './conversationStatus.ts'
import { enqueue, withdrawUnreadNotices } from './deliveries.ts'
import { answersWhileWaiting, type HoursRecord, hoursColumns } from './hours.ts'
import {
  contextOf,
  type DeskMessageRecord,
  decideRepetition,
  deskMessageColumns,
  eventsOfMessage,
  type MessageRecord,
  messageColumns,
  messageColumnsOf,
  toMessage,
  toMessageWithContext,
  withContext,
} from './messages.ts'

/** A conversation as its query finds it. */
interface ConversationRecord extends Omit<ConversationRow, 'contact'>, ContactColumns {}

const toConversationRow = ({ contactId, contactName, ...rest }: ConversationRecord): ConversationRow => ({
  ...rest,
  contact: toContactSummary({ contactId, contactName }),
})

export function conversations(db: Database) {
  return {
    appendVisitorMessage: (hash, { claimed, locale, files = [], ...message }) =>
      db.transact(async tx => {
        const open = await lockForMessage(tx, hash, message)
        if (!open) return 'ended'
        const { conversationId, isBegun, hasWebhook, hasResponder, attributes } = open
        const sent = { ...message, files }
        if (hasMessage(open)) return decideRepetition(toMessage(open), sent)
        const { createdAt } = message
        const status = nextStatus(open, { type: 'visitor_wrote' }, { at: createdAt, hasResponder })
        const isSilent =
          isPaused(status, createdAt) && !(status.state === 'waiting' && answersWhileWaiting(open, createdAt))
        const isTurn = Boolean(hasResponder) && !isSilent
        const context = contextOf(claimed, parseJson<Attributes>(attributes))
        const by = { uploader: hash, at: createdAt }
        const stored = await appendWithFiles(tx, conversationId, [sent], by, { isTurn, status, context, locale })
        if (stored === 'file_missing') return stored
        if (hasWebhook)
          await enqueue(tx, conversationId, createdAt, eventsOfMessage(withContext(stored, context), !isBegun))
        return { message: stored, repeated: false }
      }),
    async listMessages(id, page) {
      const messages = await findMessages(db, id, page)
      return messages.map(toMessage)
    },
    listMessagesWithContext: async (id, page) => (await findMessages(db, id, page)).map(toMessageWithContext),
    async listMessagesAfter(id, seq, limit) {
      const rows = await db.all<MessageRecord>(
        `SELECT ${messageColumns} FROM messages WHERE conversation_id = $1 AND seq > $2 ORDER BY seq LIMIT $3`,
        [id, seq, limit],
      )
      return rows.map(toMessage)
    },
    listMessagesChangedAfter: (id, known, limit) => listMessagesChangedAfter(db, id, known, limit),
    findConversation: id => findConversation(db, id),
    markRead: (hash, seq, at) =>
      db.transact(async tx => {
        const conversation = await lockOpenConversation(tx, hash, at)
        if (!conversation) return 'ended'
        const row = await tx.one<{ readSeq: number; unread: number }>(
          `UPDATE conversations AS v SET read_seq = greatest(read_seq, least($2::bigint, last_seq)),
             unread = CASE WHEN $2 >= last_seq THEN 0 ELSE unread - (SELECT count(*) FROM messages
               WHERE conversation_id = $1 AND seq > v.read_seq AND seq <= $2 AND ${countsAsUnreadSql}) END,
             -- A visitor who reads on is given time to read the rest.
             unread_since = CASE WHEN $2 >= last_seq OR NOT ${isReachableSql} THEN NULL
               WHEN $2 > read_seq THEN $3 ELSE unread_since END,
             unread_notices = CASE WHEN $2 > read_seq THEN 0 ELSE unread_notices END,
             changed_at = CASE WHEN least($2::bigint, last_seq) > read_seq THEN $3 ELSE changed_at END
           WHERE id = $1 RETURNING read_seq AS "readSeq", unread`,
          [conversation.id, seq, at],
        )
        if (conversation.unreadNotices > 0 && row?.unread === 0) await withdrawUnreadNotices(tx, conversation.id)
        return row?.readSeq ?? 'ended'
      }),
    async sweep({ conversations: known, hashes, now }) {
      if (known.length === 0 && hashes.length === 0) return { conversations: [], ended: [] }
      // None of the three numbers decreases, so their sum shows whether one has increased.
      const rows = await db.all<SweptRecord>(
        `SELECT v.id, v.last_seq AS "lastSeq", v.read_seq AS "readSeq", v.revision, NULL AS "conversationId",
           NULL AS reason
         FROM json_to_recordset($1) AS known (id text, sum bigint) JOIN conversations v ON v.id = known.id
         WHERE v.last_seq + v.read_seq + v.revision > known.sum
         UNION ALL
         SELECT s.hash, NULL, NULL, NULL, s.conversation_id, coalesce(s.end_reason, 'expired')
         FROM json_to_recordset($2) AS asked (hash text) JOIN sessions s ON s.hash = asked.hash
         WHERE NOT (${openSessionSql('$3')})`,
        [
          JSON.stringify(
            known.map(({ id, lastSeq, readSeq, revision }) => ({ id, sum: lastSeq + readSeq + revision })),
          ),
          JSON.stringify(hashes.map(hash => ({ hash }))),
          now,
        ],
      )
      const swept: { conversations: Position[]; ended: EndedSession[] } = { conversations: [], ended: [] }
      for (const { id, lastSeq, readSeq, revision, conversationId, reason } of rows)
        if (reason === null) swept.conversations.push({ id, lastSeq, readSeq, revision })
        else swept.ended.push({ hash: id, conversationId, reason })
      return swept
    },
  } satisfies Partial<Store>
}

/** Finds the newest messages with a seq below `before`, ascending. */
export async function findMessages(
  db: Queries,
  conversationId: string,
  { before, limit }: { before?: number; limit: number },
): Promise<DeskMessageRecord[]> {
  const rows = await db.all<DeskMessageRecord>(
    `SELECT ${deskMessageColumns} FROM messages WHERE conversation_id = $1 AND seq < $2::bigint
     ORDER BY seq DESC LIMIT $3`,
    [conversationId, before ?? Number.MAX_SAFE_INTEGER, limit],
  )
  return rows.reverse()
}

export async function listMessagesChangedAfter(
  db: Queries,
  conversationId: string,
  known: number,
  limit: number,
): Promise<MessageChange[]> {
  const rows = await db.all<MessageRecord & { revision: number }>(
    `SELECT ${messageColumns}, revision FROM messages
     WHERE conversation_id = $1 AND revision > $2::bigint ORDER BY revision LIMIT $3`,
    [conversationId, known, limit],
  )
  return rows.map(row => ({ revision: row.revision, message: toMessage(row) }))
}

export async function findConversation(db: Queries, id: string): Promise<ConversationRow | null> {
  const row = await db.one<ConversationRecord>(
    `SELECT v.id, v.bot_id AS "botId", v.last_seq AS "lastSeq", v.read_seq AS "readSeq", c.id AS "contactId",
       c.name AS "contactName", v.unread, v.revision, v.locale, v.email
     FROM conversations v LEFT JOIN contacts c ON c.id = v.contact_id
     WHERE v.id = $1`,
    [id],
  )
  return row ? toConversationRow(row) : null
}

/** Locks the conversation against writers, and the session against its end, until the end of the transaction. */
const openAndLockedSql = `s.hash = $1 AND ${openSessionSql('$2')} FOR SHARE OF s FOR NO KEY UPDATE OF v`

interface LockedConversation extends ConversationStatus {
  id: string
  revision: number
  /** How often somebody was told of the unread messages. */
  unreadNotices: number
}

/** Finds the conversation of an open session, and locks both. */
export const lockOpenConversation = (tx: Queries, hash: string, at: string): Promise<LockedConversation | undefined> =>
  tx.one<LockedConversation>(
    `SELECT v.id, v.revision, ${statusColumns}, v.unread_notices AS "unreadNotices"
     FROM sessions s JOIN conversations v ON v.id = s.conversation_id WHERE ${openAndLockedSql}`,
    [hash, at],
  )

/**
 * Locks the conversation of an open session, and finds a stored message with the same id. A message that was stored
 * while this waited for the lock is not visible here: the unique index then rejects the insert, and the transaction is
 * repeated.
 */
function lockForMessage(
  tx: Queries,
  hash: string,
  { id, createdAt }: NewMessage,
): Promise<OpenConversation | undefined> {
  return tx.one<OpenConversation>(
    `SELECT v.id AS "conversationId", v.is_begun AS "isBegun", ${statusColumns},
       ${hasWebhookSql} AS "hasWebhook", ${hasResponderSql} AS "hasResponder", ${hoursColumns}, ${messageColumnsOf('m')}, c.attributes
     FROM sessions s JOIN conversations v ON v.id = s.conversation_id JOIN bots b ON b.id = v.bot_id
       LEFT JOIN contacts c ON c.id = v.contact_id LEFT JOIN messages m ON m.conversation_id = v.id AND m.id = $3
     WHERE ${openAndLockedSql}`,
    [hash, createdAt, id],
  )
}

const hasMessage = (row: OpenConversation): row is OpenConversation & MessageRecord => row.id !== null

type SweptRecord = Position & ({ conversationId: null; reason: null } | Omit<EndedSession, 'hash'>)

/** A conversation with the columns of the stored message, all `null` if there is none. */
interface OpenConversation extends Omit<MessageRecord, 'id'>, ConversationStatus, HoursRecord {
  id: string | null
  conversationId: string
  isBegun: Flag
  /** The attributes of the contact, as JSON. */
  attributes: string | null
  /** Whether the bot has an events webhook. */
  hasWebhook: Flag
  hasResponder: Flag
}
