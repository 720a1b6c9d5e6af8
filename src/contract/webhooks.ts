import * as v from 'valibot'
import { botSettingsSchemas, maxQuickReplies } from './bots.ts'
import { id, integer, text, timestamp } from './formats.ts'
import { formatSchema } from './messageContent.ts'
import { endReasons, messageSchema, messageWithContextSchema, partnerSchema } from './messages.ts'
import { sourcesSchema } from './sources.ts'
import { maxEntries, object } from './validation.ts'

const envelope = {
  id: text('Id of the event. It stays the same when the event is sent again, so that repetitions can be ignored.'),
  createdAt: timestamp('When the event happened.'),
  botId: id('Id of the bot.'),
}
/** What is sent about a conversation. */
const event = <const Type extends string, const Data extends v.ObjectEntries>(type: Type, data: Data) =>
  object({
    ...envelope,
    type: v.literal(type),
    data: object({ conversationId: id('Id of the conversation.'), contact: partnerSchema, ...data }),
  })

/** An event sent to an organization's `events` webhook: at least once, so use `id` to detect repetitions. */
export const webhookEventSchema = v.variant('type', [
  event('conversation.created', {}),
  event('message.created', { message: messageWithContextSchema }),
  event('message.rated', { message: v.pipe(messageSchema, v.description('The answer, with its `rating` if any.')) }),
  event('message.removed', { message: v.pipe(messageSchema, v.description('What is left of the message.')) }),
  event('message.unread', { unread: integer('Messages that the contact has not read.', 1) }),
  event('session.ended', { reason: v.pipe(v.picklist(endReasons), v.description('Why the session has ended.')) }),
  event('handover.requested', {}),
])
export type WebhookEvent = v.InferOutput<typeof webhookEventSchema>

/** A request to a `webhook` responder. `id` is the id of the turn, which is the same for a retry. */
export const turnRequestSchema = event('turn.requested', {
  messages: v.pipe(v.array(messageWithContextSchema), v.description('The end of the conversation, oldest first.')),
})
export type TurnRequest = v.InferOutput<typeof turnRequestSchema>

/** Any event or request, also of a later platform: what all of them have in common. */
export const webhookEnvelopeSchema = object({ ...envelope, type: v.string(), data: v.unknown() })

const quickRepliesSchema = v.pipe(
  v.array(botSettingsSchemas.quickReply),
  maxEntries(maxQuickReplies),
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

/** The longest `status` of a webhook's reply, in code points. */
export const maxStatusLength = 80

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
  status: v.optional(
    text(
      `What the bot does before it writes, as plain text. The visitor sees it, up to ${maxStatusLength} characters, until the next one or the first text comes. It is not stored; \`""\` removes it.`,
    ),
  ),
})
export type TurnPiece = v.InferInput<typeof turnPieceSchema>
