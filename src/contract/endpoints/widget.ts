import { botProfileSchema } from '../bots.ts'
import { contactDataSchema } from '../contacts.ts'
import { content, data, type Endpoint, json, jsonOrForm, widget } from '../endpoint.ts'
import { text } from '../formats.ts'
import {
  eventStreamRequestSchema,
  messageCreateSchema,
  messageListRequestSchema,
  messageListSchema,
  messagePageSchema,
  messageRateSchema,
  messageSchema,
  nonceRequestSchema,
  readSchema,
  sessionSchema,
  stopSchema,
  streamEventSchemas,
  visitorEmailSchema,
  visitorSessionSchema,
} from '../messages.ts'
import { object } from '../validation.ts'
import { deletionOfUpload, downloading, downloadOfFile, uploading, uploadOfFile } from './files.ts'
import { answer, botId, contact, nonce, question, upload, visitorToken } from './samples.ts'

const position = (name: string, description: string) =>
  ({ name, in: 'query', description, schema: { type: 'integer', minimum: 0 } }) as const
const header = (name: string, description: string) =>
  ({ name, in: 'header', description, schema: { type: 'string' } }) as const
const after = position('after', 'Replay the messages after this `seq`; default: none.')
const revision = position('revision', 'Replay the changes after this `revision`; default: none.')
const lastEventId = header(
  'Last-Event-ID',
  'The same as `after`, and takes precedence over it. Browsers send it when they reconnect.',
)
const ifNoneMatch = header('If-None-Match', 'The `ETag` of a response that the client has.')

const events = `event: message.delta
data: {"id":"${answer.id}","offset":0,"text":"Hello Ada! "}

id: 2
event: message
data: ${JSON.stringify(answer)}

`

const streamOf = (example: string) =>
  ({ status: 200, description: 'The events, until either side closes the connection.', stream: true, example }) as const

const session = {
  contact: { id: contact.id, name: contact.name },
  conversation: { lastSeq: 3, readSeq: 2, unread: 1, revision: 0 },
}
const messages = [question, answer]
const { name, email, phone, createdAt } = contact
const contactData = { name, email, phone, createdAt, messages: 2, attachments: 0 }

const nonceOfRequest = text('The nonce of the request.')
const whyNonce =
  'For pages whose service worker caches responses to `GET` and may give one person’s response to another. Responses to `POST` are not cached. A response without the request’s `nonce` belongs to another request and must be ignored.'

/** The endpoints for the widget. */
export const widgetEndpoints = {
  retrieveBotProfile: {
    ...widget('GET', ''),
    auth: 'none',
    summary: "Retrieve a bot's profile",
    description: 'The public profile of a bot. It may be cached for a minute.',
    success: {
      status: 200,
      description: 'The bot’s profile.',
      ...data(botProfileSchema, {
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
        eraseByVisitor: true,
        email: true,
        visitors: 'everyone',
        openings: [{ from: '2030-01-16T08:00:00.000Z', until: '2030-01-16T16:00:00.000Z' }],
      }),
      also: { 304: 'Not changed since the `ETag` sent.' },
    },
    parameters: [ifNoneMatch],
  },
  createVisitorSession: {
    ...widget('POST', '/sessions'),
    auth: 'none',
    summary: 'Start an anonymous session',
    description:
      'Creates a session for a visitor who is not identified. It ends 24 hours after its last use. New sessions are limited by address and by bot. A bot whose `visitors` is `contacts` has no anonymous sessions; earlier ones have ended with `token_revoked`.',
    success: {
      status: 201,
      description: 'The token of the session.',
      ...data(visitorSessionSchema, {
        token: visitorToken,
        createdAt: '2030-01-15T12:00:00.000Z',
        expiresAt: '2030-01-16T12:00:00.000Z',
      }),
    },
    errors: ['login_required'],
  },
  retrieveSession: {
    ...widget('GET', '/session'),
    summary: 'Retrieve the session',
    description:
      'The contact to whom the bearer belongs, and the state of the conversation. `contact` is `null` in an anonymous session.',
    success: { status: 200, description: 'The session.', ...data(sessionSchema, session) },
  },
  retrieveSessionWithNonce: {
    ...widget('POST', '/session/retrieve'),
    summary: 'Retrieve the session, by POST',
    description: `The same as \`GET …/widget/session\`. ${whyNonce}`,
    body: json(nonceRequestSchema, { session: { nonce } }),
    success: {
      status: 200,
      description: 'The session, and the nonce of the request.',
      ...content(object({ data: sessionSchema, nonce: nonceOfRequest }), { data: session, nonce }),
    },
  },
  endSession: {
    ...widget('DELETE', '/session'),
    summary: 'End the session',
    description: 'Logs the visitor out: revokes the bearer itself and ends its open streams.',
    success: { status: 204, description: 'Logged out.' },
  },
  leaveEmail: {
    ...widget('PUT', '/session/email'),
    summary: 'Leave an email address',
    description:
      'Where an anonymous visitor can be answered later, in place of an address that was left before. The team sees it as claimed. An email with a link lets its owner confirm it; nothing of the conversation goes there before. Within 30 days an address gets one such email of a bot, whoever asks. The response is the same if it gets none. `locale` is the language that the widget shows. Not found in the session of a contact, and if the profile’s `email` is `false`.',
    body: json(visitorEmailSchema, { email: { email: 'ada@example.com', locale: 'en' } }),
    success: { status: 204, description: 'The address was stored.' },
    errors: ['not_found'],
  },
  listMessages: {
    ...widget('GET', '/messages'),
    summary: 'Read messages',
    description: 'Returns the newest page first. Messages in a page are in ascending order.',
    query: messageListSchema,
    success: {
      status: 200,
      description: 'A page of messages, ascending.',
      ...content(messagePageSchema, { data: messages, revision: 0 }),
    },
  },
  listMessagesWithNonce: {
    ...widget('POST', '/messages/list'),
    summary: 'Read messages, by POST',
    description: `The same as \`GET …/widget/messages\`, with \`before\` and \`limit\` in the body. ${whyNonce}`,
    body: json(messageListRequestSchema, { newest: { nonce }, older: { nonce, before: 31, limit: 30 } }),
    success: {
      status: 200,
      description: 'A page of messages, ascending, and the nonce of the request.',
      ...content(object({ ...messagePageSchema.entries, nonce: nonceOfRequest }), {
        data: messages,
        revision: 0,
        nonce,
      }),
    },
  },
  sendMessage: {
    ...widget('POST', '/messages'),
    summary: 'Send a message',
    description:
      'A message has a `text`, `attachments` or both. `id` makes a repetition harmless: the same id, text and files again get 200 and the stored message; other ones get 409. `context` contains facts about the visitor according to the page. It is stored with the message, only the organization sees it, and it is not compared. `locale` is the language that the widget shows, a BCP 47 tag. What the bot says by itself is in this language if the bot has none of its own. The latest one is kept with the conversation, and it is not compared.',
    body: jsonOrForm(messageCreateSchema, {
      message: { id: question.id, text: question.text },
      file: { id: question.id, attachments: [{ id: upload.id, name: 'jacket.jpg' }] },
      withLocale: { id: question.id, text: question.text, locale: 'de-AT' },
      withContext: { id: question.id, text: question.text, context: { cart: 3, 'page.path': '/orders' } },
    }),
    success: {
      status: 201,
      description: 'The message was stored.',
      ...data(messageSchema, question),
      also: { 200: 'The same message was stored before. The response contains it.' },
    },
    errors: ['id_reused'],
  },
  uploadAttachment: {
    ...widget('PUT', '/attachments/{attachmentId}'),
    summary: 'Upload a file',
    description: uploading(
      'Then send its id with a message: `attachments: [{ id, name }]`. Until then only this session can read it. A bot takes a limited number of bytes per day (UTC), for each conversation and for all of them: beyond that the response is 429.',
    ),
    ...uploadOfFile,
  },
  downloadAttachment: {
    ...widget('GET', '/attachments/{attachmentId}'),
    summary: 'Download a file',
    description: downloading,
    ...downloadOfFile,
  },
  downloadAttachmentWithNonce: {
    ...widget('POST', '/attachments/{attachmentId}/download'),
    summary: 'Download a file, by POST',
    description: `The same as \`GET …/widget/attachments/{attachmentId}\`, with the nonce of the request in the header \`Natter-Nonce\`. ${whyNonce}\n\n${downloading}`,
    body: json(nonceRequestSchema, { file: { nonce } }),
    ...downloadOfFile,
    success: { ...downloadOfFile.success, nonce: true },
  },
  deleteAttachment: {
    ...widget('DELETE', '/attachments/{attachmentId}'),
    summary: 'Delete an upload',
    ...deletionOfUpload,
  },
  markRead: {
    ...widget('POST', '/read'),
    summary: 'Mark messages as read',
    description: 'The position only moves forward. A `seq` beyond the last message counts as the last message.',
    body: json(readSchema, { read: { seq: 2 } }),
    success: { status: 204, description: 'The position was stored.' },
  },
  stopReply: {
    ...widget('POST', '/stop'),
    summary: 'Stop the reply',
    description:
      'Stops the reply that the responder is writing, on whichever node. What has been written stays and is stored as the reply; if nothing has, there is none. The request to the responder is aborted. Repeating it is harmless, also late, and so is stopping when nobody writes: no other reply is stopped. A message that was sent after the one that is being answered is answered next.',
    body: json(stopSchema, { stop: { id: answer.id } }),
    success: { status: 204, description: 'Stopped, or nothing was being written.' },
  },
  requestHandover: {
    ...widget('POST', '/handover'),
    summary: 'Ask for a person',
    description:
      'Hands the conversation over to the team: silences the responder, stores a message with the event `handover_requested`, and sends `handover.requested` to the bot’s events address. It has no further effect while an agent is waited for or answers. A bot whose `handover` is `false` responds with 404.',
    success: { status: 204, description: 'The conversation is with the team.' },
    errors: ['not_found'],
  },
  rateMessage: {
    ...widget('POST', '/rating'),
    summary: 'Rate an answer',
    description:
      'Rates an answer of the bot or of an agent in the session’s own conversation. `null` takes the rating back. A repetition changes nothing. Not found if the bot has no ratings (`--ratings yes`), and if there is no such answer in this conversation.',
    body: json(messageRateSchema, { helpful: { id: answer.id, rating: 'up' }, none: { id: answer.id, rating: null } }),
    success: {
      status: 200,
      description: 'The answer with its rating, and the conversation’s `revision` since its last change.',
      ...data(streamEventSchemas['message.changed'], { revision: 1, message: { ...answer, rating: 'up' } }),
    },
    errors: ['not_found'],
  },
  retrieveContactData: {
    ...widget('POST', '/contact/retrieve'),
    summary: 'Retrieve what is stored about the contact',
    description: `What contacts see of what is stored about them. Not found in an anonymous session, and if the bot does not offer it (\`--erase-by-visitor yes\`). ${whyNonce}`,
    body: json(nonceRequestSchema, { contact: { nonce } }),
    success: {
      status: 200,
      description: 'What is stored, and the nonce of the request.',
      ...content(object({ data: contactDataSchema, nonce: nonceOfRequest }), { data: contactData, nonce }),
    },
    errors: ['not_found'],
  },
  eraseContact: {
    ...widget('DELETE', '/contact'),
    summary: 'Erase the contact',
    description:
      'Deletes the contact of the session with its conversation and files, as `DELETE …/contacts/{contactId}` does, and ends all of its sessions: a repetition gets 401 `contact_deleted`. If it is interrupted, the platform completes it by itself. Not found in an anonymous session, and if the bot does not offer it (`--erase-by-visitor yes`).',
    success: { status: 204, description: 'Erased.' },
    errors: ['not_found'],
  },
  streamEvents: {
    ...widget('GET', '/events'),
    summary: 'Stream events',
    description: [
      'Server-sent events. `message`: a stored message; its `id:` is its `seq`. `message.changed`: a stored message that has been changed, and the conversation’s `revision` since then. `message.delta` (at most one every 50 ms) and `message.aborted`: a reply that is being written. `typing` and `read`: the state of the conversation (with `thinking` or `status` at most one `typing` every 50 ms); a stream begins with `read` if anything was read. `reset`: the client is more than 200 messages or changes behind and has to fetch the history again. `session.ended`: the last event, with the reason. A comment every 15 seconds keeps the connection open.',
      'The data of each event is described by the schemas `Message` and `Stream…`. A token has at most 20 streams; a further one ends the oldest. Beyond the limit of open streams of an address the response is 429, beyond the limit of the server 503: fetch messages instead, and try again after `Retry-After`.',
    ].join('\n\n'),
    success: streamOf(`: connected\n\n${events}`),
    parameters: [after, revision, lastEventId],
  },
  streamEventsWithNonce: {
    ...widget('POST', '/events/stream'),
    summary: 'Stream events, by POST',
    description: [
      'The same as `GET …/widget/events`, with `after` and `revision` in the body; `Last-Event-ID` is ignored. The first event is `opened`, which returns the `nonce`.',
      whyNonce,
    ].join('\n\n'),
    body: json(eventStreamRequestSchema, { live: { nonce }, resumed: { nonce, after: 1, revision: 0 } }),
    success: streamOf(`event: opened\ndata: {"nonce":"${nonce}"}\n\n${events}`),
  },
} satisfies Record<string, Endpoint>
