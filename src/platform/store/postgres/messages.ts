import type {
  Attachment,
  Message,
  MessageContext,
  MessageWithContext,
  Rating,
  Sender,
  Source,
} from '../../../contract/index.ts'
import { toStorable, withContext, withSeq } from '../rules/messages.ts'
import { countsAsUnread } from '../rules/unread.ts'
import type { NewMessage } from '../store.ts'
import type { Queries } from './connection.ts'

type Stored = Omit<Message, 'quickReplies' | 'sender' | 'sources' | 'event' | 'attachments' | 'rating' | 'removedAt'>
export interface MessageRecord extends Stored {
  quickReplies: string[] | null
  sender: Sender | null
  sources: Source[] | null
  event: string | null
  rating: Rating | null
  attachments: Attachment[] | null
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
    ...(quickReplies && { quickReplies }),
    ...(sender && { sender }),
    ...(sources && { sources }),
    ...(event !== null && { event }),
    ...(attachments && { attachments }),
    createdAt,
    ...(rating && { rating }),
    ...(removedAt && { removedAt }),
  }
}

export interface MessageWithContextRecord extends MessageRecord {
  context: MessageContext | null
}

/** Builds a message from `messageColumns` and `context`. Visitors must not get the context. */
export const toMessageWithContext = (record: MessageWithContextRecord): MessageWithContext =>
  withContext(toMessage(record), record.context)

/** What a message changes about the pause of the responder. */
export type PauseChange =
  | { type: 'keep' }
  | { type: 'end' }
  /** An agent answers. */
  | { type: 'pause'; until: string }
  /** An agent is waited for. */
  | { type: 'await'; until: string; since: string }

export interface AppendOptions {
  /** The turn that answers the message, if the responder is to answer. */
  turn?: { source: number | null } | undefined
  /** Default: keep. */
  pause?: PauseChange
  context?: MessageContext | null
  /** The language that the visitor's widget shows. */
  locale?: string | undefined
}

/** The columns of new messages in the statement's JSON. */
const appended =
  'number integer, id text, author text, text text, format text, quick_replies json, sender json, sources json, event text, attachments json, created_at text'

/**
 * Stores messages and assigns their seqs, which no other code does. Resolves to the first. The caller has locked the
 * conversation. It is one statement for two reasons: other writers of the conversation wait during each network round trip,
 * and PostgreSQL locks the contact of a row that is updated twice, which can deadlock with the contact's deletion.
 */
export async function append(
  tx: Queries,
  conversationId: string,
  given: [NewMessage, ...NewMessage[]],
  { turn, pause = { type: 'keep' }, context = null, locale }: AppendOptions = {},
): Promise<Message> {
  const messages = toStorable(given)
  const [first] = messages
  const rows = messages.map(({ quickReplies, createdAt, ...rest }, number) => ({
    ...rest,
    number,
    quick_replies: quickReplies,
    created_at: createdAt,
  }))
  const row = await tx.one<{ seq: number }>(
    `WITH next AS (
       UPDATE conversations SET last_seq = last_seq + $3, last_message_at = $4,
         is_begun = is_begun OR $5, unread = unread + $6,
         unread_since = CASE WHEN $6 > 0 AND unread = 0 AND contact_id IS NOT NULL THEN $4 ELSE unread_since END,
         paused_until = CASE WHEN $7 THEN $8 ELSE paused_until END,
         waiting_since = CASE WHEN $7 THEN $9 ELSE waiting_since END,
         locale = coalesce($13, locale)
       WHERE id = $1 RETURNING last_seq - $3 + 1 AS seq
     ), turn AS (
       INSERT INTO turns (conversation_id, from_seq, last_seq, source) SELECT $1, seq, seq, $11 FROM next WHERE $10
       ON CONFLICT (conversation_id) DO UPDATE SET last_seq = excluded.last_seq, source = excluded.source
     ), stored AS (
       INSERT INTO messages (conversation_id, seq, id, author, text, format, quick_replies, sender, sources, event, attachments, context,
         created_at)
       SELECT $1, seq + number, id, author, text, format, quick_replies, sender, sources, event, attachments, $12, created_at
       FROM next, json_to_recordset($2) AS m (${appended})
     )
     SELECT seq FROM next`,
    [
      conversationId,
      JSON.stringify(rows),
      messages.length,
      messages.at(-1)?.createdAt,
      first.author === 'visitor',
      messages.filter(countsAsUnread).length,
      pause.type !== 'keep',
      'until' in pause ? pause.until : null,
      'since' in pause ? pause.since : null,
      turn !== undefined,
      turn?.source ?? null,
      context && JSON.stringify(toStorable(context)),
      locale ?? null,
    ],
  )
  return withSeq(first, row?.seq ?? 0)
}
