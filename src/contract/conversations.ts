import * as v from 'valibot'
import { maxMessageLength, messageIdSchema, messageSchema, messageTextSchema } from './messages.ts'
import { limitSchema } from './pagination.ts'
import { fieldMessage, string } from './validation.ts'

/** Whom a conversation is held with, `null` where the visitor is anonymous. */
export const partnerSchema = v.nullable(v.object({ id: v.string(), name: v.string() }))

/** A conversation as the organization's server sees it (ours); one without a message is not shown. */
export const conversationSchema = v.object({
  id: v.string(),
  contact: partnerSchema,
  lastSeq: v.number(),
  readSeq: v.number(),
  /** Messages that the visitor has not read yet. */
  unread: v.number(),
  lastMessage: messageSchema,
  /** Until when the responder is silent because an agent has taken over, or `null`. */
  pausedUntil: v.nullable(v.string()),
  createdAt: v.string(),
})
export type Conversation = v.InferOutput<typeof conversationSchema>

/** A page of conversations, that with the newest message first; `next` is the next page's `after`, `null` at the end. */
export const conversationPageSchema = v.object({ data: v.array(conversationSchema), next: v.nullable(v.string()) })
export type ConversationPage = v.InferOutput<typeof conversationPageSchema>

/** Where a page of conversations ends, as it stands in `next` and `after`: time of the last message, then id. */
const cursor = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z_[0-9a-f-]{36}$/

/** Query of the list of conversations. */
export const conversationListSchema = v.object({
  after: v.optional(
    v.pipe(string(), v.regex(cursor, fieldMessage('invalid_format', 'Must be the `next` of an earlier page.'))),
  ),
  limit: v.optional(limitSchema, '30'),
})
export type ConversationList = { after?: string; limit?: number }

/**
 * Body of an agent's message: `id` (a UUID made by the caller: sending it again is harmless) and `text`, or `handBack`
 * alone, or all of them. A message silences the responder; `handBack` lets it answer again.
 */
export const agentMessageSchema = v.pipe(
  v.object({
    id: v.optional(messageIdSchema),
    text: v.optional(messageTextSchema),
    format: v.optional(
      v.picklist(['plain', 'markdown'], fieldMessage('invalid_format', 'Must be plain or markdown.')),
      'plain',
    ),
    handBack: v.optional(v.boolean(fieldMessage('wrong_type', 'Must be true or false.')), false),
  }),
  v.forward(
    v.check(
      ({ id, text }) => id !== undefined || text === undefined,
      fieldMessage('missing', 'This field is required.'),
    ),
    ['id'],
  ),
  v.forward(
    v.check(
      ({ id, text, handBack }) => text !== undefined || (id === undefined && handBack),
      fieldMessage('missing', `Send a text of at most ${maxMessageLength} characters, or handBack.`),
    ),
    ['text'],
  ),
)
export type AgentMessage = v.InferInput<typeof agentMessageSchema>
