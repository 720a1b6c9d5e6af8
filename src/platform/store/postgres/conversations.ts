import { maxAgentPauseMs } from '../../../contract/conversations.ts'
import { latest } from '../setBack.ts'
import type { ConversationRow, EndedSession, Position, Store } from '../store.ts'
import type { Database, Queries } from './connection.ts'
import { type Occurrence, tell } from './deliveries.ts'
import { appendSent, type MessageRecord, messageColumns, toMessage } from './messages.ts'

type Conversations = Pick<
  Store,
  'appendVisitorMessage' | 'listMessages' | 'listMessagesAfter' | 'findConversation' | 'markRead' | 'sweep'
>

export function conversations(db: Database): Conversations {
  return {
    appendVisitorMessage: (hash, message) =>
      db.transact(async tx => {
        const conversation = await lockOpen(tx, hash, message.createdAt)
        if (!conversation) return 'ended'
        const { id, isBegun, pausedUntil } = conversation
        const sent = await appendSent(tx, id, message)
        if (sent === 'reused' || sent.repeated) return sent
        const isPaused = pausedUntil > message.createdAt && pausedUntil <= latest(message.createdAt, maxAgentPauseMs)
        if (!isPaused) await awaitTurn(tx, id, sent.message.seq)
        const created: Occurrence = { type: 'message.created', message: sent.message }
        if (!isBegun) await tx.all('UPDATE conversations SET is_begun = true WHERE id = $1', [id])
        await tell(tx, id, message.createdAt, isBegun ? [created] : [{ type: 'conversation.created' }, created])
        return sent
      }),
    listMessages: (id, page) => listMessages(db, id, page),
    async listMessagesAfter(id, seq, limit) {
      const rows = await db.all<MessageRecord>(
        `SELECT ${messageColumns} FROM messages WHERE conversation_id = $1 AND seq > $2 ORDER BY seq LIMIT $3`,
        [id, seq, limit],
      )
      return rows.map(toMessage)
    },
    findConversation: id => findConversation(db, id),
    markRead: (hash, seq, at) =>
      db.transact(async tx => {
        const conversation = await lockOpen(tx, hash, at)
        if (!conversation) return 'ended'
        const row = await tx.one<{ readSeq: number }>(
          `UPDATE conversations v SET read_seq = greatest(read_seq, least($2::bigint, last_seq)),
             unread = CASE WHEN $2 >= last_seq THEN 0 ELSE unread - (SELECT count(*) FROM messages
               WHERE conversation_id = $1 AND seq > v.read_seq AND seq <= $2 AND author <> 'visitor') END
           WHERE id = $1 RETURNING read_seq AS "readSeq"`,
          [conversation.id, seq],
        )
        return row?.readSeq ?? 'ended'
      }),
    async sweep({ conversations: known, hashes, now }) {
      if (known.length === 0 && hashes.length === 0) return { conversations: [], ended: [] }
      // As neither seq falls, their sum tells whether one has risen.
      const rows = await db.all<SweptRecord>(
        `SELECT v.id, v.last_seq AS "lastSeq", v.read_seq AS "readSeq", NULL AS "conversationId", NULL AS reason
         FROM unnest($1::text[], $2::bigint[]) AS known (id, sum) JOIN conversations v ON v.id = known.id
         WHERE v.last_seq + v.read_seq > known.sum
         UNION ALL
         SELECT s.hash, NULL, NULL, s.conversation_id, coalesce(s.end_reason, 'expired')
         FROM unnest($3::text[]) AS asked (hash) JOIN sessions s ON s.hash = asked.hash
         WHERE s.ended_at IS NOT NULL OR s.expires_at <= $4`,
        [known.map(({ id }) => id), known.map(({ lastSeq, readSeq }) => lastSeq + readSeq), hashes, now],
      )
      return {
        conversations: rows.flatMap(row => ('reason' in row && row.reason === null ? [toPosition(row)] : [])),
        ended: rows.flatMap(row => (row.reason === null ? [] : [toEnded(row)])),
      }
    },
  }
}

export async function listMessages(
  db: Queries,
  conversationId: string,
  { before, limit }: { before?: number; limit: number },
) {
  const rows = await db.all<MessageRecord>(
    `SELECT ${messageColumns} FROM messages WHERE conversation_id = $1 AND seq < $2::bigint ORDER BY seq DESC LIMIT $3`,
    [conversationId, before ?? Number.MAX_SAFE_INTEGER, limit],
  )
  return rows.map(toMessage).reverse()
}

export async function findConversation(db: Queries, id: string): Promise<ConversationRow | null> {
  const row = await db.one<ConversationRecord>(
    `SELECT v.id, v.bot_id AS "botId", v.last_seq AS "lastSeq", v.read_seq AS "readSeq", c.id AS "contactId",
       c.name AS "contactName", v.unread
     FROM conversations v LEFT JOIN contacts c ON c.id = v.contact_id
     WHERE v.id = $1`,
    [id],
  )
  if (!row) return null
  const { contactId, contactName, ...rest } = row
  return { ...rest, contact: contactId === null ? null : { id: contactId, name: contactName } }
}

/** Nobody else writes in the conversation until the end of the transaction, nor ends the session. */
function lockOpen(tx: Queries, hash: string, at: string): Promise<OpenConversation | undefined> {
  return tx.one<OpenConversation>(
    `SELECT v.id, v.is_begun AS "isBegun", coalesce(v.paused_until, '') AS "pausedUntil"
     FROM sessions s JOIN conversations v ON v.id = s.conversation_id
     WHERE s.hash = $1 AND s.ended_at IS NULL AND s.expires_at > $2
     FOR SHARE OF s FOR NO KEY UPDATE OF v`,
    [hash, at],
  )
}

async function awaitTurn(tx: Queries, conversationId: string, seq: number): Promise<void> {
  await tx.all(
    `INSERT INTO turns (conversation_id, from_seq, last_seq) VALUES ($1, $2, $2)
     ON CONFLICT (conversation_id) DO UPDATE SET last_seq = excluded.last_seq`,
    [conversationId, seq],
  )
}

type SweptRecord = Position & ({ conversationId: null; reason: null } | Omit<EndedSession, 'hash'>)

function toPosition({ id, lastSeq, readSeq }: SweptRecord): Position {
  return { id, lastSeq, readSeq }
}

function toEnded({ id: hash, conversationId, reason }: SweptRecord): EndedSession {
  return { hash, conversationId, reason } as EndedSession
}

interface ConversationRecord extends Omit<ConversationRow, 'contact'> {
  contactId: string | null
  contactName: string
}

interface OpenConversation {
  id: string
  isBegun: boolean
  pausedUntil: string
}
