import type { DatabaseSync } from 'node:sqlite'
import type { Message, MessageContext, MessageWithContext } from '../../../contract/index.ts'
import { isSameMessage, withContext } from '../rules/messages.ts'
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

export interface MessageWithContextRecord extends MessageRecord {
  /** JSON. */
  context: string | null
}

/** From `messageColumns` and `context`. Only for what the organization gets. */
export const toMessageWithContext = ({ context, ...rest }: MessageWithContextRecord): MessageWithContext =>
  withContext(toMessage(rest), context === null ? null : (JSON.parse(context) as MessageContext))

type Append<Result> = (conversationId: string, message: NewMessage, context?: MessageContext | null) => Result

/** Stores a message and assigns its seq; only this function does. Call it in the writer's transaction. */
export function messageAppender(db: DatabaseSync): Append<Message> {
  const next = prepare<{ seq: number }>(
    db,
    `UPDATE conversations SET last_seq = last_seq + 1, last_message_at = ?, unread = unread + (? <> 'visitor')
     WHERE id = ? RETURNING last_seq AS seq`,
  )
  const insert = db.prepare(
    `INSERT INTO messages (conversation_id, seq, id, author, text, format, quick_replies, context, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  return (conversationId, { id, author, text, format, quickReplies, createdAt }, context = null) => {
    const seq = next.get(createdAt, author, conversationId)?.seq ?? 0
    const replies = quickReplies ? JSON.stringify(quickReplies) : null
    insert.run(conversationId, seq, id, author, text, format, replies, context && JSON.stringify(context), createdAt)
    return { id, seq, author, text, format, ...(quickReplies ? { quickReplies } : {}), createdAt }
  }
}

/** Stores a message that its sender may repeat. */
export function repeatableMessageAppender(
  db: DatabaseSync,
): Append<{ message: Message; repeated: boolean } | 'reused'> {
  const append = messageAppender(db)
  const byId = prepare<MessageRecord>(db, `SELECT ${messageColumns} FROM messages WHERE conversation_id = ? AND id = ?`)
  return (conversationId, message, context) => {
    const stored = byId.get(conversationId, message.id)
    if (!stored) return { message: append(conversationId, message, context), repeated: false }
    return isSameMessage(stored, message) ? { message: toMessage(stored), repeated: true } : 'reused'
  }
}
