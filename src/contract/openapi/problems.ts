import type { Endpoint } from '../endpoint.ts'
import { requestId } from '../endpoints/samples.ts'
import { type CatalogueEntry, type ErrorCode, errorCatalogue, type Problem } from '../errors.ts'
import type { ExampleObject, ResponseObject } from './document.ts'
import { errorHeaders } from './headers.ts'

function meaningOf(code: ErrorCode): string {
  const { title, detail, when = `${title}. ${detail}` }: CatalogueEntry = errorCatalogue[code]
  return when
}

/** An example of each error. */
export const problemExamples = (): Record<string, ExampleObject> =>
  Object.fromEntries(
    (Object.keys(errorCatalogue) as ErrorCode[]).map(code => {
      const { status, title, detail, example }: CatalogueEntry = errorCatalogue[code]
      const value: Problem = {
        type: `urn:natter:problem:${code}`,
        title,
        status,
        code,
        detail,
        instance: `urn:natter:request:${requestId}`,
        ...example,
      }
      return [code, { summary: meaningOf(code), value }]
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
    description: codes.map(code => `\`${code}\`: ${meaningOf(code)}`).join('\n\n'),
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
    'visitor_blocked',
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
