import type { Message, MessageContext, MessageWithContext, Sender, Source } from '../../../contract/index.ts'
import { isSameMessage, withContext, withSeq } from '../rules/messages.ts'
import type { NewMessage } from '../store.ts'
import type { Queries } from './connection.ts'

/** The columns that `toMessage` takes. */
export const messageColumns = `id, seq, author, text, format, quick_replies AS "quickReplies", sender, sources, created_at AS "createdAt",
  removed_at AS "removedAt"`

export interface MessageRecord extends Omit<Message, 'quickReplies' | 'sender' | 'sources' | 'removedAt'> {
  quickReplies: string[] | null
  sender: Sender | null
  sources: Source[] | null
  removedAt: string | null
}

export function toMessage({ quickReplies, sender, sources, createdAt, removedAt, ...rest }: MessageRecord): Message {
  return {
    ...rest,
    ...(quickReplies && { quickReplies }),
    ...(sender && { sender }),
    ...(sources && { sources }),
    createdAt,
    ...(removedAt && { removedAt }),
  }
}

export interface MessageWithContextRecord extends MessageRecord {
  context: MessageContext | null
}

/** Builds a message from `messageColumns` and `context`. Visitors must not get the context. */
export const toMessageWithContext = ({ context, ...rest }: MessageWithContextRecord): MessageWithContext =>
  withContext(toMessage(rest), context)

interface AppendOptions {
  /** The turn that answers the message, if the responder is to answer. */
  turn?: { source: number | null } | undefined
  pausedUntil?: string | null
  context?: MessageContext | null
}

/**
 * Stores a message and assigns its seq, which no other code does. The caller has locked the conversation. It is one
 * statement for two reasons: other writers of the conversation wait during each network round trip, and PostgreSQL locks
 * the contact of a row that is updated twice, which can deadlock with the contact's deletion.
 */
export async function append(
  tx: Queries,
  conversationId: string,
  message: NewMessage,
  { turn, pausedUntil, context = null }: AppendOptions = {},
): Promise<Message> {
  const { id, author, format, quickReplies, sender, sources, createdAt } = message
  // PostgreSQL cannot store NUL. Visitors and agents cannot send it, but a responder could.
  const text = message.text.replaceAll('\0', '\ufffd')
  const row = await tx.one<{ seq: number }>(
    `WITH next AS (
       UPDATE conversations SET last_seq = last_seq + 1, last_message_at = $7,
         is_begun = is_begun OR $3 = 'visitor', unread = unread + ($3 <> 'visitor')::int,
         paused_until = CASE WHEN $9 THEN $10 ELSE paused_until END
       WHERE id = $1 RETURNING last_seq AS seq
     ), turn AS (
       INSERT INTO turns (conversation_id, from_seq, last_seq, source) SELECT $1, seq, seq, $12 FROM next WHERE $8
       ON CONFLICT (conversation_id) DO UPDATE SET last_seq = excluded.last_seq, source = excluded.source
     )
     INSERT INTO messages (conversation_id, seq, id, author, text, format, quick_replies, created_at, context, sender, sources)
     SELECT $1, seq, $2, $3, $4, $5, $6, $7, $11, $13, $14 FROM next RETURNING seq`,
    [
      ...[conversationId, id, author, text, format],
      ...[quickReplies ? JSON.stringify(quickReplies) : null, createdAt, turn !== undefined],
      ...[pausedUntil !== undefined, pausedUntil, context && JSON.stringify(context), turn?.source ?? null],
      ...[sender, sources].map(value => (value ? JSON.stringify(value) : null)),
    ],
  )
  return withSeq({ ...message, text }, row?.seq ?? 0)
}

/** Decides about a message whose id is stored already: it is a repetition, or another message. */
export function repetition(
  standing: MessageRecord,
  message: NewMessage,
): { message: Message; repeated: true } | 'reused' {
  const stored = toMessage(standing)
  return isSameMessage(stored, message) ? { message: stored, repeated: true } : 'reused'
}
