import type { Message, Session } from '../messages.ts'
import type { ParameterObject } from './document.ts'
import type { Documented } from './documentation.ts'
import { answer, botId, contact, nonce, question, visitorToken } from './samples.ts'

const after: ParameterObject = {
  name: 'after',
  in: 'query',
  description: 'Replay what came after this `seq`; default: from now on.',
  schema: { type: 'integer', minimum: 0 },
}
const lastEventId: ParameterObject = {
  name: 'Last-Event-ID',
  in: 'header',
  description: 'As `after`, and beats it; browsers send it when they come back.',
  schema: { type: 'string' },
}
const ifNoneMatch: ParameterObject = {
  name: 'If-None-Match',
  in: 'header',
  description: 'The `ETag` of an answer that the client holds.',
  schema: { type: 'string' },
}

const events = `event: message.delta
data: {"id":"${answer.id}","offset":0,"text":"Hello Ada! "}

id: 2
event: message
data: ${JSON.stringify(answer)}

`

const session: Session = {
  contact: { id: contact.id, name: contact.name },
  conversation: { lastSeq: 3, readSeq: 2, unread: 1 },
}
const messages: Message[] = [question, answer]

const whyNonce =
  'For pages whose service worker stores the answers to `GET` and may give one person’s to another: nothing stores a `POST`, and an answer without the request’s `nonce` belongs to another request and must be dropped.'

/** The widget's endpoints (ours). */
export const widgetDocumentation: Documented<
  | 'retrieveBotProfile'
  | 'createVisitorSession'
  | 'retrieveSession'
  | 'retrieveSessionWithNonce'
  | 'endSession'
  | 'listMessages'
  | 'listMessagesWithNonce'
  | 'sendMessage'
  | 'markRead'
  | 'streamEvents'
  | 'streamEventsWithNonce'
> = {
  retrieveBotProfile: {
    description: 'What anyone may know of a bot. May be cached for a minute.',
    success: 'The bot’s profile.',
    response: {
      data: {
        id: botId,
        name: 'Acme Outfitters',
        subtitle: 'Answers at once, day and night',
        avatar: '',
        greeting: 'Hello! What can I do for you?',
        quickReplies: ['Where is my order?'],
        accent: '#3b5bdb',
        locale: 'en',
        images: false,
        visitors: 'everyone',
      },
    },
    parameters: [ifNoneMatch],
  },
  createVisitorSession: {
    description:
      'For a visitor whom nobody has identified. It ends 24 hours after its last use. Limited by address and by bot. Where the bot’s `visitors` is `contacts` there are none, and those that were open have ended with `token_revoked`.',
    success: 'The session’s bearer.',
    response: {
      data: { token: visitorToken, createdAt: '2030-01-15T12:00:00.000Z', expiresAt: '2030-01-16T12:00:00.000Z' },
    },
  },
  retrieveSession: {
    description:
      'Whom the bearer belongs to, and where the conversation stands. `contact` is `null` in an anonymous session.',
    success: 'The session.',
    response: { data: session },
  },
  retrieveSessionWithNonce: {
    description: `The same as \`GET …/widget/session\`. ${whyNonce}`,
    success: 'The session, and the nonce of the request.',
    requests: { session: { nonce } },
    response: { data: session, nonce },
  },
  endSession: {
    description: 'Logout, which revokes the bearer itself: it is of no use afterwards, and its open streams end.',
    success: 'Logged out.',
  },
  listMessages: {
    description: 'The newest page first, ascending inside a page.',
    success: 'A page of messages, ascending.',
    response: { data: messages },
  },
  listMessagesWithNonce: {
    description: `The same as \`GET …/widget/messages\`, with \`before\` and \`limit\` in the body. ${whyNonce}`,
    success: 'A page of messages, ascending, and the nonce of the request.',
    requests: { newest: { nonce }, older: { nonce, before: 31, limit: 30 } },
    response: { data: messages, nonce },
  },
  sendMessage: {
    description:
      '`id` makes a repetition harmless: the same id and text again is answered with 200 and the stored message, another text with 409. `context` is what the page says of the visitor; it is kept with the message for the organization alone, and not compared.',
    success: 'The message was stored.',
    requests: {
      message: { id: question.id, text: question.text },
      withContext: { id: question.id, text: question.text, context: { cart: 3, 'page.path': '/orders' } },
    },
    response: { data: question },
  },
  markRead: {
    description: 'Only forward; a `seq` beyond the last message counts as the last.',
    success: 'Noted.',
    requests: { read: { seq: 2 } },
  },
  streamEvents: {
    description: [
      'Server-sent events. `message` is stored and its `id:` is its `seq`; `message.delta` (at most one every 50 ms) and `message.aborted` tell of a reply being written; `typing`, `read`; `reset` asks to fetch the history again (more than 200 messages behind); `session.ended` says why the session is over, and is the last. A comment every 15 seconds keeps the line open.',
      'The data of each event is described by the schemas `Message` and `Stream…`. At most 20 streams a token; the oldest ends. Beyond the limit of open streams of an address the answer is 429, beyond that of the server 503: ask for messages instead, and try again after `Retry-After`.',
    ].join('\n\n'),
    success: 'The events, until either side hangs up.',
    response: `: connected\n\n${events}`,
    parameters: [after, lastEventId],
  },
  streamEventsWithNonce: {
    description: [
      'The same as `GET …/widget/events`, with `after` in the body; `Last-Event-ID` is not looked at. The first event is `opened`, which returns the `nonce` before anything else is sent.',
      whyNonce,
    ].join('\n\n'),
    success: 'The events, until either side hangs up.',
    requests: { live: { nonce }, resumed: { nonce, after: 1 } },
    response: `event: opened\ndata: {"nonce":"${nonce}"}\n\n${events}`,
  },
}
