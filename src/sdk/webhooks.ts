import * as v from 'valibot'
import { isSignedWebhook, signatureToleranceSeconds } from '../contract/signature.ts'
import {
  type TurnRequest,
  turnRequestSchema,
  type WebhookEvent,
  webhookEnvelopeSchema,
  webhookEventSchema,
} from '../contract/webhooks.ts'
import { SdkError, WebhookSignatureError } from './errors.ts'

export interface VerifyWebhookOptions {
  /**
   * The bot's secret, `whsec_…`. The type allows `undefined` for an environment variable; `verifyWebhook` throws for
   * it.
   */
  secret: string | undefined
  /** The request's headers: Web `Headers`, or Node's plain object. */
  headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>
  /** The raw body, before any parser: the signature covers its bytes. */
  body: string | Uint8Array | ArrayBuffer
  /** The maximum age in seconds, against replays. Default 300. */
  toleranceSeconds?: number | undefined
}

/**
 * An event of a later platform: of a type that this version of the SDK does not know, or of a known type in another form.
 * Answer 2xx and ignore it. If `unknownType` is `turn.requested`, answer with 500: after 204 the visitor would get neither
 * an answer nor an apology.
 */
export interface UnknownWebhookEvent extends Pick<WebhookEvent, 'id' | 'createdAt' | 'botId'> {
  type: 'unknown'
  /** The event's `type` as the platform has sent it. */
  unknownType: string
  data: unknown
}

const jsonSchema = v.pipe(v.string(), v.parseJson())
const knownSchema = v.union([webhookEventSchema, turnRequestSchema])

/**
 * Verifies and parses a request to a bot's events webhook or to its `webhook` responder. Rejects with a
 * `WebhookSignatureError` unless the bot's secret has signed it within the last five minutes. Events are delivered at
 * least once: recognize repetitions by `id`. An event that only a later platform sends has the type `unknown`. Rejects
 * with a plain `SdkError` if the body is signed, but no event, and with a `TypeError` for an invalid secret or body. Answer
 * these with 500.
 * @example
 * const event = await verifyWebhook({
 *   secret: process.env.NATTER_EVENTS_SECRET,
 *   headers: request.headers,
 *   body: await request.text(),
 * })
 * if (event.type === 'message.created') console.log(event.data.message.text)
 */
export async function verifyWebhook(
  options: VerifyWebhookOptions,
): Promise<WebhookEvent | TurnRequest | UnknownWebhookEvent> {
  const { secret, headers, toleranceSeconds = signatureToleranceSeconds } = options
  if (!secret)
    throw new TypeError(
      'verifyWebhook: secret is missing; is its variable set, such as NATTER_RESPONDER_SECRET or NATTER_EVENTS_SECRET? ' +
        '"natter bot secret BOT_ID --rotate webhook" prints a new one, "--rotate events" that of events',
    )
  if (!(toleranceSeconds >= 0)) throw new TypeError('verifyWebhook: toleranceSeconds must be a number of at least 0')
  const body = textOf(options.body)
  const isSigned = await isSignedWebhook(secret, readable(headers), body, Date.now() / 1000, toleranceSeconds)
  if (!isSigned) {
    throw new WebhookSignatureError(
      `verifyWebhook: not signed with this secret within ${toleranceSeconds} s; is the body unchanged, byte for byte?`,
    )
  }
  const known = v.safeParse(v.pipe(jsonSchema, knownSchema), body)
  if (known.success) return known.output
  const unknown = v.safeParse(v.pipe(jsonSchema, webhookEnvelopeSchema), body)
  if (unknown.success) return { ...unknown.output, type: 'unknown', unknownType: unknown.output.type }
  // Not a `WebhookSignatureError`: the request is genuine, and 401 would say that the secret is wrong.
  throw new SdkError('verifyWebhook: the signature is valid, but the body is not an event of Natter')
}

function textOf(body: unknown): string {
  if (typeof body === 'string') return body
  // Keep a byte order mark: the signature covers it.
  if (ArrayBuffer.isView(body) || body instanceof ArrayBuffer)
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(body)
  throw new TypeError(
    'verifyWebhook: body must be the received text or bytes; the signature of a parsed body cannot be checked ' +
      "(in Express, express.raw({ type: () => true }) on the webhook's route)",
  )
}

/** Reads headers of Node's and serverless gateways' plain objects, with names in any case. */
function readable(headers: VerifyWebhookOptions['headers']): Pick<Headers, 'get'> {
  if (isWebHeaders(headers)) return headers
  const fields = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  return { get: name => String(fields.get(name) ?? '') }
}

// Not `instanceof`: a framework may have its own Headers class.
const isWebHeaders = (headers: VerifyWebhookOptions['headers']): headers is Headers =>
  typeof headers['get'] === 'function'
