import type { DatabaseSync } from 'node:sqlite'
import type { Message } from '../../../contract/index.ts'
import type { ConversationRow, EndedSession, NewMessage, Store } from '../store.ts'
import type { Sync } from './connection.ts'

export type ConversationReads = Sync<Pick<Store, 'listMessages' | 'listMessagesAfter' | 'findConversation'>>
export type ConversationWrites = Sync<Pick<Store, 'appendVisitorMessage' | 'markRead'>>
export type Sweep = Sync<Pick<Store, 'sweep'>>

const messageColumns = 'id, seq, author, text, format, quick_replies AS quickReplies, created_at AS createdAt'

export function conversationReads(db: DatabaseSync): ConversationReads {
  const before = db.prepare(
    `SELECT ${messageColumns} FROM messages WHERE conversation_id = ? AND seq < ? ORDER BY seq DESC LIMIT ?`,
  )
  const after = db.prepare(
    `SELECT ${messageColumns} FROM messages WHERE conversation_id = ? AND seq > ? ORDER BY seq LIMIT ?`,
  )
  const conversation = db.prepare(
    `SELECT v.id, v.bot_id AS botId, v.last_seq AS lastSeq, v.read_seq AS readSeq, c.id AS contactId,
       c.name AS contactName,
       (SELECT count(*) FROM messages m
        WHERE m.conversation_id = v.id AND m.seq > v.read_seq AND m.author <> 'visitor') AS unread
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

/** The one place that gives a message its seq; whoever calls it is in the writer's transaction. */
export function messageAppender(db: DatabaseSync): (conversationId: string, message: NewMessage) => Message {
  const next = db.prepare('UPDATE conversations SET last_seq = last_seq + 1 WHERE id = ? RETURNING last_seq AS seq')
  const insert = db.prepare(
    `INSERT INTO messages (conversation_id, seq, id, author, text, format, quick_replies, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  return (conversationId, { id, author, text, format, quickReplies, createdAt }) => {
    const seq = next.get(conversationId)?.['seq'] as number
    const replies = quickReplies ? JSON.stringify(quickReplies) : null
    insert.run(conversationId, seq, id, author, text, format, replies, createdAt)
    return { id, seq, author, text, format, ...(quickReplies ? { quickReplies } : {}), createdAt }
  }
}

export function conversationWrites(db: DatabaseSync): ConversationWrites {
  const append = messageAppender(db)
  const openSession = db.prepare(
    `SELECT conversation_id AS conversationId FROM sessions WHERE hash = ? AND ended_at IS NULL AND expires_at > ?`,
  )
  const standing = db.prepare(`SELECT ${messageColumns} FROM messages WHERE conversation_id = ? AND id = ?`)
  const awaitTurn = db.prepare(
    `INSERT INTO turns (conversation_id, from_seq, last_seq) VALUES ($conversationId, $seq, $seq)
     ON CONFLICT (conversation_id) DO UPDATE SET last_seq = excluded.last_seq`,
  )
  const read = db.prepare(
    `UPDATE conversations SET read_seq = max(read_seq, min(?, last_seq)) WHERE id = ? RETURNING read_seq AS readSeq`,
  )

  function findOpen(hash: string, at: string): string | undefined {
    return openSession.get(hash, at)?.['conversationId'] as string | undefined
  }

  return {
    appendVisitorMessage(hash, message) {
      const conversationId = findOpen(hash, message.createdAt)
      if (conversationId === undefined) return 'ended'
      const row = standing.get(conversationId, message.id)
      if (row) {
        const same = row['text'] === message.text && row['author'] === message.author
        return same ? { message: toMessage(row), repeated: true } : 'reused'
      }
      const stored = append(conversationId, message)
      awaitTurn.run({ conversationId, seq: stored.seq })
      return { message: stored, repeated: false }
    },
    markRead(hash, seq, at) {
      const conversationId = findOpen(hash, at)
      return conversationId === undefined ? 'ended' : (read.get(seq, conversationId)?.['readSeq'] as number)
    },
  }
}

export function sweepReads(db: DatabaseSync): Sweep {
  const conversations = db.prepare(
    `SELECT id, last_seq AS lastSeq, read_seq AS readSeq FROM conversations WHERE id IN (SELECT value FROM json_each(?))`,
  )
  const ended = db.prepare(
    `SELECT hash, conversation_id AS conversationId, coalesce(end_reason, 'expired') AS reason FROM sessions
     WHERE hash IN (SELECT value FROM json_each(?)) AND (ended_at IS NOT NULL OR expires_at <= ?)`,
  )
  return {
    sweep({ conversationIds, hashes, now }) {
      return {
        conversations: conversations
          .all(JSON.stringify(conversationIds))
          .map(row => ({ ...row }) as unknown as { id: string; lastSeq: number; readSeq: number }),
        ended: ended.all(JSON.stringify(hashes), now).map(row => ({ ...row }) as unknown as EndedSession),
      }
    },
  }
}

interface ConversationRecord extends Omit<ConversationRow, 'contact'> {
  contactId: string | null
  contactName: string
}

export function toMessage({ quickReplies, ...row }: Record<string, unknown>): Message {
  const message = row as unknown as Message
  return typeof quickReplies === 'string' ? { ...message, quickReplies: JSON.parse(quickReplies) as string[] } : message
}
