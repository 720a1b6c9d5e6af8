import type { Message, Session } from '../messages.ts'
import type { ParameterObject } from './document.ts'
import type { Documented } from './documentation.ts'
import { deleting, downloading, uploading } from './files.ts'
import { answer, botId, contact, nonce, question, upload, visitorToken } from './samples.ts'

const after: ParameterObject = {
  name: 'after',
  in: 'query',
  description: 'Replay the messages after this `seq`; default: none.',
  schema: { type: 'integer', minimum: 0 },
}
const revision: ParameterObject = {
  name: 'revision',
  in: 'query',
  description: 'Replay the changes after this `revision`; default: none.',
  schema: { type: 'integer', minimum: 0 },
}
const lastEventId: ParameterObject = {
  name: 'Last-Event-ID',
  in: 'header',
  description: 'The same as `after`, and takes precedence over it. Browsers send it when they reconnect.',
  schema: { type: 'string' },
}
const ifNoneMatch: ParameterObject = {
  name: 'If-None-Match',
  in: 'header',
  description: 'The `ETag` of a response that the client has.',
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
  conversation: { lastSeq: 3, readSeq: 2, unread: 1, revision: 0 },
}
const messages: Message[] = [question, answer]

const whyNonce =
  'For pages whose service worker caches responses to `GET` and may give one person’s response to another. Responses to `POST` are not cached. A response without the request’s `nonce` belongs to another request and must be ignored.'

/** The widget's endpoints. */
export const widgetDocumentation: Documented<
  | 'retrieveBotProfile'
  | 'createVisitorSession'
  | 'retrieveSession'
  | 'retrieveSessionWithNonce'
  | 'endSession'
  | 'listMessages'
  | 'listMessagesWithNonce'
  | 'sendMessage'
  | 'uploadAttachment'
  | 'downloadAttachment'
  | 'downloadAttachmentWithNonce'
  | 'deleteAttachment'
  | 'markRead'
  | 'stopReply'
  | 'requestHandover'
  | 'rateMessage'
  | 'streamEvents'
  | 'streamEventsWithNonce'
> = {
  retrieveBotProfile: {
    description: 'The public profile of a bot. It may be cached for a minute.',
    success: 'The bot’s profile.',
    response: {
      data: {
        id: botId,
        name: 'Acme Outfitters',
        subtitle: 'Answers at once, day and night',
        avatar: '',
        greeting: 'Hello!\nWhat can I do for you?',
        quickReplies: ['Where is my order?'],
        accent: '#3b5bdb',
        locale: 'en',
        images: false,
        handover: true,
        agentPauseSeconds: 1800,
        ratings: true,
        attachments: true,
        visitors: 'everyone',
      },
    },
    parameters: [ifNoneMatch],
  },
  createVisitorSession: {
    description:
      'Creates a session for a visitor who is not identified. It ends 24 hours after its last use. New sessions are limited by address and by bot. A bot whose `visitors` is `contacts` has no anonymous sessions; earlier ones have ended with `token_revoked`.',
    success: 'The token of the session.',
    response: {
      data: { token: visitorToken, createdAt: '2030-01-15T12:00:00.000Z', expiresAt: '2030-01-16T12:00:00.000Z' },
    },
  },
  retrieveSession: {
    description:
      'The contact to whom the bearer belongs, and the state of the conversation. `contact` is `null` in an anonymous session.',
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
    description: 'Logs the visitor out: revokes the bearer itself and ends its open streams.',
    success: 'Logged out.',
  },
  listMessages: {
    description: 'Returns the newest page first. Messages in a page are in ascending order.',
    success: 'A page of messages, ascending.',
    response: { data: messages, revision: 0 },
  },
  listMessagesWithNonce: {
    description: `The same as \`GET …/widget/messages\`, with \`before\` and \`limit\` in the body. ${whyNonce}`,
    success: 'A page of messages, ascending, and the nonce of the request.',
    requests: { newest: { nonce }, older: { nonce, before: 31, limit: 30 } },
    response: { data: messages, revision: 0, nonce },
  },
  sendMessage: {
    description:
      'A message has a `text`, `attachments` or both. `id` makes a repetition harmless: the same id, text and files again get 200 and the stored message; other ones get 409. `context` contains facts about the visitor according to the page. It is stored with the message, only the organization sees it, and it is not compared. `locale` is the language that the widget shows, a BCP 47 tag. What the bot says by itself is in this language if the bot has none of its own. The latest one is kept with the conversation, and it is not compared. `earlier` contains up to 9 messages that are stored first, for a page that is being left. If one is refused, those after it are not stored, and those before it are.',
    success: 'The message was stored.',
    requests: {
      message: { id: question.id, text: question.text },
      file: { id: question.id, attachments: [{ id: upload.id, name: 'jacket.jpg' }] },
      severalAtOnce: { id: question.id, text: question.text, earlier: [{ id: upload.id, text: 'Hello' }] },
      withLocale: { id: question.id, text: question.text, locale: 'de-AT' },
      withContext: { id: question.id, text: question.text, context: { cart: 3, 'page.path': '/orders' } },
    },
    response: { data: question },
  },
  uploadAttachment: {
    description: uploading(
      'Then send its id with a message: `attachments: [{ id, name }]`. Until then only this session can read it. A bot takes a limited number of bytes per day (UTC), for each conversation and for all of them: beyond that the response is 429.',
    ),
    success: 'The file was stored.',
    response: { data: upload },
  },
  downloadAttachment: { description: downloading, success: 'The file, to be saved.', response: '' },
  downloadAttachmentWithNonce: {
    description: `The same as \`GET …/widget/attachments/{attachmentId}\`, with the nonce of the request in the header \`Natter-Nonce\`. ${whyNonce}\n\n${downloading}`,
    success: 'The file, to be saved.',
    requests: { file: { nonce } },
    response: '',
  },
  deleteAttachment: { description: deleting, success: 'The file was deleted.' },
  markRead: {
    description: 'The position only moves forward. A `seq` beyond the last message counts as the last message.',
    success: 'The position was stored.',
    requests: { read: { seq: 2 } },
  },
  stopReply: {
    description:
      'Stops the reply that the responder is writing, on whichever node. What has been written stays and is stored as the reply; if nothing has, there is none. The request to the responder is aborted. Repeating it is harmless, also late, and so is stopping when nobody writes: no other reply is stopped. A message that was sent after the one that is being answered is answered next.',
    success: 'Stopped, or nothing was being written.',
    requests: { stop: { id: answer.id } },
  },
  requestHandover: {
    description:
      'Hands the conversation over to the team: silences the responder, stores a message with the event `handover_requested`, and sends `handover.requested` to the bot’s events address. It has no further effect while an agent is waited for or answers. A bot whose `handover` is `false` responds with 404.',
    success: 'The conversation is with the team.',
  },
  rateMessage: {
    description:
      'Rates an answer of the bot or of an agent in the session’s own conversation. `null` takes the rating back. A repetition changes nothing. Not found if the bot has no ratings (`--ratings yes`), and if there is no such answer in this conversation.',
    success: 'The answer with its rating, and the conversation’s `revision` since its last change.',
    requests: { helpful: { id: answer.id, rating: 'up' }, none: { id: answer.id, rating: null } },
    response: { data: { revision: 1, message: { ...answer, rating: 'up' } } },
  },
  streamEvents: {
    description: [
      'Server-sent events. `message`: a stored message; its `id:` is its `seq`. `message.changed`: a stored message that has been changed, and the conversation’s `revision` since then. `message.delta` (at most one every 50 ms) and `message.aborted`: a reply that is being written. `typing` and `read`: the state of the conversation; a stream begins with `read` if anything was read. `reset`: the client is more than 200 messages or changes behind and has to fetch the history again. `session.ended`: the last event, with the reason. A comment every 15 seconds keeps the connection open.',
      'The data of each event is described by the schemas `Message` and `Stream…`. A token has at most 20 streams; a further one ends the oldest. Beyond the limit of open streams of an address the response is 429, beyond the limit of the server 503: fetch messages instead, and try again after `Retry-After`.',
    ].join('\n\n'),
    success: 'The events, until either side closes the connection.',
    response: `: connected\n\n${events}`,
    parameters: [after, revision, lastEventId],
  },
  streamEventsWithNonce: {
    description: [
      'The same as `GET …/widget/events`, with `after` and `revision` in the body; `Last-Event-ID` is ignored. The first event is `opened`, which returns the `nonce`.',
      whyNonce,
    ].join('\n\n'),
    success: 'The events, until either side closes the connection.',
    requests: { live: { nonce }, resumed: { nonce, after: 1, revision: 0 } },
    response: `event: opened\ndata: {"nonce":"${nonce}"}\n\n${events}`,
  },
}
