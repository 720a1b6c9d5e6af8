import { brotliDecompressSync } from 'node:zlib'
import { type HttpMethod, type JsonSchema, type OpenApi, type ResponseObject, resolved } from '../openapi/document.ts'
import { openapi } from '../openapi/openapi.ts'
import { ofAnyPath, problemResponses } from '../openapi/problems.ts'
import { streamEventName } from '../openapi/schemas.ts'
import { createSchemaValidator } from './schemaValidator.ts'

/** Prefix of each line in which a server under test reports a violation (`checkServer.ts`). */
export const violationMark = 'BREACH OF THE OPENAPI DOCUMENT:'

/** Throws the violations that a server under test has reported. */
export function expectNoViolation(printed: string): void {
  const reported = printed.split('\n').filter(line => line.startsWith(violationMark))
  if (reported.length > 0) throw new Error(reported.join('\n'))
}

/** The text of a body as sent, compressed or not. */
export function bodyText(body: string | Uint8Array | null | undefined, headers: Headers): string {
  if (!body || typeof body === 'string') return body ?? ''
  const isCompressed = headers.get('content-encoding') === 'br'
  return Buffer.from(isCompressed ? brotliDecompressSync(body) : body).toString()
}

/** A request and its response. `body` is `undefined` if it was not read, for example that of a stream. */
export interface HttpExchange {
  method: string
  url: string
  status: number
  headers: Headers
  body?: string | undefined
}

/** Checks responses against the document. */
export interface OpenapiValidator {
  /** The violations of a response, each with operation and status. Empty if there are none. */
  violations(exchange: HttpExchange): string[]
  /** The violations of a stream event. */
  eventViolations(event: string, data: unknown): string[]
}

/** Checks responses against an OpenAPI document, and for properties that it does not define. */
export function createOpenapiValidator(document: OpenApi = openapi('0.0.0')): OpenapiValidator {
  const strict = closed(document)
  const schemas = createSchemaValidator(strict)
  const find = createFind(strict)

  const headerViolations = ({ headers }: HttpExchange, response: ResponseObject): string[] =>
    Object.entries(response.headers).flatMap(([name, part]) => {
      const { required, schema } = resolved(strict, part)
      const value = headers.get(name)
      if (value === null) return required ? [`the header ${name} is missing`] : []
      return schemas.problemsOf(schema, value).map(problem => `the header ${name}: ${problem}`)
    })

  const bodyViolations = ({ method, headers, body }: HttpExchange, { content }: ResponseObject): string[] => {
    const type = headers.get('content-type')?.split(';')[0]?.trim() ?? ''
    if (!content) return [...(type ? [`it has no body, yet the type ${type}`] : []), ...(body ? ['it has a body'] : [])]
    const media = content[type]
    if (!media) return [`its type is ${type || 'missing'}, not ${Object.keys(content).join(' or ')}`]
    if (!type.endsWith('json') || body === undefined || method === 'HEAD') return []
    try {
      return schemas.problemsOf(media.schema, JSON.parse(body))
    } catch {
      return ['its body is no JSON']
    }
  }

  return {
    violations(exchange) {
      // Only the desk of the same version calls its endpoints.
      if (/^\/desk(?:$|\/)/.test(pathOf(exchange.url))) return []
      const { name, responses } = find(exchange)
      const found = responses[exchange.status]
      const wrong = found
        ? [...headerViolations(exchange, found), ...bodyViolations(exchange, found)]
        : [`the document knows ${Object.keys(responses).join(', ')} only`]
      return wrong.map(reason => `${name} answered ${exchange.status}: ${reason}`)
    },
    eventViolations: (event, data) =>
      schemas
        .problemsOf({ $ref: `#/components/schemas/${streamEventName(event)}` }, data)
        .map(reason => `the event ${event}: ${reason}`),
  }
}

type Find = (request: { method: string; url: string }) => { name: string; responses: Record<string, ResponseObject> }

/** The operation's documented response, or the error for an unknown path or method. */
function createFind(document: OpenApi): Find {
  const anyPath = problemResponses(ofAnyPath)
  const { NoSuchPath, MethodNotAllowed } = document.components.responses
  // Looking up the bot's origins for CORS headers counts, whatever the path and the method turn out to be.
  const ofAnyWidgetPath = { ...anyPath, ...problemResponses(['rate_limited']) }
  const ofPath = (path: string) => (path.includes('/widget') ? ofAnyWidgetPath : anyPath)
  const preflight = { description: 'The answer to a preflight.', headers: {} }
  const paths = Object.entries(document.paths).map(([template, item]) => {
    const pattern = template.replace(/\{\w+\}/g, '[^/]+').replaceAll('.', '\\.')
    return { template, item, pattern: new RegExp(`^${pattern}$`) }
  })
  return ({ method, url }) => {
    const path = pathOf(url)
    const found = paths.find(({ pattern }) => pattern.test(path))
    if (!found)
      return { name: `${method} of an unknown path`, responses: present({ ...ofPath(path), 404: NoSuchPath }) }
    const operation = found.item[(method === 'HEAD' ? 'get' : method.toLowerCase()) as HttpMethod]
    const name = `${method} ${found.template}`
    if (operation) return { name, responses: operation.responses as Record<string, ResponseObject> }
    if (method === 'OPTIONS' && found.template.includes('/widget'))
      return {
        name,
        responses: { ...ofAnyWidgetPath, ...problemResponses(['origin_not_allowed']), 204: preflight },
      }
    return { name, responses: present({ ...ofPath(path), 405: MethodNotAllowed }) }
  }
}

const present = (responses: Record<string, ResponseObject | undefined>): Record<string, ResponseObject> =>
  Object.fromEntries(Object.entries(responses).flatMap(([status, found]) => (found ? [[status, found]] : [])))

/** The path as a router sees it, with unnecessary percent-encoding decoded, but never slashes. */
function pathOf(url: string): string {
  const { pathname } = new URL(url)
  try {
    return decodeURI(pathname.replaceAll('%25', '%2525'))
  } catch {
    return pathname
  }
}

/** The document with all object schemas closed, so that undocumented properties are found too. */
function closed(document: OpenApi): OpenApi {
  const close = (node: unknown, open = false): unknown => {
    if (Array.isArray(node)) return node.map(item => close(item, open))
    if (typeof node !== 'object' || node === null) return node
    const parts = Object.entries(node).map(([key, value]) => [
      key,
      key === 'value' ? value : close(value, key === 'allOf'),
    ])
    const schema = Object.fromEntries(parts) as JsonSchema
    const isObject = schema['type'] === 'object' && 'properties' in schema
    return isObject && !open ? { ...schema, unevaluatedProperties: false } : schema
  }
  return close(JSON.parse(JSON.stringify(document))) as OpenApi
}
