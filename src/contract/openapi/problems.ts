import type { Endpoint } from '../endpoint.ts'
import { contactId, requestId } from '../endpoints/samples.ts'
import { type ErrorCode, errorCatalogue, type Problem } from '../errors.ts'
import type { ExampleObject, ResponseObject } from './document.ts'
import { errorHeaders } from './headers.ts'

/** When each error occurs, with an example. */
const explanations: Record<ErrorCode, { when: string; example: Omit<Partial<Problem>, 'code'> }> = {
  invalid_request: {
    when: 'A field or parameter is missing or invalid; `errors` names each.',
    example: {
      detail: 'See errors for the fields in question.',
      errors: [{ pointer: '/email', code: 'missing', detail: 'This field is required.' }],
    },
  },
  malformed_body: {
    when: 'The body does not match its content type.',
    example: { detail: 'The body is not JSON.' },
  },
  email_taken: {
    when: 'The email already belongs to a contact. `conflict` names the contact if it belongs to this bot.',
    example: { conflict: { field: 'email', contactId } },
  },
  contact_mismatch: { when: '`id` and `email` name different contacts.', example: {} },
  too_many_entries: { when: 'More than 1000 entries.', example: { detail: 'Send at most 1000 entries.' } },
  unauthorized: { when: 'No token, or an unknown one.', example: {} },
  token_expired: { when: 'The token has expired.', example: {} },
  token_revoked: { when: 'The token was revoked, or its visitor has logged out.', example: {} },
  contact_deleted: { when: 'The contact of the token has been deleted.', example: {} },
  insufficient_scope: {
    when: 'A contact’s or visitor’s token on an endpoint for organizations, or an organization token on an endpoint of the widget.',
    example: {},
  },
  organization_token_in_browser: {
    when: 'The request came from a browser (`Origin` or `Sec-Fetch-Site`), whatever its token.',
    example: {},
  },
  origin_not_allowed: { when: 'The page’s origin is not among the bot’s allowed origins.', example: {} },
  login_required: { when: 'The bot is for contacts only: there are no anonymous sessions.', example: {} },
  attachments_off: { when: 'Files are off for this bot, which is the default.', example: {} },
  not_found: {
    when: 'There is no such bot, contact, conversation, message or file, or it belongs to another organization. The response is the same.',
    example: { detail: 'There is no such bot, contact, conversation, message or file.' },
  },
  method_not_allowed: {
    when: 'The path does not support this method.',
    example: { detail: 'Allowed here: GET, HEAD.' },
  },
  request_timeout: {
    when: 'The headers took longer than 10 seconds, or the body longer than 5, 30 for an upsert and 300 for a file, which includes a wait for room in memory. Nothing was changed.',
    example: { detail: 'Send the whole body within 5 seconds of the headers.' },
  },
  id_reused: { when: 'The id belongs to a message with another text or author, or to another file.', example: {} },
  attempt_superseded: {
    when: 'An attempt with a higher `Idempotency-Attempt` has been decided; nothing was changed.',
    example: {},
  },
  body_too_large: {
    when: 'Over 32 KiB, 4 MiB for an upsert, 10 MiB for a file.',
    example: { detail: 'Send at most 32768 bytes.' },
  },
  unsupported_media_type: {
    when: 'The endpoint does not accept this content type.',
    example: { detail: 'Send application/json.' },
  },
  file_refused: {
    when: 'The content is no PNG, JPEG, WebP, GIF, PDF or plain text, is damaged, or has more than 40 megapixels.',
    example: { detail: 'Send a PNG, JPEG, WebP, GIF, PDF or plain text file.' },
  },
  idempotency_key_reused: { when: 'The `Idempotency-Key` belongs to a request with another body.', example: {} },
  rate_limited: { when: 'Too many requests. `Retry-After` says how long to wait.', example: {} },
  headers_too_large: { when: 'Over 16 KiB of headers.', example: {} },
  internal: { when: 'An unexpected error. The log contains the cause under the request id.', example: {} },
  unavailable: {
    when: 'The store does not answer in time, too many calls wait for it, or the server is stopping. Try again after `Retry-After`.',
    example: {},
  },
}

/** An example of each error. */
export const problemExamples = (): Record<string, ExampleObject> =>
  Object.fromEntries(
    (Object.keys(errorCatalogue) as ErrorCode[]).map(code => {
      const { status, title, detail } = errorCatalogue[code]
      const { when, example } = explanations[code]
      const value: Problem = {
        type: `urn:natter:problem:${code}`,
        title,
        status,
        code,
        detail,
        instance: `urn:natter:request:${requestId}`,
        ...example,
      }
      return [code, { summary: when, value }]
    }),
  )

/** The responses with these codes, by status. */
export function problemResponses(codes: readonly ErrorCode[]): Record<string, ResponseObject> {
  const byStatus = Map.groupBy(new Set(codes), code => errorCatalogue[code].status)
  return Object.fromEntries([...byStatus].map(([status, together]) => [status, problemResponse(together)]))
}

/** The response with these codes, which have the same status. */
export function problemResponse(codes: ErrorCode[]): ResponseObject {
  const [status] = codes.map(code => errorCatalogue[code].status)
  const schema = {
    allOf: [
      { $ref: '#/components/schemas/Problem' },
      { type: 'object', properties: { status: { const: status }, code: { enum: codes } } },
    ],
  }
  const examples = Object.fromEntries(codes.map(code => [code, { $ref: `#/components/examples/${code}` }]))
  return {
    description: codes.map(code => `\`${code}\`: ${explanations[code].when}`).join('\n\n'),
    headers: errorHeaders(codes),
    content: { 'application/problem+json': { schema, examples } },
  }
}

const ofAuth: Record<Endpoint['auth'], readonly ErrorCode[]> = {
  organization: ['unauthorized', 'organization_token_in_browser', 'insufficient_scope', 'not_found'],
  widget: [
    'unauthorized',
    'token_expired',
    'token_revoked',
    'contact_deleted',
    'insufficient_scope',
    'origin_not_allowed',
  ],
  none: ['origin_not_allowed', 'not_found'],
}
// `invalid_request` for two Authorization headers; `malformed_body` for an incomplete body, because an unexpected body is
// read, too.
const ofEvery: readonly ErrorCode[] = ['invalid_request', 'malformed_body', 'rate_limited']
/** Errors of any path, also before the server knows the path. */
export const ofAnyPath: readonly ErrorCode[] = [
  'invalid_request',
  'request_timeout',
  'body_too_large',
  'headers_too_large',
  'internal',
  'unavailable',
]

/** All error codes of an endpoint. */
export const errorCodesOf = ({ auth, body, idempotent, errors = [] }: Endpoint): ErrorCode[] => [
  ...ofEvery,
  ...errors,
  ...ofAuth[auth],
  ...(body ? (['unsupported_media_type'] as const) : []),
  ...(idempotent ? (['attempt_superseded', 'idempotency_key_reused'] as const) : []),
  ...ofAnyPath,
]
