import * as v from 'valibot'
import { attachmentsSchema } from './attachments.ts'
import { avatarSchema } from './bots.ts'
import { nameSchema } from './contacts.ts'
import { id, integer, text, timestamp } from './formats.ts'
import { maxAgentNameLength } from './limits.ts'
import { cursorSchema, limitSchema, nextSchema } from './listQueries.ts'
import { contentMissing, formatSchema, hasContent, withContent } from './messageContent.ts'
import { messageIdSchema, messageTextSchema, messageWithContextSchema, partnerSchema } from './messages.ts'
import { sourcesSchema } from './sources.ts'
import { fieldMessage, maxCodePoints, object, parameters } from './validation.ts'

/** The longest time for which an agent's message can pause the responder. */
export const maxAgentPauseMs = 7 * 24 * 60 * 60 * 1000

/**
 * Who answers: the responder (`bot`), nobody yet (`waiting`, the visitor was handed over), a person (`open`), or nobody any
 * more (`closed`). A visitor's message reopens a closed conversation.
 */
export const conversationStates = ['bot', 'waiting', 'open', 'closed'] as const
export type ConversationStateName = (typeof conversationStates)[number]

/** A conversation in the organization's endpoints. Conversations without messages are not listed. */
export const conversationSchema = object({
  id: id('Id of the conversation.'),
  contact: partnerSchema,
  lastSeq: integer('`seq` of the last message.', 1),
  readSeq: integer('`seq` of the last message that the visitor has read.'),
  unread: integer('Messages that the visitor has not read yet.'),
  lastMessage: messageWithContextSchema,
  state: v.pipe(
    v.picklist(conversationStates),
    v.description(
      'Who answers: `bot` the responder, `waiting` nobody yet, `open` a person, `closed` nobody until the visitor writes again.',
    ),
  ),
  assignee: v.nullable(text('Name of the member of the desk who owns the conversation.')),
  pausedUntil: v.nullable(timestamp('End of the pause of the responder, while an agent answers or is waited for.')),
  waitingSince: v.nullable(timestamp('Since when the visitor waits for a person; `null` unless `state` is `waiting`.')),
  createdAt: timestamp('When the conversation began.'),
})
export type Conversation = v.InferOutput<typeof conversationSchema>

/** A page of conversations, newest message first; `next` is the next page's `after`, `null` at the end. */
export const conversationPageSchema = object({ data: v.array(conversationSchema), next: nextSchema })
export type ConversationPage = v.InferOutput<typeof conversationPageSchema>

/** Query of the list of conversations. */
export const conversationListSchema = parameters({ after: cursorSchema, limit: v.optional(limitSchema, '30') })
export type ConversationList = { after?: string; limit?: number }

/** Who of the team writes, as the visitor is to see it. */
const agentSchema = object({
  name: v.pipe(
    nameSchema,
    maxCodePoints(maxAgentNameLength),
    v.metadata({ description: 'Name of the person.', maxLength: maxAgentNameLength }),
  ),
  avatar: v.optional(
    v.pipe(avatarSchema, v.metadata({ description: 'An https address of a picture, or `""`.', maxLength: 2048 })),
    '',
  ),
})

const asSchema = v.optional(
  v.pipe(
    agentSchema,
    v.transform(({ name, avatar }) => (avatar ? { name, avatar } : { name })),
    v.description('The person whom the visitor sees; without it the message is from a "Team member".'),
  ),
)

/** Body of a typing notice of an agent. */
export const agentTypingSchema = object({ as: asSchema })
export type AgentTyping = v.InferInput<typeof agentTypingSchema>

/** Whether an agent's request has a message, beside `handBack` or in place of it. */
const hasMessage = ({ id, text, attachments }: { id?: unknown; text?: unknown; attachments?: unknown }): boolean =>
  id !== undefined || text !== undefined || attachments !== undefined

/**
 * Body of an agent's message: `id` with `text`, `attachments` or both, or `handBack` alone, or all of them. `id` is a UUID
 * that the caller creates, which makes repetitions safe. A message pauses the responder; `handBack` ends the pause.
 */
export const agentMessageSchema = v.pipe(
  object({
    id: v.optional(messageIdSchema),
    text: v.optional(messageTextSchema),
    format: v.optional(formatSchema, 'plain'),
    as: asSchema,
    sources: v.optional(sourcesSchema),
    attachments: v.optional(attachmentsSchema),
    handBack: v.optional(
      v.pipe(v.boolean(), v.description('Lets the responder answer again, after the message if there is one.')),
      false,
    ),
  }),
  v.forward(
    v.check(
      message => message.id !== undefined || !hasMessage(message),
      fieldMessage('missing', 'This field is required.'),
    ),
    ['id'],
  ),
  v.forward(
    v.check(message => hasContent(message) || (message.handBack && !hasMessage(message)), contentMissing),
    ['text'],
  ),
  v.metadata({
    anyOf: [
      { required: ['id'], ...withContent },
      { required: ['handBack'], properties: { handBack: { const: true } }, not: { required: ['id'] } },
    ],
    dependentRequired: { text: ['id'], attachments: ['id'] },
  }),
)
export type AgentMessage = v.InferInput<typeof agentMessageSchema>
