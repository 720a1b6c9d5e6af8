import { toJsonSchema } from '@valibot/to-json-schema'
import * as v from 'valibot'
import type { Endpoint } from './endpoint.ts'
import { endpoints } from './endpoints.ts'
import { type ErrorCode, errorCatalogue, problemSchema } from './errors.ts'

const commonErrors: Record<Endpoint['auth'], readonly ErrorCode[]> = {
  organization: [
    // Two Authorization headers.
    'invalid_request',
    'unauthorized',
    'organization_token_in_browser',
    'insufficient_scope',
    'rate_limited',
    'not_found',
  ],
  widget: [
    'invalid_request',
    'unauthorized',
    'token_expired',
    'token_revoked',
    'contact_deleted',
    'insufficient_scope',
    'origin_not_allowed',
    'rate_limited',
    'not_found',
  ],
  none: ['origin_not_allowed', 'rate_limited', 'not_found'],
}
// A body that nobody asked for is read too.
const everywhere: readonly ErrorCode[] = [
  'malformed_body',
  'body_too_large',
  'headers_too_large',
  'internal',
  'unavailable',
]
const withBody: readonly ErrorCode[] = ['invalid_request', 'unsupported_media_type']

/** The OpenAPI 3.1 document of the platform, made from the endpoint table; `version` is the package's. */
export function openapi(version: string): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const [name, row] of Object.entries<Endpoint>(endpoints)) {
    paths[row.path] ??= {}
    const path = paths[row.path] as Record<string, unknown>
    path[row.method.toLowerCase()] = operation(name, row)
    if (row.alias) path[row.alias.toLowerCase()] = operation(`${name}By${row.alias}`, row)
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Natter', version, license: { name: 'MIT', identifier: 'MIT' } },
    paths,
    components: {
      schemas: { Problem: jsonSchema(problemSchema) },
      securitySchemes: {
        organization: { type: 'http', scheme: 'bearer', description: 'Organization token. Server-side only.' },
        widget: { type: 'http', scheme: 'bearer', description: 'Contact token (c:…) or visitor token (v:…).' },
      },
    },
  }
}

function operation(operationId: string, row: Endpoint): Record<string, unknown> {
  return {
    operationId,
    summary: row.summary,
    security: row.auth === 'none' ? [] : [{ [row.auth]: [] }],
    parameters: [...pathParameters(row.path), ...queryParameters(row.query)],
    ...(row.body && { requestBody: { required: !v.is(row.body.schema, {}), content: bodyContent(row.body) } }),
    responses: { [row.success.status]: success(row), ...errors(row) },
  }
}

const pathParameters = (path: string): unknown[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({ name, in: 'path', required: true, schema: { type: 'string' } }))

function queryParameters(schema: v.GenericSchema | undefined): unknown[] {
  if (!schema) return []
  const { properties = {} } = jsonSchema(schema) as { properties?: Record<string, unknown> }
  return Object.entries(properties).map(([name, property]) => ({ name, in: 'query', schema: property }))
}

function bodyContent({ schema, forms }: NonNullable<Endpoint['body']>): Record<string, unknown> {
  const types = forms
    ? ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data']
    : ['application/json']
  return Object.fromEntries(types.map(type => [type, { schema: jsonSchema(schema) }]))
}

function success({ summary, success }: Endpoint): Record<string, unknown> {
  if (success.stream) return { description: summary, content: { 'text/event-stream': {} } }
  if (!success.schema) return { description: `${summary}: done, no payload` }
  return { description: summary, content: { 'application/json': { schema: jsonSchema(success.schema) } } }
}

function errors(row: Endpoint): Record<string, unknown> {
  const input: readonly ErrorCode[] = row.body ? withBody : row.query ? ['invalid_request'] : []
  const retried: readonly ErrorCode[] = row.idempotent ? ['idempotency_key_reused'] : []
  const byStatus = new Map<number, ErrorCode[]>()
  for (const code of new Set([...commonErrors[row.auth], ...input, ...retried, ...row.errors, ...everywhere])) {
    const { status } = errorCatalogue[code]
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  const content = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } }
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [status, { description: codes.join(', '), content }]),
  )
}

// Checks in code (email, code points) and transforms have no JSON Schema; their sentence stands in the error instead.
const jsonSchema = (schema: v.GenericSchema): unknown => {
  const { $schema: _, ...rest } = toJsonSchema(schema, { errorMode: 'ignore', typeMode: 'input' })
  return rest
}
