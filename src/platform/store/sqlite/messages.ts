import type { DatabaseSync } from 'node:sqlite'
import type { Message } from '../../../contract/index.ts'
import { isSameMessage } from '../rules/messages.ts'
import type { NewMessage } from '../store.ts'
import { prepare } from './connection.ts'

const columns = ['id', 'seq', 'author', 'text', 'format', 'quick_replies AS quickReplies', 'created_at AS createdAt']

/** The columns that `toMessage` takes. */
export const messageColumns = columns.join(', ')

export interface MessageRecord extends Omit<Message, 'quickReplies'> {
  /** JSON. */
  quickReplies: string | null
}

export function toMessage({ quickReplies, createdAt, ...rest }: MessageRecord): Message {
  return { ...rest, ...(quickReplies !== null && { quickReplies: JSON.parse(quickReplies) as string[] }), createdAt }
}

/** Stores a message and assigns its seq; only this function does. Call it in the writer's transaction. */
export function messageAppender(db: DatabaseSync): (conversationId: string, message: NewMessage) => Message {
  const next = prepare<{ seq: number }>(
    db,
    `UPDATE conversations SET last_seq = last_seq + 1, last_message_at = ?, unread = unread + (? <> 'visitor')
     WHERE id = ? RETURNING last_seq AS seq`,
  )
  const insert = db.prepare(
    `INSERT INTO messages (conversation_id, seq, id, author, text, format, quick_replies, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  return (conversationId, { id, author, text, format, quickReplies, createdAt }) => {
    const seq = next.get(createdAt, author, conversationId)?.seq ?? 0
    const replies = quickReplies ? JSON.stringify(quickReplies) : null
    insert.run(conversationId, seq, id, author, text, format, replies, createdAt)
    return { id, seq, author, text, format, ...(quickReplies ? { quickReplies } : {}), createdAt }
  }
}

/** Stores a message that its sender may repeat. */
export function repeatableMessageAppender(
  db: DatabaseSync,
): (conversationId: string, message: NewMessage) => { message: Message; repeated: boolean } | 'reused' {
  const append = messageAppender(db)
  const byId = prepare<MessageRecord>(db, `SELECT ${messageColumns} FROM messages WHERE conversation_id = ? AND id = ?`)
  return (conversationId, message) => {
    const stored = byId.get(conversationId, message.id)
    if (!stored) return { message: append(conversationId, message), repeated: false }
    return isSameMessage(stored, message) ? { message: toMessage(stored), repeated: true } : 'reused'
  }
}
