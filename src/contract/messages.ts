import * as v from 'valibot'
import { attachmentSchema, attachmentsSchema } from './attachments.ts'
import { attributesSchema, messageContextSchema } from './attributes.ts'
import { emailSchema } from './contacts.ts'
import { visitorTokenPattern } from './contactTokens.ts'
import * as answer from './formats.ts'
import { limitSchema, maxQueryNumber, positive } from './listQueries.ts'
import { localeSchema } from './locale.ts'
import { contentMissing, formatSchema, hasContent, withContent } from './messageContent.ts'
import { sourceSchema } from './sources.ts'
import { fieldMessage, isVisible, maxCodePoints, object, parameters, wholeNumber } from './validation.ts'

/** The longest message of a visitor or an agent, in code points after trimming. */
export const maxMessageLength = 4000

/** The person who wrote a message for the team, as the visitor sees it. */
export const senderSchema = object({
  name: answer.text('Name of the person.'),
  avatar: v.optional(answer.text('An https address of a picture.')),
})
export type Sender = v.InferOutput<typeof senderSchema>

/**
 * What the events of a conversation say: an agent has handed it back to the responder, it was handed over to the team, and
 * no agent has written in time.
 */
export const conversationEvents = ['handed_back', 'handover_requested', 'handover_expired'] as const
export type ConversationEventName = (typeof conversationEvents)[number]

/** A stored message; `seq` counts from 1 within its conversation, without gaps. `id` is the sender's UUID. */
export const messageSchema = object({
  id: answer.id('Id that the sender has given the message.'),
  seq: answer.integer('Position in its conversation: 1, 2, 3, without gaps.', 1),
  author: v.pipe(v.picklist(['visitor', 'bot', 'agent', 'system']), v.description('Author of the message.')),
  text: answer.text('Text of the message. It may be empty if the message has files.'),
  format: formatSchema,
  quickReplies: v.optional(v.pipe(v.array(v.string()), v.description('Answers to choose from.'))),
  sender: v.optional(
    v.pipe(senderSchema, v.description('The person of the team who wrote the message, if the agent named one.')),
  ),
  sources: v.optional(
    v.pipe(v.array(sourceSchema), v.description('Where the answer has its content from, if its author has said so.')),
  ),
  event: v.optional(
    answer.text(
      `Something that has happened, in place of a text: ${conversationEvents.map(name => `\`${name}\``).join(', ')}. Ignore the message if you do not know its event. It never counts as unread.`,
    ),
  ),
  attachments: v.optional(v.pipe(v.array(attachmentSchema), v.description('The files of the message.'))),
  createdAt: answer.timestamp('When it was stored.'),
  rating: v.optional(
    v.pipe(v.picklist(['up', 'down']), v.description('How the visitor rates the answer; absent if not at all.')),
  ),
  removedAt: v.optional(
    answer.timestamp('When the organization removed it. Of a removed message only its place is left: `text` is `""`.'),
  ),
})
export type Message = v.InferOutput<typeof messageSchema>

/** A message as the organization sees it. A visitor's message has the context that was known when it was sent, if any. */
export const messageWithContextSchema = object({
  ...messageSchema.entries,
  context: v.optional(messageContextSchema),
})
export type MessageWithContext = v.InferOutput<typeof messageWithContextSchema>

/** A message's id in lower case. */
export const messageIdPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** A message's id: a UUID by its sender, which makes repetitions safe. */
export const messageIdSchema = v.pipe(
  v.string(),
  v.toLowerCase(),
  v.regex(messageIdPattern, fieldMessage('invalid_format', 'Must be a UUID.')),
  v.metadata({
    description: 'A UUID that the sender creates. Sending the same message again is harmless.',
    format: 'uuid',
    pattern: messageIdPattern.source.replaceAll('a-f', 'a-fA-F'),
  }),
)

/** Keeps the indentation of the first line if there are others, as in pasted code. */
function trimText(text: string): string {
  const lines = text.trimEnd().replace(/^\s*\n/, '')
  return lines.includes('\n') ? lines : lines.trim()
}

/** The text of a visitor's or an agent's message. It is empty if nothing of it can be seen. */
export const messageTextSchema = v.pipe(
  v.string(),
  v.metadata({
    description:
      'Text of the message. White space around it is removed, but for the indentation of the first of several lines. May be empty or absent beside `attachments`.',
    maxLength: maxMessageLength,
    pattern: '^[^\\u0000]*$',
  }),
  v.transform(trimText),
  v.check(
    text => text.isWellFormed() && !text.includes('\0'),
    fieldMessage('invalid_character', 'Must not contain NUL or unpaired surrogates.'),
  ),
  maxCodePoints(maxMessageLength),
  v.transform(text => (isVisible(text) ? text : '')),
)

/** Body of send message. */
export const messageCreateSchema = v.pipe(
  object({
    id: messageIdSchema,
    text: v.optional(messageTextSchema),
    attachments: v.optional(attachmentsSchema),
    /** Facts about the visitor according to the page. Not compared when a message is sent again. */
    context: v.optional(attributesSchema),
    /** The language that the widget shows. Not compared when a message is sent again. */
    locale: v.optional(localeSchema),
  }),
  // Also if other fields are wrong, so that the response names all errors.
  v.forward(v.partialCheck([['text'], ['attachments']], hasContent, contentMissing), ['text']),
  v.metadata(withContent),
)
export type MessageCreate = v.InferInput<typeof messageCreateSchema>

/** Query of the history: the newest messages below `before`, in ascending order. */
export const messageListSchema = parameters({
  before: v.optional(positive('Only messages with a smaller `seq`; default: the newest.')),
  limit: v.optional(limitSchema, '30'),
})
export type MessageList = { before?: number; limit?: number }

/** Body of mark read. */
export const readSchema = object({
  seq: wholeNumber('`seq` of the last message read. The position never moves back, nor beyond the last message.', 0),
})
export type Read = v.InferInput<typeof readSchema>

/** Body of stop reply. */
export const stopSchema = object({
  id: v.pipe(messageIdSchema, v.description('Id of the reply, from `typing` or `message.delta`.')),
})
export type Stop = v.InferInput<typeof stopSchema>

/** Body of rate message. `null` takes the rating back. */
export const messageRateSchema = object({
  id: messageIdSchema,
  rating: v.nullable(v.picklist(['up', 'down'], fieldMessage('invalid_format', 'Must be up, down or null.'))),
})
export type MessageRate = v.InferInput<typeof messageRateSchema>
/** A visitor's rating of an answer. */
export type Rating = NonNullable<Message['rating']>

/** The form of a nonce: 16 to 64 characters of base64url. */
export const noncePattern: RegExp = /^[A-Za-z0-9_-]{16,64}$/

/**
 * A random text, new for each request, that the response repeats. A response with another nonce belongs to
 * another request: a page's service worker may respond with what it has cached for another person.
 */
export const nonceSchema = v.pipe(
  v.string(),
  v.regex(noncePattern, fieldMessage('invalid_format', 'Must be 16 to 64 characters of A-Z, a-z, 0-9, _ and -.')),
  v.metadata({
    description: 'A random text, new for each request. The response returns it.',
    minLength: 16,
    maxLength: 64,
  }),
)

/** Body of a request by `POST` that needs nothing else: retrieve session, and download a file. */
export const nonceRequestSchema = object({ nonce: nonceSchema })
export type NonceRequest = v.InferInput<typeof nonceRequestSchema>

/** Body of list messages by `POST`; `before` and `limit` are the same as in the query. */
export const messageListRequestSchema = object({
  nonce: nonceSchema,
  before: v.optional(wholeNumber('Only messages with a smaller `seq`; default: the newest.', 1, maxQueryNumber)),
  limit: v.optional(wholeNumber('The most entries of a page.', 1, 100), 30),
})
export type MessageListRequest = v.InferInput<typeof messageListRequestSchema>

/** Body of stream events by `POST`. */
export const eventStreamRequestSchema = object({
  nonce: nonceSchema,
  after: v.optional(wholeNumber('Replay the messages after this `seq`; default: none.', 0, maxQueryNumber)),
  revision: v.optional(wholeNumber('Replay the changes after this `revision`; default: none.', 0, maxQueryNumber)),
})

/** How often messages of a conversation have been changed after they were stored. */
const revisionSchema = answer.integer(
  'How often messages of the conversation have been changed after they were stored. New messages do not count.',
)

/** A page of messages as the widget gets it. */
export const messagePageSchema = object({
  data: v.array(messageSchema),
  revision: v.pipe(
    revisionSchema,
    v.description('The page contains all changes up to this `revision` of the conversation.'),
  ),
})
export type MessagePage = v.InferOutput<typeof messagePageSchema>

/** The state of a conversation: its last message and change, the visitor's read position, the number of unread messages. */
export const conversationStateSchema = object({
  lastSeq: answer.integer('`seq` of the last message, 0 if there is none.'),
  readSeq: answer.integer('`seq` of the last message that the visitor has read.'),
  unread: answer.integer('Messages that the visitor has not read.'),
  revision: revisionSchema,
  hasEmail: v.optional(
    v.pipe(v.boolean(), v.description('Whether the anonymous visitor has left an email address; absent if not.')),
  ),
})
export type ConversationState = v.InferOutput<typeof conversationStateSchema>

/** The contact of a conversation; `null` if the visitor is anonymous. */
export const partnerSchema = v.nullable(object({ id: answer.id('Id of the contact.'), name: answer.text('Its name.') }))

/** A session's contact and conversation. */
export const sessionSchema = object({ contact: partnerSchema, conversation: conversationStateSchema })
export type Session = v.InferOutput<typeof sessionSchema>

/** Body of leave email. */
export const visitorEmailSchema = object({
  email: emailSchema,
  /** The language that the widget shows, in which the visitor gets emails. */
  locale: v.optional(localeSchema),
})
export type VisitorEmail = v.InferInput<typeof visitorEmailSchema>

/** A new anonymous session; each use extends `expiresAt`. */
export const visitorSessionSchema = object({
  token: v.pipe(answer.text('Bearer of the session.'), v.metadata({ pattern: visitorTokenPattern.source })),
  createdAt: answer.timestamp('When the session began.'),
  expiresAt: answer.timestamp('When it ends if it is not used before.'),
})
export type VisitorSession = v.InferOutput<typeof visitorSessionSchema>

/** Why a session has ended. */
export const endReasons = ['revoked', 'expired', 'contact_deleted', 'logged_out'] as const
export type EndReason = (typeof endReasons)[number]

/** The events of an event stream: the SSE event's name and its JSON data. */
export const streamEventSchemas = {
  /** The first event of a stream that was opened by `POST`; a stream opened by `GET` has none. */
  opened: object({ nonce: answer.text('The nonce of the request that opened the stream.') }),
  /** A stored message; the SSE `id` is its seq. */
  message: messageSchema,
  /** A stored message that has been changed. A client that does not have the message ignores it. */
  'message.changed': object({ revision: revisionSchema, message: messageSchema }),
  /** An increment of a reply being streamed, at a UTF-16 offset; not stored. */
  'message.delta': object({
    id: answer.id('Id that the message will have when it is stored.'),
    offset: answer.integer('Position of the text in the reply, in UTF-16 units.'),
    text: answer.text('The increment.'),
    format: v.optional(messageSchema.entries.format),
  }),
  /** The reply with this id is cancelled. */
  'message.aborted': object({ id: answer.id('Id of the cancelled reply.') }),
  typing: object({
    author: v.pipe(v.picklist(['bot', 'agent']), v.description('Who is writing.')),
    id: v.optional(answer.id('Id that the message will have when it is stored, if the bot writes it.')),
    sender: v.optional(
      v.pipe(senderSchema, v.description('The person of the team who is writing, if the agent named one.')),
    ),
    thinking: v.optional(v.pipe(v.boolean(), v.description('Whether the bot thinks about its reply.'))),
    status: v.optional(answer.text('What the bot does before it writes, according to its webhook: plain text.')),
  }),
  read: object({ seq: answer.integer('`seq` of the last message that the visitor has read.') }),
  /** The stream is too far behind for a replay: fetch the history again. */
  reset: object({}),
  'session.ended': object({ reason: v.pipe(v.picklist(endReasons), v.description('Why the session has ended.')) }),
} as const
export type StreamEventName = keyof typeof streamEventSchemas
/** A changed message, with the conversation's revision since the change. */
export type MessageChange = v.InferOutput<(typeof streamEventSchemas)['message.changed']>
/** One event of the stream as `{ event, data }`. */
export type StreamEvent = {
  [Name in StreamEventName]: { event: Name; data: v.InferOutput<(typeof streamEventSchemas)[Name]> }
}[StreamEventName]
