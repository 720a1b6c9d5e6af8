import type { Endpoint } from '../endpoint.ts'
import { type ErrorCode, errorCatalogue } from '../errors.ts'
import { noncePattern } from '../messages.ts'
import type { HeaderObject, ParameterObject, Reference } from './document.ts'

const header = (description: string, schema: object = {}, required = true): HeaderObject => ({
  description,
  ...(required && { required }),
  schema: { type: 'string', ...schema },
})

const limit = (parameters: string) => ({ pattern: `^"[a-z-]+";${parameters}$` })
const seconds = { pattern: '^\\d+$' }

/** Response headers, by name. */
export const headers = {
  'X-Request-Id': header('Id of this request in the platform’s log.', { format: 'uuid' }),
  'Cache-Control': header('Whether the response may be cached.'),
  ETag: header('Identifies this content, for `If-None-Match`.', { pattern: '^"[0-9a-f]+"$' }),
  Allow: header('The methods that the path supports.'),
  Accept: header('The content types that the endpoint accepts.'),
  'WWW-Authenticate': header('`Bearer realm="natter"`, with `error="invalid_token"` if a token was sent.', {
    pattern: '^Bearer realm="natter"(, error="invalid_token")?$',
  }),
  'Retry-After': header('Try again after this many seconds.', seconds),
  RateLimit: header(
    '`"token";r=3599;t=60`: the number of requests left, and the seconds until the limit starts anew.',
    limit('r=\\d+;t=\\d+'),
    false,
  ),
  'RateLimit-Policy': header(
    '`"token";q=3600;w=60`: the limit of requests, and its period in seconds.',
    limit('q=\\d+;w=\\d+'),
    false,
  ),
  'Natter-Nonce': header('The nonce of the request.', { pattern: noncePattern.source }),
  'Idempotent-Replayed': header(
    'This is the response to an earlier request with the same key.',
    { const: 'true' },
    false,
  ),
} as const satisfies Record<string, HeaderObject>

type HeaderName = keyof typeof headers

const of = (...names: HeaderName[]): Record<string, Reference> =>
  Object.fromEntries(names.map(name => [name, { $ref: `#/components/headers/${name}` }]))

/** Headers of every response. */
export const everyAnswer: Record<string, Reference> = of('X-Request-Id', 'Cache-Control')
/** Headers of a response that can be cached. */
export const cached: Record<string, Reference> = of('X-Request-Id', 'Cache-Control', 'ETag')

const ofErrors: Partial<Record<ErrorCode, HeaderName[]>> = {
  method_not_allowed: ['Allow'],
  unsupported_media_type: ['Accept'],
  rate_limited: ['Retry-After', 'RateLimit', 'RateLimit-Policy'],
  unavailable: ['Retry-After'],
}

/** Headers of a response with one of these codes. */
export const errorHeaders = (codes: readonly ErrorCode[]): Record<string, Reference> => ({
  ...everyAnswer,
  ...of(
    ...codes.flatMap(
      code => ofErrors[code] ?? (errorCatalogue[code].status === 401 ? (['WWW-Authenticate'] as const) : []),
    ),
  ),
})

/** Headers of an endpoint's success response. */
export const successHeaders = ({ idempotent, success }: Endpoint): Record<string, Reference> => ({
  ...(success.also?.[304] ? cached : { ...everyAnswer, ...of('RateLimit', 'RateLimit-Policy') }),
  ...(idempotent && of('Idempotent-Replayed')),
  ...(success.nonce && of('Natter-Nonce')),
})

/** Request headers of more than one operation. */
export const requestHeaders = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes a repetition harmless: within 24 hours the same key and body get the first success again, with `Idempotent-Replayed: true`; the same key with another body gets 422. At most 255 visible ASCII characters that identify this operation, such as a UUID, with or without double quotes around them.',
    schema: { type: 'string', minLength: 1, maxLength: 257, pattern: '^[!-~]+$' },
    example: 'c4a1f0de-8b7e-4c2a-9d35-6e7f80910a1b',
  },
  IdempotencyAttempt: {
    name: 'Idempotency-Attempt',
    in: 'header',
    description:
      'A whole number from 1 that grows with each attempt with this `Idempotency-Key`, such as the time in milliseconds. It prevents a delayed attempt from undoing a later one: once an attempt has been decided (success, a taken email, an unknown contact), one with a lower number changes nothing and gets 409. 401, 408, 429, 503 and 400 for an invalid body decide nothing: an earlier attempt may still be carried out.',
    schema: { type: 'string', pattern: '^[1-9][0-9]{0,14}$' },
    example: '1767225600000',
  },
} as const satisfies Record<string, ParameterObject>
