import { randomUUID } from 'node:crypto'
import type { DeskMessage } from '../../../contract/desk.ts'
import type {
  Attributes,
  ConversationEventName,
  Message,
  MessageContext,
  MessageWithContext,
  Rating,
} from '../../../contract/index.ts'
import { normalizeName } from '../../search/searchNormalization.ts'
import { parseJson, type Queries } from '../database.ts'
import type { NewMessage, NewMessageWithFiles, OutboxEvent } from '../store.ts'
import { countsAsUnread, isReachableSql } from './common.ts'
import type { ConversationStatus } from './conversationStatus.ts'
import { insertNote, type NewNote } from './notes.ts'

const columns = [
  ...['id', 'seq', 'author', 'text', 'format', 'extras', 'event', 'created_at AS "createdAt"'],
  ...['rating', 'removed_at AS "removedAt"'],
]

/** The columns that `toMessage` takes, in a query of messages alone. */
export const messageColumns: string = columns.join(', ')

/** The same in a query that names the messages `table`. */
export const messageColumnsOf = (table: string): string => columns.map(column => `${table}.${column}`).join(', ')

/** What a message and its repetition have in common. */
const contentOf = ({ text, format, sender, sources = [] }: NewMessage, files: { id: string }[] = []): string => {
  const links = sources.map(({ title, url }) => [title, url])
  return JSON.stringify([text, format, sender?.name, sender?.avatar, links, files.map(({ id }) => id)])
}

/**
 * Decides about a sent message whose id is stored already: it is a repetition of the stored one, or another message. The text
 * of a removed message is unknown, so any message of its author counts as a repetition: a sender that repeats it must neither
 * fail nor bring it back.
 */
export function decideRepetition(
  stored: Message,
  sent: NewMessageWithFiles,
): { message: Message; repeated: true } | 'reused' {
  const isSame =
    stored.author === sent.author &&
    (stored.removedAt !== undefined || contentOf(stored, stored.attachments) === contentOf(sent, sent.files))
  return isSame ? { message: stored, repeated: true } : 'reused'
}

/** A value with U+FFFD in place of NUL and unpaired surrogates, which PostgreSQL stores neither in texts nor in JSON. */
export const toStorable = <Value>(value: Value): Value =>
  JSON.parse(JSON.stringify(value), (_, each) =>
    typeof each === 'string' ? each.toWellFormed().replaceAll('\0', '\ufffd') : each,
  ) as Value

/** The message that tells the visitor of an event, in the language of the widget. */
export const eventMessage = (event: ConversationEventName, createdAt: string): NewMessage => ({
  id: randomUUID(),
  author: 'system',
  text: '',
  format: 'plain',
  event,
  createdAt,
})

/** The context of the visitor to store with a message; `null` if nothing is known. */
export function contextOf(claimed: Attributes = {}, verified: Attributes | null): MessageContext | null {
  const isKnown = Object.keys({ ...claimed, ...verified }).length > 0
  return isKnown ? { claimed, verified: verified ?? {} } : null
}

/** The message as the organization sees it. */
export const withContext = (message: Message, context: MessageContext | null): MessageWithContext =>
  context ? { ...message, context } : message

/** The events of a stored message for the bot's webhook. `isFirst`: the message begins its conversation. */
export function eventsOfMessage(message: MessageWithContext, isFirst: boolean): OutboxEvent[] {
  const created: OutboxEvent = { type: 'message.created', message }
  return isFirst ? [{ type: 'conversation.created' }, created] : [created]
}

/** What only some messages have. */
type MessageExtras = Pick<Message, 'quickReplies' | 'sender' | 'sources' | 'attachments'>

export interface MessageRecord extends Pick<Message, 'id' | 'seq' | 'author' | 'text' | 'format' | 'createdAt'> {
  /** The `MessageExtras` as JSON. */
  extras: string
  event: string | null
  rating: Rating | null
  removedAt: string | null
}

/** Builds a message from `messageColumns`. Ignores other columns. */
export const toMessage = ({ id, seq, author, text, format, createdAt, ...record }: MessageRecord): Message => ({
  id,
  seq,
  author,
  text,
  format,
  ...parseJson<MessageExtras>(record.extras),
  ...(record.event !== null && { event: record.event }),
  createdAt,
  ...(record.rating && { rating: record.rating }),
  ...(record.removedAt && { removedAt: record.removedAt }),
})

export interface MessageWithContextRecord extends MessageRecord {
  /** JSON. */
  context: string | null
}

/** Builds a message from `messageColumns` and `context`. Visitors must not get the context. */
export const toMessageWithContext = (record: MessageWithContextRecord): MessageWithContext =>
  withContext(toMessage(record), parseJson<MessageContext>(record.context))

/** The columns of `DeskMessageRecord`. */
export const deskMessageColumns: string = `${messageColumns}, context, member_id AS "memberId"`

export interface DeskMessageRecord extends MessageWithContextRecord {
  memberId: string | null
}

/** The message as only the desk may see it: with the member who has written it. */
export const withMember = <Shown extends Message>(
  message: Shown,
  { memberId }: Pick<DeskMessageRecord, 'memberId'>,
): Shown & Pick<DeskMessage, 'memberId'> => (memberId === null ? message : { ...message, memberId })

export interface AppendOptions {
  /** Whether the responder is to answer the message. */
  isTurn?: boolean
  /** Who answers from now on; default: as it is. */
  status?: ConversationStatus
  /** A note for the team, which stands before the messages. */
  note?: NewNote | undefined
  context?: MessageContext | null
  /** The member who has written the messages. */
  memberId?: string
  /** The language that the visitor's widget shows. */
  locale?: string | undefined
}

const newColumns = ['id', 'author', 'text', 'format', 'extras', 'event', 'created_at']
const newColumnTypes = newColumns.map(name => `${name} ${name === 'extras' ? 'json' : 'text'}`)

/**
 * Stores messages and assigns their seqs, which no other code does. Resolves to the first. The caller has locked the
 * conversation. Its row is updated once: PostgreSQL locks the contact of a row that is updated twice, which can deadlock
 * with the contact's deletion.
 */
export async function append(
  tx: Queries,
  conversationId: string,
  given: [NewMessage, ...NewMessage[]],
  { isTurn = false, status, note, context = null, memberId, locale }: AppendOptions = {},
): Promise<Message> {
  const messages = toStorable(given)
  const [first] = messages
  const next = await tx.one<{ lastSeq: number; notes: number }>(
    `UPDATE conversations SET last_seq = last_seq + $2, last_message_at = $3, changed_at = $3,
       is_begun = is_begun OR $4, unread = unread + $5,
       unread_since = CASE WHEN $5 > 0 AND ${isReachableSql} AND (unread = 0 OR unread_since IS NULL) THEN $3
         ELSE unread_since END,
       -- A visitor who writes gets further emails; the organization was told of the unread messages.
       unread_notices = CASE WHEN unread = 0 THEN 0 WHEN $4 THEN least(unread_notices, 1) ELSE unread_notices END,
       state = coalesce($6, state),
       assignee_id = CASE WHEN $6 IS NULL THEN assignee_id ELSE $7 END,
       waiting_since = CASE WHEN $6 IS NULL THEN waiting_since ELSE $8 END,
       paused_until = CASE WHEN $6 IS NULL THEN paused_until ELSE $9 END,
       locale = coalesce($10, locale), notes = notes + $11
     WHERE id = $1 RETURNING last_seq AS "lastSeq", notes`,
    [
      conversationId,
      messages.length,
      messages.at(-1)?.createdAt,
      first.author === 'visitor',
      messages.filter(countsAsUnread).length,
      status?.state ?? null,
      status?.assigneeId ?? null,
      status?.waitingSince ?? null,
      status?.pausedUntil ?? null,
      locale ?? null,
      note ? 1 : 0,
    ],
  )
  const seq = (next?.lastSeq ?? messages.length) - messages.length + 1
  const rows = messages.map(({ createdAt, quickReplies, sender, sources, attachments, ...rest }, number) => {
    const extras: MessageExtras = { quickReplies, sender, sources, attachments }
    return { ...rest, number, created_at: createdAt, extras }
  })
  await tx.all(
    `INSERT INTO messages (conversation_id, seq, context, member_id, ${newColumns.join(', ')})
     SELECT $1, $2 + number, $4, $5, ${newColumns.join(', ')}
     FROM json_to_recordset($3) AS m (number integer, ${newColumnTypes.join(', ')})`,
    [conversationId, seq, JSON.stringify(rows), context && JSON.stringify(toStorable(context)), memberId ?? null],
  )
  const texts = messages.flatMap(({ text }, number) => (text ? [{ seq: seq + number, text: normalizeName(text) }] : []))
  if (texts.length > 0)
    await tx.all(
      `INSERT INTO message_texts (bot_id, conversation_id, seq, text)
       SELECT v.bot_id, v.id, m.seq, m.text FROM conversations v, json_to_recordset($2) AS m (seq integer, text text)
       WHERE v.id = $1 ORDER BY m.seq`,
      [conversationId, JSON.stringify(texts)],
    )
  if (isTurn)
    await tx.all(
      `INSERT INTO turns (conversation_id, from_seq, last_seq) VALUES ($1, $2, $2)
       ON CONFLICT (conversation_id) DO UPDATE SET last_seq = excluded.last_seq`,
      [conversationId, seq],
    )
  if (note && next) await insertNote(tx, conversationId, note, { number: next.notes, afterSeq: seq - 1 })
  return { ...first, seq }
}

/**
 * Changes what only the desk shows: who answers, and notes. If the visitor waits from now on, nobody has seen that yet: the
 * last message counts as unseen again. The caller has locked the conversation.
 */
export async function changeStatus(
  tx: Queries,
  conversationId: string,
  { state, assigneeId, waitingSince, pausedUntil }: ConversationStatus,
  { at, note }: { at: string; note?: NewNote | undefined },
): Promise<void> {
  const changed = await tx.one<{ notes: number; lastSeq: number }>(
    `UPDATE conversations SET state = $2, assignee_id = $3, waiting_since = $4, paused_until = $5, notes = notes + $6,
       seen_seq = CASE WHEN $2 = 'waiting' AND state <> 'waiting' THEN least(seen_seq, last_seq - 1) ELSE seen_seq END,
       desk_revision = desk_revision + 1, changed_at = $7
     WHERE id = $1 RETURNING notes, last_seq AS "lastSeq"`,
    [conversationId, state, assigneeId, waitingSince, pausedUntil, note ? 1 : 0, at],
  )
  if (note && changed) await insertNote(tx, conversationId, note, { number: changed.notes, afterSeq: changed.lastSeq })
}
