import * as v from 'valibot'
import { botSettingsSchemas, maxQuickReplies } from './bots.ts'
import { partnerSchema } from './conversations.ts'
import { id, integer, text, timestamp } from './formats.ts'
import { endReasons, messageSchema, messageWithContextSchema } from './messages.ts'
import { sourcesSchema } from './sources.ts'
import { fieldMessage, object } from './validation.ts'

const envelope = {
  id: text('Id of the event. It stays the same when the event is sent again, so that repetitions can be ignored.'),
  createdAt: timestamp('When the event happened.'),
  botId: id('Id of the bot.'),
}
const talk = { conversationId: id('Id of the conversation.'), contact: partnerSchema }

/** An event sent to an organization's `events` webhook: at least once, so use `id` to detect repetitions. */
export const webhookEventSchema = v.variant('type', [
  object({ ...envelope, type: v.literal('conversation.created'), data: object(talk) }),
  object({
    ...envelope,
    type: v.literal('message.created'),
    data: object({ ...talk, message: messageWithContextSchema }),
  }),
  object({
    ...envelope,
    type: v.literal('message.rated'),
    data: object({ ...talk, message: v.pipe(messageSchema, v.description('The answer, with its `rating` if any.')) }),
  }),
  object({
    ...envelope,
    type: v.literal('message.removed'),
    data: object({ ...talk, message: v.pipe(messageSchema, v.description('What is left of the message.')) }),
  }),
  object({
    ...envelope,
    type: v.literal('message.unread'),
    data: object({ ...talk, unread: integer('Messages that the contact has not read.', 1) }),
  }),
  object({
    ...envelope,
    type: v.literal('session.ended'),
    data: object({ ...talk, reason: v.pipe(v.picklist(endReasons), v.description('Why the session has ended.')) }),
  }),
  object({ ...envelope, type: v.literal('handover.requested'), data: object(talk) }),
])
export type WebhookEvent = v.InferOutput<typeof webhookEventSchema>

/** A request to a `webhook` responder. `id` is the id of the turn, which is the same for a retry. */
export const turnRequestSchema = object({
  ...envelope,
  type: v.literal('turn.requested'),
  data: object({
    ...talk,
    messages: v.pipe(v.array(messageWithContextSchema), v.description('The end of the conversation, oldest first.')),
  }),
})
export type TurnRequest = v.InferOutput<typeof turnRequestSchema>

/** Any event or request, also of a later platform: what all of them have in common. */
export const webhookEnvelopeSchema = object({ ...envelope, type: v.string(), data: v.unknown() })

const formatSchema = v.pipe(v.picklist(['plain', 'markdown']), v.description('Format of the text.'))
const quickRepliesSchema = v.pipe(
  v.array(botSettingsSchemas.quickReply),
  v.maxLength(maxQuickReplies, fieldMessage('too_long', `Must have at most ${maxQuickReplies} entries.`)),
  v.description('Answers that the visitor can choose from.'),
)

const handOverSchema = v.pipe(v.boolean(), v.description('Hands the conversation over to the team, after the reply.'))

/** The reply of a `webhook` responder as `application/json`. A `text/plain` reply is the text itself. */
export const turnReplySchema = object({
  text: text('Text of the reply. It may be empty if `handOver` is true.'),
  format: v.optional(formatSchema, 'plain'),
  quickReplies: v.optional(quickRepliesSchema, []),
  sources: v.optional(sourcesSchema),
  handOver: v.optional(handOverSchema, false),
})
export type TurnReply = v.InferInput<typeof turnReplySchema>

/**
 * One `data:` of a `webhook` responder's reply as `text/event-stream`: text to append and its properties. The last one
 * is `[DONE]`.
 */
export const turnPieceSchema = object({
  text: v.optional(text('Text to append to the reply.')),
  format: v.optional(formatSchema),
  quickReplies: v.optional(quickRepliesSchema),
  sources: v.optional(sourcesSchema),
  handOver: v.optional(handOverSchema),
})
export type TurnPiece = v.InferInput<typeof turnPieceSchema>
