import type { ServerResponse } from 'node:http'
import { expect, onTestFinished } from 'vitest'
import { mintWebhookSecret } from '../domain/tokens.ts'
import type { Section } from '../responders/contentSections.ts'
import { askModel, type OpenaiSettings } from '../responders/openai.ts'
import type { Question } from '../responders/responder.ts'
import { askWebhook, type WebhookSettings } from '../responders/webhook.ts'
import { createEgressClient } from '../webhooks/egressFetch.ts'
import { collect, questionOf } from './scriptedResponder.ts'
import { type ReceivedRequest, startTestServer, webhookSecret } from './testServer.ts'
import { advanceUntil, createManualClock } from './testTenants.ts'

export type Answer = (response: ServerResponse, request: ReceivedRequest, number: number) => void

interface RemoteOptions {
  settings?: { url?: string; secret?: string; baseUrl?: string; prompt?: string; history?: number }
  question?: Partial<Question>
  /** The API key of a model; `null`: none. */
  key?: string | null
  /** The sections of the content that match the question. */
  sections?: Section[]
}

export const formerSecret = mintWebhookSecret()

/** A responder with an endpoint that responds like this, on a clock that advances by itself. */
export async function startRemote(
  kind: 'webhook' | 'openai',
  respond: Answer,
  { settings, question, key = 'sk-secret', sections }: RemoteOptions = {},
) {
  const endpoint = await startTestServer(respond)
  const { fetch, close } = createEgressClient({ policy: 'any' })
  onTestFinished(close)
  const clock = createManualClock()
  const abort = new AbortController()
  const former = { secret: formerSecret, until: new Date(clock.now() + 60_000).toISOString() }
  const url = `${endpoint.url}/answer?key=url-secret`
  const webhook: WebhookSettings = { kind: 'webhook', url, secret: webhookSecret, former, ...settings }
  const base = { baseUrl: `${endpoint.url}/v1`, model: 'small', prompt: 'You are Acme’s clerk.', history: 20 }
  const openai: OpenaiSettings = { kind: 'openai', ...base, ...settings }
  const asked = { ...questionOf({ webhook, openai }[kind], 'private words'), ...question }
  const options = { clock, signal: abort.signal, fetch }
  const ask = () =>
    kind === 'webhook'
      ? askWebhook(webhook, asked, options)
      : askModel(openai, asked, { ...options, key: key ?? undefined, sections })
  const answer = () => advanceUntil(clock, 50, collect(ask()))
  return {
    ...{ endpoint, clock, abort, ask, answer },
    /** Why it fails, without secrets and words of the conversation or the answer. */
    async failure() {
      const error = await answer().then(
        () => expect.fail('The responder has answered'),
        (error: Error) => error,
      )
      expect(`${error.message} ${error.stack}`).not.toMatch(/url-secret|sk-secret|private words|leaked/)
      return { message: error.message, attempts: endpoint.requests.length }
    },
  }
}

export const as = (type: string, body: string) => (response: ServerResponse) =>
  void response.setHeader('content-type', type).end(body)

/** A piece of a model's reply. */
export const modelChunk = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({
    ...{ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'small' },
    choices: [{ index: 0, delta, finish_reason: finish }],
  })}\n\n`

/** The body of what a service is sent for a question. */
export async function sentFor(kind: 'webhook' | 'openai', options?: RemoteOptions) {
  const reply = {
    webhook: as('text/plain', 'Yes.'),
    openai: as('text/event-stream', modelChunk({ content: 'Yes.' }, 'stop')),
  }
  const { endpoint, answer } = await startRemote(kind, reply[kind], options)
  await answer()
  return JSON.parse((await endpoint.received(1)).body)
}
