import * as v from 'valibot'
import { limitSchema } from './pagination.ts'
import { codePoints, fieldMessage, string } from './validation.ts'

/** Longest message of a visitor or an agent, in code points after trimming (ours). */
export const maxMessageLength = 4000

/** A stored message; `seq` counts from 1 within its conversation, without gaps. `id` is the sender's UUID. */
export const messageSchema = v.object({
  id: v.string(),
  seq: v.number(),
  author: v.picklist(['visitor', 'bot', 'agent', 'system']),
  text: v.string(),
  format: v.picklist(['plain', 'markdown']),
  quickReplies: v.optional(v.array(v.string())),
  createdAt: v.string(),
})
export type Message = v.InferOutput<typeof messageSchema>

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** A message's id: its sender's own UUID makes sending it again harmless. */
export const messageIdSchema = v.pipe(
  string(),
  v.toLowerCase(),
  v.regex(uuid, fieldMessage('invalid_format', 'Must be a UUID.')),
)

/** What a person may say in one message. */
export const messageTextSchema = v.pipe(
  string(),
  v.trim(),
  v.check(
    text => text.isWellFormed() && !text.includes('\0'),
    fieldMessage('invalid_character', 'Must not hold NUL or unpaired surrogates.'),
  ),
  v.check(text => text !== '', fieldMessage('too_short', 'Must not be empty.')),
  v.check(
    text => codePoints(text) <= maxMessageLength,
    fieldMessage('too_long', `Must have at most ${maxMessageLength} characters.`),
  ),
)

/** Body of send message. */
export const messageCreateSchema = v.object({ id: messageIdSchema, text: messageTextSchema })
export type MessageCreate = v.InferInput<typeof messageCreateSchema>

/** Query of the history: the newest page that ends before `before`, ascending inside. */
export const messageListSchema = v.object({
  before: v.optional(
    v.pipe(
      string(),
      v.regex(/^[1-9]\d{0,14}$/, fieldMessage('out_of_range', 'Must be a whole number from 1 on.')),
      v.transform(Number),
    ),
  ),
  limit: v.optional(limitSchema, '30'),
})
export type MessageList = { before?: number; limit?: number }

/** Body of mark read. */
export const readSchema = v.object({
  seq: v.pipe(
    v.number(issue =>
      issue.input === undefined
        ? fieldMessage('missing', 'This field is required.')
        : fieldMessage('wrong_type', 'Must be a number.'),
    ),
    v.safeInteger(fieldMessage('out_of_range', 'Must be a whole number.')),
    v.minValue(0, fieldMessage('out_of_range', 'Must not be negative.')),
  ),
})
export type Read = v.InferInput<typeof readSchema>

/** Where a conversation stands: its last message, how far the visitor has read, how many not. */
export const conversationStateSchema = v.object({ lastSeq: v.number(), readSeq: v.number(), unread: v.number() })
export type ConversationState = v.InferOutput<typeof conversationStateSchema>

/** Whom the bearer's session belongs to: a contact, or nobody (`null`) in an anonymous one. */
export const sessionSchema = v.object({
  contact: v.nullable(v.object({ id: v.string(), name: v.string() })),
  conversation: conversationStateSchema,
})
export type Session = v.InferOutput<typeof sessionSchema>

/** A fresh anonymous session; `expiresAt` moves on with each use. */
export const visitorSessionSchema = v.object({ token: v.string(), createdAt: v.string(), expiresAt: v.string() })
export type VisitorSession = v.InferOutput<typeof visitorSessionSchema>

/** Why a session is over. */
export const endReasons = ['revoked', 'expired', 'contact_deleted', 'logged_out'] as const
export type EndReason = (typeof endReasons)[number]

/** What arrives on `GET /events`: the SSE event's name and its JSON data. */
export const streamEventSchemas = {
  /** A stored message; the SSE `id` is its seq. */
  message: messageSchema,
  /** An increment of a reply being streamed, at a UTF-16 offset; not stored. */
  'message.delta': v.object({ id: v.string(), offset: v.number(), text: v.string() }),
  /** The reply of that id will not come. */
  'message.aborted': v.object({ id: v.string() }),
  typing: v.object({ author: v.picklist(['bot', 'agent']) }),
  read: v.object({ seq: v.number() }),
  /** Too far behind to replay: fetch the history again. */
  reset: v.object({}),
  'session.ended': v.object({ reason: v.picklist(endReasons) }),
} as const
export type StreamEventName = keyof typeof streamEventSchemas
/** One event of the stream as `{ event, data }`. */
export type StreamEvent = {
  [Name in StreamEventName]: { event: Name; data: v.InferOutput<(typeof streamEventSchemas)[Name]> }
}[StreamEventName]
