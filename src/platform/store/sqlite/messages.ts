import type { DatabaseSync } from 'node:sqlite'
import type { Message, MessageContext, MessageWithContext, Rating, Sender, Source } from '../../../contract/index.ts'
import { countsAsUnread, decideRepetition, withContext, withSeq } from '../rules/messages.ts'
import type { NewMessage } from '../store.ts'
import { prepare } from './connection.ts'

const columns = [
  'id',
  'seq',
  'author',
  'text',
  'format',
  'quick_replies AS quickReplies',
  'sender',
  'sources',
  'event',
  'created_at AS createdAt',
  'rating',
  'removed_at AS removedAt',
]

/** The columns that `toMessage` takes. */
export const messageColumns = columns.join(', ')

export interface MessageRecord
  extends Omit<Message, 'quickReplies' | 'sender' | 'sources' | 'event' | 'rating' | 'removedAt'> {
  /** JSON. */
  quickReplies: string | null
  /** JSON. */
  sender: string | null
  /** JSON. */
  sources: string | null
  event: string | null
  rating: Rating | null
  removedAt: string | null
}

export function toMessage({
  quickReplies,
  sender,
  sources,
  event,
  createdAt,
  rating,
  removedAt,
  ...rest
}: MessageRecord): Message {
  return {
    ...rest,
    ...(quickReplies !== null && { quickReplies: JSON.parse(quickReplies) as string[] }),
    ...(sender !== null && { sender: JSON.parse(sender) as Sender }),
    ...(sources !== null && { sources: JSON.parse(sources) as Source[] }),
    ...(event !== null && { event }),
    createdAt,
    ...(rating !== null && { rating }),
    ...(removedAt !== null && { removedAt }),
  }
}

export interface MessageWithContextRecord extends MessageRecord {
  /** JSON. */
  context: string | null
}

/** Builds a message from `messageColumns` and `context`. Visitors must not get the context. */
export const toMessageWithContext = ({ context, ...rest }: MessageWithContextRecord): MessageWithContext =>
  withContext(toMessage(rest), context === null ? null : (JSON.parse(context) as MessageContext))

type Append<Result> = (conversationId: string, message: NewMessage, context?: MessageContext | null) => Result

/** Stores a message and assigns its seq, which no other code does. Call it in the writer's transaction. */
export function messageAppender(db: DatabaseSync): Append<Message> {
  const next = prepare<{ seq: number }>(
    db,
    `UPDATE conversations SET last_seq = last_seq + 1, last_message_at = $at, unread = unread + $unread,
       unread_since = iif($unread > 0 AND unread = 0 AND contact_id IS NOT NULL, $at, unread_since)
     WHERE id = $id RETURNING last_seq AS seq`,
  )
  const insert = db.prepare(
    `INSERT INTO messages (conversation_id, seq, id, author, text, format, quick_replies, sender, sources, context, event, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  return (conversationId, message, context = null) => {
    const { id, author, text, format, quickReplies, sender, sources, event = null, createdAt } = message
    const seq = next.get({ at: createdAt, unread: Number(countsAsUnread(message)), id: conversationId })?.seq ?? 0
    const json = [quickReplies, sender, sources, context].map(value => (value ? JSON.stringify(value) : null))
    insert.run(conversationId, seq, id, author, text, format, ...json, event, createdAt)
    return withSeq(message, seq)
  }
}

/** Stores a message that its sender may repeat. */
export function repeatableMessageAppender(
  db: DatabaseSync,
): Append<{ message: Message; repeated: boolean } | 'reused'> {
  const append = messageAppender(db)
  const byId = prepare<MessageRecord>(db, `SELECT ${messageColumns} FROM messages WHERE conversation_id = ? AND id = ?`)
  return (conversationId, message, context) => {
    const row = byId.get(conversationId, message.id)
    if (!row) return { message: append(conversationId, message, context), repeated: false }
    return decideRepetition(toMessage(row), message)
  }
}
