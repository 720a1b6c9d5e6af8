import type { DatabaseSync } from 'node:sqlite'
import type {
  Attachment,
  Message,
  MessageContext,
  MessageWithContext,
  Rating,
  Sender,
  Source,
} from '../../../contract/index.ts'
import { messageColumns } from '../rules/messageColumns.ts'
import { decideRepetition, toStorable, withContext, withSeq } from '../rules/messages.ts'
import { countsAsUnread } from '../rules/unread.ts'
import type { NewMessage, NewMessageWithFiles } from '../store.ts'
import { prepareTakeUploads } from './attachments.ts'
import { prepare } from './connection.ts'

type Stored = Omit<Message, 'quickReplies' | 'sender' | 'sources' | 'event' | 'attachments' | 'rating' | 'removedAt'>
export interface MessageRecord extends Stored {
  /** JSON. */
  quickReplies: string | null
  /** JSON. */
  sender: string | null
  /** JSON. */
  sources: string | null
  event: string | null
  rating: Rating | null
  /** JSON. */
  attachments: string | null
  removedAt: string | null
}

/** Builds a message from `messageColumns`. Ignores other columns. */
export function toMessage({
  id,
  seq,
  author,
  text,
  format,
  quickReplies,
  sender,
  sources,
  event,
  attachments,
  createdAt,
  rating,
  removedAt,
}: MessageRecord): Message {
  return {
    id,
    seq,
    author,
    text,
    format,
    ...(quickReplies !== null && { quickReplies: JSON.parse(quickReplies) as string[] }),
    ...(sender !== null && { sender: JSON.parse(sender) as Sender }),
    ...(sources !== null && { sources: JSON.parse(sources) as Source[] }),
    ...(event !== null && { event }),
    ...(attachments !== null && { attachments: JSON.parse(attachments) as Attachment[] }),
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
export const toMessageWithContext = (record: MessageWithContextRecord): MessageWithContext =>
  withContext(toMessage(record), record.context === null ? null : (JSON.parse(record.context) as MessageContext))

type Append<Result> = (conversationId: string, message: NewMessage, context?: MessageContext | null) => Result

/** Stores a message and assigns its seq, which no other code does. Call it in the writer's transaction. */
export function prepareAppend(db: DatabaseSync): Append<Message> {
  const next = prepare<{ seq: number }>(
    db,
    `UPDATE conversations SET last_seq = last_seq + 1, last_message_at = $at, unread = unread + $unread,
       unread_since = iif($unread > 0 AND unread = 0 AND contact_id IS NOT NULL, $at, unread_since)
     WHERE id = $id RETURNING last_seq AS seq`,
  )
  const insert = db.prepare(
    `INSERT INTO messages (conversation_id, seq, id, author, text, format, quick_replies, sender, sources, attachments, context, event, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  return (conversationId, given, context = null) => {
    const message = toStorable(given)
    const { id, author, text, format, quickReplies, sender, sources, attachments, event = null, createdAt } = message
    const seq = next.get({ at: createdAt, unread: Number(countsAsUnread(message)), id: conversationId })?.seq ?? 0
    const json = [quickReplies, sender, sources, attachments, toStorable(context)].map(value =>
      value ? JSON.stringify(value) : null,
    )
    insert.run(conversationId, seq, id, author, text, format, ...json, event, createdAt)
    return withSeq(message, seq)
  }
}

interface Sent {
  message: Message
  repeated: boolean
}

/** Stores a message that its sender, the uploader of its files, may repeat. */
export function prepareAppendRepeatable(
  db: DatabaseSync,
): (
  conversationId: string,
  message: NewMessageWithFiles,
  uploader: string,
  context?: MessageContext | null,
) => Sent | 'reused' | 'file_missing' {
  const append = prepareAppend(db)
  const { findUploads, takeUploads } = prepareTakeUploads(db)
  const byId = prepare<MessageRecord>(db, `SELECT ${messageColumns} FROM messages WHERE conversation_id = ? AND id = ?`)
  return (conversationId, { files = [], ...message }, uploader, context) => {
    const row = byId.get(conversationId, message.id)
    if (row) return decideRepetition(toMessage(row), { ...message, files })
    if (files.length === 0) return { message: append(conversationId, message, context), repeated: false }
    const attachments = findUploads(conversationId, files, { uploader, at: message.createdAt })
    if (attachments === 'file_missing') return attachments
    const stored = append(conversationId, { ...message, attachments }, context)
    takeUploads(conversationId, message.id, attachments)
    return { message: stored, repeated: false }
  }
}
