import {
  type HttpMethod,
  type JsonSchema,
  type MediaType,
  type OpenApi,
  type Operation,
  type ParameterObject,
  type RequestBody,
  type ResponseObject,
  resolved,
} from '../../contract/openapi/document.ts'
import { curl, variables } from './curl.ts'

/** The OpenAPI document as Markdown. Operations, events, objects and errors have anchors of their own, which never change. */
export function apiReference(document: OpenApi): string {
  const { info, tags, webhooks, components } = document
  const operations = listOperations(document)
  const events = Object.entries(webhooks).map(([type, { post }]) => ({ type, operation: post }))
  const { IdempotencyKey: key, IdempotencyAttempt: attempt } = components.parameters
  const sections = tags.map(({ name, description }) => {
    const listed = operations.filter(({ operation }) => operation.tags[0] === name)
    const entries = name === 'Webhooks' ? events : listed
    return [
      `## ${name} {#${anchor(name)}}`,
      description,
      entries.map(({ operation }) => `- [${operation.summary}](#${operation.operationId})`).join('\n'),
      ...(name === 'Webhooks'
        ? events.flatMap(({ type, operation }) => eventSection(document, type, operation))
        : listed.flatMap(each => operationSection(document, each))),
    ]
  })
  return [
    `# ${info.title} API {#introduction}`,
    info.summary,
    [...tags.map(({ name }) => name), 'Objects', 'Errors'].map(name => `- [${name}](#${anchor(name)})`).join('\n'),
    info.description,
    'As a file for tools: [OpenAPI 3.1](../v1/openapi.json).',
    '## Authorization',
    ...Object.values(components.securitySchemes).map(({ description }) => description),
    '## Repeating a request',
    key && `\`${key.name}\` where it is listed. ${key.description}`,
    attempt && `\`${attempt.name}\` beside it. ${attempt.description}`,
    '## For the commands below',
    code('sh', variables),
    ...sections.flat(),
    '## Objects {#objects}',
    'The parts of responses. A field is always present unless it says “may be absent”.',
    ...objectsOf(document).flatMap(([name, schema]) => [
      `### ${name} {#schema-${name}}`,
      fieldsOf(document, schema, 'received') || 'No fields.',
    ]),
    '## Errors {#errors}',
    'Each is `application/problem+json` with the fields of [Problem](#schema-Problem). Switch on `code`.',
    ...Object.entries(components.examples).flatMap(([name, { summary = '', value }]) => [
      `#### ${(value as { status: number }).status} \`${name}\` {#error-${name}}`,
      summary,
    ]),
  ]
    .filter(Boolean)
    .join('\n\n')
}

const anchor = (name: string): string => name.toLowerCase().replaceAll(' ', '-')
const code = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``
const json = (value: unknown): string => code('json', JSON.stringify(value, null, 2))

interface ListedOperation {
  method: string
  path: string
  operation: Operation
}

/** Every operation of the document, in its order. An operation that has two methods is listed once, with the first. */
const listOperations = (document: OpenApi): ListedOperation[] =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    (Object.keys(item) as HttpMethod[]).flatMap(method => {
      const operation = item[method]
      return operation && !/By[A-Z]+$/.test(operation.operationId)
        ? [{ method: method.toUpperCase(), path, operation }]
        : []
    }),
  )

const bearers: Record<string, string> = {
  organization: 'organization token',
  widget: 'contact token, or token of an anonymous session',
}

function operationSection(document: OpenApi, { method, path, operation }: ListedOperation): string[] {
  const { operationId, summary, description, requestBody, security } = operation
  const [scheme = ''] = security.flatMap(required => Object.keys(required))
  const bodies = examplesOf(document, requestBody?.content['application/json'])
  return [
    `### ${summary} {#${operationId}}`,
    `\`${method} ${path}\``,
    description,
    `Authorization: ${bearers[scheme] ?? 'none'}.`,
    ...parametersOf(document, operation),
    ...(requestBody ? bodyOf(document, requestBody) : []),
    ...(bodies.length > 0 ? bodies : [undefined]).map(body =>
      code('sh', curl(document, { method, path, operation, body })),
    ),
    ...responsesOf(document, operation),
  ]
}

/** A request of the platform to a webhook, and the answers that it accepts. */
function eventSection(document: OpenApi, type: string, operation: Operation): string[] {
  const { operationId, summary, description, requestBody, responses } = operation
  const media = requestBody?.content['application/json']
  const parameters = operation.parameters.map(parameter => resolved(document, parameter))
  return [
    `### ${summary} {#${operationId}}`,
    `\`POST ${type}\``,
    description,
    '**Headers**',
    parameterList(document, parameters, 'received'),
    '**Body**',
    media ? fieldsOf(document, media.schema, 'received') : '',
    ...examplesOf(document, media)
      .slice(0, 1)
      .map(each => json(each)),
    ...Object.entries(responses).flatMap(([status, part]) => {
      const { description: said, content = {} } = resolved(document, part)
      const answer = content['application/json']
      return [
        `**Your answer: ${status}** ${said} ${typesOf(content)}`,
        answer ? fieldsOf(document, answer.schema, 'sent') : '',
        ...examplesOf(document, answer)
          .slice(0, 1)
          .map(each => json(each)),
      ]
    }),
  ]
}

const typesOf = (content: Record<string, MediaType>): string =>
  Object.keys(content)
    .map(type => `\`${type}\``)
    .join(', ')

/** The values of the examples of a body. */
const examplesOf = (document: OpenApi, media: MediaType | undefined): unknown[] =>
  Object.values(media?.examples ?? {}).map(example => resolved(document, example).value)

function parametersOf(document: OpenApi, operation: Operation): string[] {
  const parameters = operation.parameters.map(parameter => resolved(document, parameter))
  const places = { path: 'Path', query: 'Query', header: 'Headers' }
  return Object.entries(places).flatMap(([place, title]) => {
    const here = parameters.filter(parameter => parameter.in === place)
    return here.length > 0 ? [`**${title}**`, parameterList(document, here, 'sent')] : []
  })
}

const bodyOf = (document: OpenApi, { content, description = '', required }: RequestBody): string[] => {
  const [media] = Object.values(content)
  return [
    '**Body**',
    `${required ? 'Required' : 'Optional'}. ${typesOf(content)}. ${description}`,
    media ? fieldsOf(document, media.schema, 'sent') : '',
  ]
}

/** Errors that every operation may return. They are described once, with all errors. */
const commonErrors = new Set([
  'body_too_large',
  'headers_too_large',
  'internal',
  'unavailable',
  'rate_limited',
  'malformed_body',
])
/** Headers of every response, which are not listed for each. */
const commonHeaders = new Set(['X-Request-Id', 'Cache-Control'])

function responsesOf(document: OpenApi, { responses }: Operation): string[] {
  const all = Object.entries(responses).map(([status, part]) => [status, resolved(document, part)] as const)
  const errors = all.flatMap(([status, { content = {} }]) =>
    Object.keys(content['application/problem+json']?.examples ?? {})
      .filter(name => !commonErrors.has(name))
      .map(name => `- ${status} [\`${name}\`](#error-${name}) ${document.components.examples[name]?.summary ?? ''}`),
  )
  return [
    ...all.filter(([status]) => Number(status) < 400).flatMap(part => successOf(document, ...part)),
    '**Errors**',
    [...errors, '- Those of [any request](#errors)'].join('\n'),
  ]
}

function successOf(
  document: OpenApi,
  status: string,
  { description, headers, content = {} }: ResponseObject,
): string[] {
  const [[type, media] = []] = Object.entries(content)
  const names = Object.keys(headers).filter(name => !commonHeaders.has(name))
  const [example] = examplesOf(document, media)
  return [
    `**Response: ${status}** ${description}${type ? ` \`${type}\`.` : ''}${names.length > 0 ? ` Headers: ${names.map(name => `\`${name}\``).join(', ')}.` : ''}`,
    media ? fieldsOf(document, media.schema, 'received') : '',
    typeof example === 'string' ? code('', example.trim()) : example === undefined ? '' : json(example),
  ]
}

/** The schemas of responses. Those of requests and webhooks are shown where they are used. */
function objectsOf({ paths, webhooks, components }: OpenApi): [string, JsonSchema][] {
  const elsewhere = new Set<string>()
  const collect = (part: unknown, deep: boolean): void => {
    for (const [, name = ''] of JSON.stringify(part ?? {}).matchAll(/#\/components\/schemas\/(\w+)/g)) {
      elsewhere.add(name)
      if (deep) collect(components.schemas[name], deep)
    }
  }
  for (const item of Object.values(paths)) for (const { requestBody } of Object.values(item)) collect(requestBody, true)
  for (const { post } of Object.values(webhooks)) collect(post, false)
  return Object.entries(components.schemas).filter(([name]) => !elsewhere.has(name))
}

/**
 * The direction of a body. A schema that a client sends is shown with all nested fields, and marks required ones. A schema
 * that it receives links to the objects of the page, and marks fields that may be absent.
 */
type Direction = 'sent' | 'received'

const parameterList = (document: OpenApi, parameters: ParameterObject[], direction: Direction): string =>
  parameters
    .map(({ name, schema, required = false, description }) =>
      fieldItem(document, name, { ...schema, description }, required, direction),
    )
    .join('\n')

/** The fields of an object as a list, each with its type, its limits, and the fields inside it; empty if it has none. */
function fieldsOf(document: OpenApi, schema: JsonSchema, direction: Direction): string {
  const { properties = {}, required = [] } = resolved(document, schema) as {
    properties?: Record<string, JsonSchema>
    required?: string[]
  }
  return Object.entries(properties)
    .map(([name, field]) => fieldItem(document, name, field, required.includes(name), direction))
    .join('\n')
}

function fieldItem(
  document: OpenApi,
  name: string,
  schema: JsonSchema,
  required: boolean,
  direction: Direction,
): string {
  const texts = [schema, core(schema), resolved(document, core(schema))].map(each => each['description'])
  const description = texts.find(text => typeof text === 'string') ?? ''
  const presence = direction === 'sent' ? required && '**required**' : !required && 'may be absent'
  const facts = [typeOf(schema, direction), presence, ...limitsOf(schema)].filter(Boolean).join(', ')
  const inner = innerOf(schema)
  const isLinked = direction === 'received' && '$ref' in inner
  const nested = isLinked ? '' : fieldsOf(document, inner, direction)
  return `- \`${name}\` ${facts}${description && `. ${description}`}${nested && `\n${nested.replace(/^/gm, '  ')}`}`
}

/** The schema without `null`, if it is nullable. */
function core(schema: JsonSchema): JsonSchema {
  const [first] = (schema['anyOf'] ?? []) as JsonSchema[]
  return !schema['type'] && first ? first : schema
}

/** The schema of the entries of an array, or the schema itself. */
function innerOf(schema: JsonSchema): JsonSchema {
  const inside = core(schema)
  return inside['type'] === 'array' ? innerOf(inside['items'] as JsonSchema) : inside
}

function typeOf(schema: JsonSchema, direction: Direction): string {
  const inside = core(schema)
  const nothing = inside === schema ? '' : ' or null'
  const name = (inside['$ref'] as string | undefined)?.replace(/^.*\//, '')
  if (name && direction === 'received') return `[${name}](#schema-${name})${nothing}`
  if (inside['type'] === 'array') return `array of ${typeOf(inside['items'] as JsonSchema, direction)}${nothing}`
  return `${inside['type'] ?? (name ? 'object' : typeof inside['const'])}${nothing}`
}

/** Patterns that only repeat a format or a description. */
const obvious = /^\^(\[0-9a-f|\\d\{4\}-|\[\^\\u)/

function limitsOf(schema: JsonSchema): (string | false)[] {
  const { minLength, maxLength, minimum, maximum, maxItems, format, pattern, default: byDefault } = core(schema)
  const values = (core(schema)['enum'] ?? (schema['const'] === undefined ? [] : [schema['const']])) as unknown[]
  return [
    values.length > 0 && `${values.length > 1 ? 'one of ' : ''}${values.map(value => `\`${value}\``).join(', ')}`,
    range(minLength, maxLength, ' characters'),
    range(minimum, maximum, ''),
    range(undefined, maxItems, ' entries'),
    typeof format === 'string' && `format \`${format}\``,
    typeof pattern === 'string' && !obvious.test(pattern) && `matches \`${pattern}\``,
    byDefault !== undefined && `default \`${JSON.stringify(byDefault)}\``,
  ]
}

/** The largest number that the schemas allow. It is no limit that a reader needs. */
const unbounded = 999_999_999_999_999

function range(least: unknown, most: unknown, unit: string): string | false {
  const isOpen = most === undefined || Number(most) >= unbounded
  if (isOpen) return least !== undefined && `at least ${least}${unit}`
  return least === undefined ? `at most ${most}${unit}` : `${least} to ${most}${unit}`
}
