import type { DatabaseSync } from 'node:sqlite'
import { maxAgentPauseMs } from '../../../contract/conversations.ts'
import { maxFutureTime } from '../maxFutureTime.ts'
import type { ConversationRow, EndedSession, OutboxEvent, Position, Store } from '../store.ts'
import type { Sync } from './connection.ts'
import { outboxWriter } from './deliveries.ts'
import { messageColumns, sentMessageAppender, toMessage } from './messages.ts'

export type ConversationReads = Sync<Pick<Store, 'listMessages' | 'listMessagesAfter' | 'findConversation'>>
export type ConversationWrites = Sync<Pick<Store, 'appendVisitorMessage' | 'markRead'>>
export type Sweep = Sync<Pick<Store, 'sweep'>>

export function conversationReads(db: DatabaseSync): ConversationReads {
  const before = db.prepare(
    `SELECT ${messageColumns} FROM messages WHERE conversation_id = ? AND seq < ? ORDER BY seq DESC LIMIT ?`,
  )
  const after = db.prepare(
    `SELECT ${messageColumns} FROM messages WHERE conversation_id = ? AND seq > ? ORDER BY seq LIMIT ?`,
  )
  const conversation = db.prepare(
    `SELECT v.id, v.bot_id AS botId, v.last_seq AS lastSeq, v.read_seq AS readSeq, c.id AS contactId,
       c.name AS contactName, v.unread
     FROM conversations v LEFT JOIN contacts c ON c.id = v.contact_id
     WHERE v.id = ?`,
  )
  return {
    listMessages: (id, page) =>
      before
        .all(id, page.before ?? Number.MAX_SAFE_INTEGER, page.limit)
        .map(toMessage)
        .reverse(),
    listMessagesAfter: (id, seq, limit) => after.all(id, seq, limit).map(toMessage),
    findConversation(id) {
      const row = conversation.get(id) as unknown as ConversationRecord | undefined
      if (!row) return null
      const { contactId, contactName, ...rest } = row
      return { ...rest, contact: contactId === null ? null : { id: contactId, name: contactName } }
    },
  }
}

export function conversationWrites(db: DatabaseSync): ConversationWrites {
  const append = sentMessageAppender(db)
  const enqueue = outboxWriter(db)
  const openSession = db.prepare(
    `SELECT v.id, v.is_begun AS isBegun, coalesce(v.paused_until, '') AS pausedUntil
     FROM sessions s JOIN conversations v ON v.id = s.conversation_id
     WHERE s.hash = ? AND s.ended_at IS NULL AND s.expires_at > ?`,
  )
  const begin = db.prepare('UPDATE conversations SET is_begun = 1 WHERE id = ?')
  const awaitTurn = db.prepare(
    `INSERT INTO turns (conversation_id, from_seq, last_seq) VALUES ($id, $seq, $seq)
     ON CONFLICT (conversation_id) DO UPDATE SET last_seq = excluded.last_seq`,
  )
  const read = db.prepare(
    `UPDATE conversations SET read_seq = max(read_seq, min($seq, last_seq)),
       unread = iif($seq >= last_seq, 0, unread - (SELECT count(*) FROM messages
         WHERE conversation_id = $id AND seq > conversations.read_seq AND seq <= $seq AND author <> 'visitor'))
     WHERE id = $id RETURNING read_seq AS readSeq`,
  )

  function findOpen(hash: string, at: string): OpenConversation | undefined {
    return openSession.get(hash, at) as unknown as OpenConversation | undefined
  }

  return {
    appendVisitorMessage(hash, message) {
      const conversation = findOpen(hash, message.createdAt)
      if (!conversation) return 'ended'
      const { id, isBegun, pausedUntil } = conversation
      const sent = append(id, message)
      if (sent === 'reused' || sent.repeated) return sent
      const isPaused =
        pausedUntil > message.createdAt && pausedUntil <= maxFutureTime(message.createdAt, maxAgentPauseMs)
      if (!isPaused) awaitTurn.run({ id, seq: sent.message.seq })
      const created: OutboxEvent = { type: 'message.created', message: sent.message }
      if (!isBegun) begin.run(id)
      enqueue(id, message.createdAt, isBegun ? [created] : [{ type: 'conversation.created' }, created])
      return sent
    },
    markRead(hash, seq, at) {
      const conversation = findOpen(hash, at)
      return conversation ? (read.get({ seq, id: conversation.id })?.['readSeq'] as number) : 'ended'
    },
  }
}

export function sweepReads(db: DatabaseSync): Sweep {
  // As neither seq falls, their sum tells whether one has risen. CROSS: each one asked for is looked up, once.
  const conversations = db.prepare(
    `SELECT c.id, c.last_seq AS lastSeq, c.read_seq AS readSeq FROM json_each(?) known
       CROSS JOIN conversations c ON c.id = known.key
     WHERE c.last_seq + c.read_seq > known.value`,
  )
  const ended = db.prepare(
    `SELECT s.hash, s.conversation_id AS conversationId, coalesce(s.end_reason, 'expired') AS reason
     FROM json_each(?) asked CROSS JOIN sessions s ON s.hash = asked.value
     WHERE s.ended_at IS NOT NULL OR s.expires_at <= ?`,
  )
  return {
    sweep({ conversations: known, hashes, now }) {
      const sums = Object.fromEntries(known.map(({ id, lastSeq, readSeq }) => [id, lastSeq + readSeq]))
      return {
        conversations: conversations.all(JSON.stringify(sums)).map(row => ({ ...row }) as unknown as Position),
        ended: ended.all(JSON.stringify(hashes), now).map(row => ({ ...row }) as unknown as EndedSession),
      }
    },
  }
}

interface ConversationRecord extends Omit<ConversationRow, 'contact'> {
  contactId: string | null
  contactName: string
}

interface OpenConversation {
  id: string
  isBegun: number
  pausedUntil: string
}
