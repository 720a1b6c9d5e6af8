import { type ResponderSettings, signWebhook, type TurnRequest } from '../../contract/index.ts'
import type { Clock } from '../clock.ts'
import { secretsAt } from '../webhooks/webhookHttp.ts'
import { type Attempt, post, statusError, withAttempts } from './attempts.ts'
import type { AnswerPart, Question } from './responder.ts'
import { readReply } from './webhookReply.ts'

export type WebhookSettings = Extract<ResponderSettings, { kind: 'webhook' }>

export interface WebhookOptions {
  clock: Clock
  signal: AbortSignal
  fetch: typeof globalThis.fetch
}

/** Asks the bot's webhook with a signed request, and streams its reply. 204 means no reply. */
export function askWebhook(
  { url, ...secrets }: WebhookSettings,
  question: Question,
  { clock, signal, fetch }: WebhookOptions,
): AsyncIterable<AnswerPart> {
  const body = JSON.stringify(requestOf(question))
  async function* ask(attempt: Attempt): AsyncGenerator<AnswerPart> {
    // Sign each attempt: an old signature would be rejected as a replay.
    const now = clock.now()
    const signature = await signWebhook(secretsAt(secrets, now), question.turnId, Math.floor(now / 1000), body)
    const headers = { accept: 'text/event-stream, text/plain, application/json', ...signature }
    const response = await post(fetch, url, { headers, body }, attempt)
    if (!response.ok) throw statusError(response, clock.now())
    if (response.status === 204) yield { silent: true }
    else yield* readReply(response, attempt.onProgress)
  }
  return withAttempts(ask, clock, signal)
}

/** How many messages a request carries. */
const maxMessages = 30

function requestOf({ turnId, bot, conversationId, contact, messages }: Question): TurnRequest {
  // A program that passes them on to a model must not meet a message without a text.
  const said = messages.filter(({ event }) => event === undefined)
  return {
    id: turnId,
    type: 'turn.requested',
    createdAt: messages.at(-1)?.createdAt ?? '',
    botId: bot.id,
    data: { conversationId, contact, messages: said.slice(-maxMessages) },
  }
}
