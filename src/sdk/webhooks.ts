import * as v from 'valibot'
import { isSignedWebhook, signatureToleranceSeconds } from '../contract/signature.ts'
import { type TurnRequest, turnRequestSchema, type WebhookEvent, webhookEventSchema } from '../contract/webhooks.ts'
import { WebhookSignatureError } from './errors.ts'

export interface VerifyWebhookOptions {
  /** `whsec_…`, the bot's. `undefined` is taken so that an environment variable fits; it throws. */
  secret: string | undefined
  /** Of the request: `Headers` of the Web, or the plain object of Node. */
  headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>
  /** The body exactly as it came, before any parser: the signature is over its bytes. */
  body: string | Uint8Array | ArrayBuffer
  /** How old it may be, so that nobody can send it again later. Default 300. */
  toleranceSeconds?: number | undefined
}

const requestSchema = v.union([webhookEventSchema, turnRequestSchema])

/**
 * Resolves to what the platform tells a bot's `events` webhook, or asks its `webhook` responder, if the bot's secret has
 * signed it within the last five minutes; rejects with a `WebhookSignatureError` otherwise. Events arrive at least once:
 * `id` tells a repetition. Throws a `TypeError` for a secret or a body of the wrong form.
 * @example
 * const event = await verifyWebhook({
 *   secret: process.env.NATTER_WEBHOOK_SECRET,
 *   headers: request.headers,
 *   body: await request.text(),
 * })
 * if (event.type === 'message.created') console.log(event.data.message.text)
 */
export async function verifyWebhook(options: VerifyWebhookOptions): Promise<WebhookEvent | TurnRequest> {
  const { secret, headers, toleranceSeconds = signatureToleranceSeconds } = options
  if (!secret) throw new TypeError('verifyWebhook: secret is missing; is its environment variable set?')
  if (!(toleranceSeconds >= 0)) throw new TypeError('verifyWebhook: toleranceSeconds must be a number from 0 on')
  const body = textOf(options.body)
  const isSigned = await isSignedWebhook(secret, readable(headers), body, Date.now() / 1000, toleranceSeconds)
  if (!isSigned) {
    throw new WebhookSignatureError(
      `verifyWebhook: not signed with this secret within ${toleranceSeconds} s; is the body what came, byte for byte?`,
    )
  }
  const result = v.safeParse(v.pipe(v.string(), v.parseJson(), requestSchema), body)
  if (result.success) return result.output
  throw new WebhookSignatureError('verifyWebhook: signed, but of a kind that this version of natter/sdk does not know')
}

function textOf(body: unknown): string {
  if (typeof body === 'string') return body
  // A byte order mark is signed like any other byte.
  if (ArrayBuffer.isView(body) || body instanceof ArrayBuffer)
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(body)
  throw new TypeError(
    'verifyWebhook: body must be the text or the bytes that came; with a parsed one the signature cannot be checked ' +
      "(in Express, express.raw({ type: () => true }) on the webhook's route)",
  )
}

/** Names of headers in any case, as Node's plain objects and those of serverless gateways have them. */
function readable(headers: VerifyWebhookOptions['headers']): Pick<Headers, 'get'> {
  if (isWebHeaders(headers)) return headers
  const fields = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  return { get: name => String(fields.get(name) ?? '') }
}

// Not by `instanceof`: a framework may bring Headers of its own.
const isWebHeaders = (headers: VerifyWebhookOptions['headers']): headers is Headers =>
  typeof headers['get'] === 'function'
