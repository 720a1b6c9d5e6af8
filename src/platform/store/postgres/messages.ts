import type { Message } from '../../../contract/index.ts'
import type { NewMessage } from '../store.ts'
import type { Queries } from './connection.ts'

/** The columns that `toMessage` takes. */
export const messageColumns = `id, seq, author, text, format, quick_replies AS "quickReplies", created_at AS "createdAt"`

export interface MessageRecord extends Omit<Message, 'quickReplies'> {
  quickReplies: string[] | null
}

export function toMessage({ quickReplies, createdAt, ...rest }: MessageRecord): Message {
  return { ...rest, ...(quickReplies && { quickReplies }), createdAt }
}

/** The one place that gives a message its seq; whoever calls it has locked the conversation. */
export async function append(tx: Queries, conversationId: string, message: NewMessage): Promise<Message> {
  const { id, author, text, format, quickReplies, createdAt } = message
  const row = await tx.one<{ seq: number }>(
    `WITH next AS (
       UPDATE conversations SET last_seq = last_seq + 1, last_message_at = $7, unread = unread + ($3 <> 'visitor')::int
       WHERE id = $1 RETURNING last_seq
     )
     INSERT INTO messages (conversation_id, seq, id, author, text, format, quick_replies, created_at)
     SELECT $1, last_seq, $2, $3, $4, $5, $6, $7 FROM next RETURNING seq`,
    [conversationId, id, author, text, format, quickReplies ? JSON.stringify(quickReplies) : null, createdAt],
  )
  return { id, seq: row?.seq ?? 0, author, text, format, ...(quickReplies ? { quickReplies } : {}), createdAt }
}

/** Stores a message whose sender may send it twice; whoever calls it has locked the conversation. */
export async function appendSent(
  tx: Queries,
  conversationId: string,
  message: NewMessage,
): Promise<{ message: Message; repeated: boolean } | 'reused'> {
  const row = await tx.one<MessageRecord>(
    `SELECT ${messageColumns} FROM messages WHERE conversation_id = $1 AND id = $2`,
    [conversationId, message.id],
  )
  if (!row) return { message: await append(tx, conversationId, message), repeated: false }
  const isSame = (['text', 'author', 'format'] as const).every(field => row[field] === message[field])
  return isSame ? { message: toMessage(row), repeated: true } : 'reused'
}
