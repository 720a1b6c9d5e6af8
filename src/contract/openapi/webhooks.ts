import { answer, botId, contactId, conversationId, questionWithContext, removedQuestion } from '../endpoints/samples.ts'
import {
  type TurnReply,
  type TurnRequest,
  turnReplySchema,
  turnRequestSchema,
  type WebhookEvent,
  webhookEventSchema,
} from '../webhooks.ts'
import { type MediaType, type OpenApi, type Operation, type ParameterObject, withExample } from './document.ts'
import { requestSchema, responseSchema } from './schemas.ts'

const talk = { conversationId, contact: { id: contactId, name: 'Ada Lovelace' } }
const envelope = { id: '0197a1c0-3b4c-7d5e-8f60-718293a4b5c6', createdAt: '2030-01-15T12:05:00.000Z', botId }

const told =
  'Sent to the bot’s events address at least once, and not always in order. A 2xx response within 10 seconds acknowledges it. Otherwise it is sent again, at growing intervals, for a day and at least ten times. Redirects are not followed.'
const events: { [Event in WebhookEvent as Event['type']]: { summary: string; data: Event['data'] } } = {
  'conversation.created': { summary: 'A conversation began', data: talk },
  'message.created': {
    summary: 'A message was sent: by a visitor, or by anybody with `--events-authors all`',
    data: { ...talk, message: questionWithContext },
  },
  'message.rated': { summary: 'A visitor rated an answer', data: { ...talk, message: { ...answer, rating: 'up' } } },
  'message.removed': { summary: 'A message was removed', data: { ...talk, message: removedQuestion } },
  'message.unread': { summary: 'A contact who is away has unread messages', data: { ...talk, unread: 2 } },
  'session.ended': { summary: 'A session ended', data: { ...talk, reason: 'logged_out' } },
  'handover.requested': { summary: 'A visitor waits for a person', data: talk },
}

const turn: TurnRequest = { ...envelope, type: 'turn.requested', data: { ...talk, messages: [questionWithContext] } }
const reply: TurnReply = { text: answer.text, quickReplies: answer.quickReplies ?? [], sources: answer.sources ?? [] }

/** Standard Webhooks (standardwebhooks.com). */
const signatures: ParameterObject[] = Object.entries({
  'webhook-id': ['Id of the event, which stays the same when it is sent again.', envelope.id],
  'webhook-timestamp': [
    'Seconds since the epoch. Refuse a time that differs from yours by more than five minutes.',
    '1894709100',
  ],
  'webhook-signature': [
    '`v1,` and the base64 HMAC-SHA256 of `{webhook-id}.{webhook-timestamp}.{body}` with the secret `whsec_…`, which is base64 after the prefix. There may be several signatures, separated by spaces; one valid signature is enough.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ],
}).map(([name, [description = '', example]]) => {
  return { name, in: 'header', description, required: true, schema: { type: 'string' }, example }
})

/** The requests that the platform sends to an organization's server, and the responses that it expects. */
export function webhooks(): OpenApi['webhooks'] {
  const all: OpenApi['webhooks'] = {}
  for (const schema of webhookEventSchema.options) {
    const type = schema.entries.type.literal
    const { summary, data } = events[type]
    const body = withExample(responseSchema(schema), { ...envelope, type, data })
    const received = { description: 'Received. The body is ignored.', headers: {} }
    all[type] = { post: operation(type, summary, told, body, { '2XX': received }) }
  }
  all[turn.type] = {
    post: operation(
      turn.type,
      'A reply is wanted',
      'Sent to a bot’s `webhook` responder. It is sent up to three times, with the same id, if no data arrives for 15 seconds, if the connection fails, or if the response is 408, 429 or 5xx. A streamed reply is shown to the visitor while it arrives: as text/plain, or as text/event-stream whose data are `TurnPiece` objects, and `[DONE]` at the end. Before the first text, a `status` says what the responder does. A reply may have at most 64 KiB, and take a minute. Sources that break the rules of the schema are dropped. Redirects are not followed.',
      withExample(responseSchema(turnRequestSchema), turn),
      {
        200: {
          description: 'The reply.',
          headers: {},
          content: {
            'application/json': withExample(requestSchema(turnReplySchema), reply),
            'text/plain': withExample({ type: 'string' }, answer.text),
            'text/event-stream': withExample(
              { type: 'string' },
              'data: {"status":"Looking you up…"}\n\ndata: {"text":"Hello "}\n\ndata: {"text":"Ada!","quickReplies":["Thanks"]}\n\ndata: [DONE]\n\n',
            ),
          },
        },
        204: { description: 'No reply.', headers: {} },
      },
    ),
  }
  return all
}

const operation = (
  type: string,
  summary: string,
  description: string,
  body: MediaType,
  responses: Operation['responses'],
): Operation => ({
  operationId: type.replace(/\.(\w)/g, (_, letter: string) => letter.toUpperCase()),
  tags: ['Webhooks'],
  summary,
  description,
  security: [],
  parameters: signatures,
  requestBody: { required: true, content: { 'application/json': body } },
  responses,
})
