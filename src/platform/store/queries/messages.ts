import type {
  Attachment,
  Message,
  MessageContext,
  MessageWithContext,
  Rating,
  Sender,
  Source,
} from '../../../contract/index.ts'
import { parseJson, type Queries } from '../database.ts'
import { toStorable, withContext, withSeq } from '../rules/messages.ts'
import { countsAsUnread } from '../rules/unread.ts'
import type { NewMessage } from '../store.ts'

type Stored = Omit<Message, 'quickReplies' | 'sender' | 'sources' | 'event' | 'attachments' | 'rating' | 'removedAt'>
export interface MessageRecord extends Stored {
  /** JSON, like `sender`, `sources` and `attachments`. */
  quickReplies: string | null
  sender: string | null
  sources: string | null
  event: string | null
  rating: Rating | null
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
    ...(quickReplies !== null && { quickReplies: parseJson<string[]>(quickReplies) }),
    ...(sender !== null && { sender: parseJson<Sender>(sender) }),
    ...(sources !== null && { sources: parseJson<Source[]>(sources) }),
    ...(event !== null && { event }),
    ...(attachments !== null && { attachments: parseJson<Attachment[]>(attachments) }),
    createdAt,
    ...(rating && { rating }),
    ...(removedAt && { removedAt }),
  }
}

export interface MessageWithContextRecord extends MessageRecord {
  /** JSON. */
  context: string | null
}

/** Builds a message from `messageColumns` and `context`. Visitors must not get the context. */
export const toMessageWithContext = (record: MessageWithContextRecord): MessageWithContext =>
  withContext(toMessage(record), parseJson<MessageContext>(record.context))

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

/** The columns of new messages as JSON. */
const columns = [
  ...['number integer', 'id text', 'author text', 'text text', 'format text', 'quick_replies json', 'sender json'],
  ...['sources json', 'event text', 'attachments json', 'created_at text'],
].join(', ')

/**
 * Stores messages and assigns their seqs, which no other code does. Resolves to the first. The caller has locked the
 * conversation. Its row is updated once: PostgreSQL locks the contact of a row that is updated twice, which can deadlock
 * with the contact's deletion.
 */
export async function append(
  tx: Queries,
  conversationId: string,
  given: [NewMessage, ...NewMessage[]],
  { turn, pause = { type: 'keep' }, context = null, locale }: AppendOptions = {},
): Promise<Message> {
  const messages = toStorable(given)
  const [first] = messages
  const next = await tx.one<{ lastSeq: number }>(
    `UPDATE conversations SET last_seq = last_seq + $2, last_message_at = $3,
       is_begun = is_begun OR $4, unread = unread + $5,
       unread_since = CASE WHEN $5 > 0 AND unread = 0 AND contact_id IS NOT NULL THEN $3 ELSE unread_since END,
       paused_until = CASE WHEN $6 THEN $7 ELSE paused_until END,
       waiting_since = CASE WHEN $6 THEN $8 ELSE waiting_since END,
       locale = coalesce($9, locale)
     WHERE id = $1 RETURNING last_seq AS "lastSeq"`,
    [
      conversationId,
      messages.length,
      messages.at(-1)?.createdAt,
      first.author === 'visitor',
      messages.filter(countsAsUnread).length,
      pause.type !== 'keep',
      'until' in pause ? pause.until : null,
      'since' in pause ? pause.since : null,
      locale ?? null,
    ],
  )
  const seq = (next?.lastSeq ?? messages.length) - messages.length + 1
  const rows = messages.map(({ quickReplies, createdAt, ...rest }, number) => ({
    ...rest,
    number,
    quick_replies: quickReplies,
    created_at: createdAt,
  }))
  await tx.all(
    `INSERT INTO messages (conversation_id, seq, id, author, text, format, quick_replies, sender, sources, event, attachments,
       context, created_at)
     SELECT $1, $2 + number, id, author, text, format, quick_replies, sender, sources, event, attachments, $4, created_at
     FROM json_to_recordset($3) AS m (${columns})`,
    [conversationId, seq, JSON.stringify(rows), context && JSON.stringify(toStorable(context))],
  )
  if (turn)
    await tx.all(
      `INSERT INTO turns (conversation_id, from_seq, last_seq, source) VALUES ($1, $2, $2, $3)
       ON CONFLICT (conversation_id) DO UPDATE SET last_seq = excluded.last_seq, source = excluded.source`,
      [conversationId, seq, turn.source],
    )
  return withSeq(first, seq)
}
