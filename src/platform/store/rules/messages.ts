import { randomUUID } from 'node:crypto'
import type {
  Attributes,
  ConversationEventName,
  Message,
  MessageContext,
  MessageWithContext,
  Rating,
  Source,
} from '../../../contract/index.ts'
import type { NewMessageWithFiles } from '../attachmentRecords.ts'
import type { NewMessage, OutboxEvent } from '../records.ts'

/**
 * Whether a sent message is a repetition of the stored one with its id. The text of a removed message is unknown, so any
 * message of its author counts as one: a sender that repeats it must neither fail nor bring it back.
 */
const isSameMessage = (
  stored: Pick<Message, 'text' | 'author' | 'format' | 'sender' | 'sources' | 'attachments' | 'removedAt'>,
  sent: NewMessageWithFiles,
): boolean =>
  stored.author === sent.author &&
  (stored.removedAt !== undefined ||
    (stored.text === sent.text &&
      stored.format === sent.format &&
      stored.sender?.name === sent.sender?.name &&
      stored.sender?.avatar === sent.sender?.avatar &&
      isSameSources(stored.sources, sent.sources) &&
      idsOf(stored.attachments) === idsOf(sent.files)))

const idsOf = (files: { id: string }[] = []): string => files.map(({ id }) => id).join()

/** Decides about a sent message whose id is stored already: it is a repetition of the stored one, or another message. */
export const decideRepetition = (
  stored: Message,
  sent: NewMessageWithFiles,
): { message: Message; repeated: true } | 'reused' =>
  isSameMessage(stored, sent) ? { message: stored, repeated: true } : 'reused'

function isSameSources(stored: Source[] = [], sent: Source[] = []): boolean {
  return (
    stored.length === sent.length &&
    stored.every(({ title, url }, index) => title === sent[index]?.title && url === sent[index]?.url)
  )
}

/** What is left of a message that the organization removes. */
export const toTombstone = ({ id, seq, author, createdAt }: Message, removedAt: string): Message => ({
  id,
  seq,
  author,
  text: '',
  format: 'plain',
  createdAt,
  removedAt,
})

/** The same in SQL: the columns of the message that a removal clears, as assignments. */
export const clearRemovedSql = `text = '', format = 'plain', quick_replies = NULL, sender = NULL, sources = NULL,
  attachments = NULL, context = NULL, rating = NULL`

/** Whether the visitor can rate the message. */
export const isAnswer = ({ author, removedAt }: Pick<Message, 'author' | 'removedAt'>): boolean =>
  (author === 'bot' || author === 'agent') && removedAt === undefined

/** The answer with another rating. */
export function withRating({ rating: _, ...message }: Message, rating: Rating | null): Message {
  return rating ? { ...message, rating } : message
}

/** The data of an event that waits to be delivered, with what is left of its message; `null` if it has another one. */
export function replaceRemovedMessage<Data extends { message?: Message }>(data: Data, message: Message): Data | null {
  return data.message?.id === message.id ? { ...data, message } : null
}

/** A value with U+FFFD in place of NUL and unpaired surrogates, which PostgreSQL stores neither in texts nor in JSON. */
export const toStorable = <Value>(value: Value): Value =>
  JSON.parse(JSON.stringify(value), (_, each) =>
    typeof each === 'string' ? each.toWellFormed().replaceAll('\0', '\ufffd') : each,
  ) as Value

/** A new message as it is stored. */
export function withSeq(
  { id, author, text, format, quickReplies, sender, sources, event, attachments, createdAt }: NewMessage,
  seq: number,
): Message {
  return {
    id,
    seq,
    author,
    text,
    format,
    ...(quickReplies && { quickReplies }),
    ...(sender && { sender }),
    ...(sources && { sources }),
    ...(event !== undefined && { event }),
    ...(attachments && { attachments }),
    createdAt,
  }
}

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

/** The events of a visitor's message for the bot's webhook. The first message also creates its conversation. */
export function eventsOfMessage(message: MessageWithContext, isFirst: boolean): OutboxEvent[] {
  const created: OutboxEvent = { type: 'message.created', message }
  return isFirst ? [{ type: 'conversation.created' }, created] : [created]
}

/** Whether the bot's webhook gets an event. Messages of other authors than visitors are sent on request only. */
export const isWanted = (event: OutboxEvent, authors: 'all' | null): boolean =>
  event.type !== 'message.created' || event.message.author === 'visitor' || authors === 'all'

/** Returns the messages of a turn that were not removed, in order: those that it has to answer, the visitor's from `fromSeq` on, come last. */
export function orderForTurn<Kind extends Message>(messages: Kind[], fromSeq: number): Kind[] {
  const isOpen = ({ author, seq }: Message): boolean => author === 'visitor' && seq >= fromSeq
  // The reply to the previous turn may have been stored after the messages of this one.
  const kept = messages.filter(({ removedAt }) => removedAt === undefined)
  return [...kept.filter(message => !isOpen(message)), ...kept.filter(isOpen)]
}
