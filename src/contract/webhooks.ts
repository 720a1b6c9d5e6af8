import * as v from 'valibot'
import { partnerSchema } from './conversations.ts'
import { endReasons, messageSchema } from './messages.ts'

const envelope = { id: v.string(), createdAt: v.string(), botId: v.string() }
const talk = { conversationId: v.string(), contact: partnerSchema }

/** What an organization's `events` webhook is told (ours): at least once, so `id` tells a repetition. */
export const webhookEventSchema = v.variant('type', [
  v.object({ ...envelope, type: v.literal('conversation.created'), data: v.object(talk) }),
  v.object({ ...envelope, type: v.literal('message.created'), data: v.object({ ...talk, message: messageSchema }) }),
  v.object({
    ...envelope,
    type: v.literal('session.ended'),
    data: v.object({ ...talk, reason: v.picklist(endReasons) }),
  }),
])
export type WebhookEvent = v.InferOutput<typeof webhookEventSchema>

/** What a `webhook` responder is asked (ours); `id` is the turn's, the same when it is asked again. */
export const turnRequestSchema = v.object({
  ...envelope,
  type: v.literal('turn.requested'),
  data: v.object({ ...talk, messages: v.array(messageSchema) }),
})
export type TurnRequest = v.InferOutput<typeof turnRequestSchema>

/** What a `webhook` responder answers as `application/json`; streamed answers are text/plain or text/event-stream. */
export const turnReplySchema = v.object({
  text: v.string(),
  format: v.optional(v.picklist(['plain', 'markdown']), 'plain'),
  quickReplies: v.optional(v.array(v.string()), []),
})
export type TurnReply = v.InferInput<typeof turnReplySchema>
