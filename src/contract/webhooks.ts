import * as v from 'valibot'
import { botSettingsSchemas, maxQuickReplies } from './bots.ts'
import { partnerSchema } from './conversations.ts'
import { id, text, timestamp } from './formats.ts'
import { endReasons, messageWithContextSchema } from './messages.ts'
import { fieldMessage } from './validation.ts'

const envelope = {
  id: text('The same each time this is told, so that a repetition can be ignored.'),
  createdAt: timestamp('When it happened.'),
  botId: id('The bot that it happened to.'),
}
const talk = { conversationId: id('The conversation.'), contact: partnerSchema }

/** An event sent to an organization's `events` webhook (ours): at least once, so use `id` to detect repetitions. */
export const webhookEventSchema = v.variant('type', [
  v.object({ ...envelope, type: v.literal('conversation.created'), data: v.object(talk) }),
  v.object({
    ...envelope,
    type: v.literal('message.created'),
    data: v.object({ ...talk, message: messageWithContextSchema }),
  }),
  v.object({
    ...envelope,
    type: v.literal('session.ended'),
    data: v.object({ ...talk, reason: v.pipe(v.picklist(endReasons), v.description('Why it ended.')) }),
  }),
])
export type WebhookEvent = v.InferOutput<typeof webhookEventSchema>

/** A request to a `webhook` responder (ours). `id` is the turn's, and is the same for a retry. */
export const turnRequestSchema = v.object({
  ...envelope,
  type: v.literal('turn.requested'),
  data: v.object({
    ...talk,
    messages: v.pipe(v.array(messageWithContextSchema), v.description('The end of the conversation, oldest first.')),
  }),
})
export type TurnRequest = v.InferOutput<typeof turnRequestSchema>

const formatSchema = v.pipe(v.picklist(['plain', 'markdown']), v.description('How the text is meant.'))
const quickRepliesSchema = v.pipe(
  v.array(botSettingsSchemas.quickReply),
  v.maxLength(maxQuickReplies, fieldMessage('too_long', `Must hold at most ${maxQuickReplies}.`)),
  v.description('Answers to choose from.'),
)

/** The reply of a `webhook` responder as `application/json`. A `text/plain` reply is the text itself. */
export const turnReplySchema = v.object({
  text: text('What the visitor is told.'),
  format: v.optional(formatSchema, 'plain'),
  quickReplies: v.optional(quickRepliesSchema, []),
})
export type TurnReply = v.InferInput<typeof turnReplySchema>

/**
 * One `data:` of a `webhook` responder's reply as `text/event-stream`: text to append and its properties. The last one
 * is `[DONE]`.
 */
export const turnPieceSchema = v.object({
  text: v.optional(text('To append to what the visitor reads.')),
  format: v.optional(formatSchema),
  quickReplies: v.optional(quickRepliesSchema),
})
export type TurnPiece = v.InferInput<typeof turnPieceSchema>
