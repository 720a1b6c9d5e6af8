import * as v from 'valibot'
import type { Endpoint } from '../endpoint.ts'
import { attachmentId, botId, contactId, contactToken, conversationId, question } from '../endpoints/samples.ts'
import {
  type ExampleObject,
  type MediaType,
  type Operation,
  type ParameterObject,
  type RequestBody,
  type ResponseObject,
  withExample,
} from './document.ts'
import { successHeaders } from './headers.ts'
import { errorCodesOf, problemResponses } from './problems.ts'
import { requestSchema, responseSchema } from './schemas.ts'

/** An endpoint as an operation; `operationId` is its name, with the method appended for an alias. */
export const operation = (operationId: string, tag: string, row: Endpoint): Operation => ({
  operationId,
  tags: [tag],
  summary: row.summary,
  description: row.description,
  security: row.auth === 'none' ? [] : [{ [row.auth]: [] }],
  parameters: [
    ...pathParameters(row.path),
    ...queryParameters(row.query, row.queryExample ?? {}),
    ...(row.parameters ?? []),
    ...(row.idempotent ? idempotencyHeaders : []),
  ],
  ...(row.body && { requestBody: requestBody(row.body) }),
  ...(row.upload && { requestBody: fileBody(row.upload.maxBytes) }),
  responses: { ...successes(row), ...problemResponses(errorCodesOf(row)) },
})

const idempotencyHeaders = ['IdempotencyKey', 'IdempotencyAttempt'].map(name => ({
  $ref: `#/components/parameters/${name}`,
}))

const ofPath: Record<string, { description: string; example: string }> = {
  botId: { description: 'Id of the bot.', example: botId },
  contactId: { description: 'Id of the contact.', example: contactId },
  conversationId: { description: 'Id of the conversation.', example: conversationId },
  messageId: { description: 'Id of the message.', example: question.id },
  attachmentId: { description: 'Id of the file, a UUID that its sender creates.', example: attachmentId },
  contactToken: { description: 'The contact token, `c:…`.', example: contactToken },
  version: { description: 'Version of the package.', example: '0.1.0' },
  file: { description: 'Name of the file.', example: 'core-1a2b3c.js' },
  page: { description: 'Name of the page.', example: 'api' },
  token: { description: 'The token of the link.', example: 'f'.repeat(64) },
}

/** The parameters of a path template. Their form is not checked: an invalid id is treated like an unknown one. */
export const pathParameters = (path: string): ParameterObject[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    const { description = '', example = '' } = ofPath[name] ?? {}
    return { name, in: 'path', description, required: true, schema: { type: 'string' }, example }
  })

function queryParameters(schema: v.GenericSchema | undefined, examples: Record<string, unknown>): ParameterObject[] {
  if (!schema) return []
  const { properties } = requestSchema(schema) as { properties: Record<string, Record<string, unknown>> }
  return Object.entries(properties).map(([name, { description, ...property }]) => ({
    name,
    in: 'query',
    description: String(description),
    // All query parameters are text; the schema describes their meaning.
    schema:
      'default' in property && property['type'] === 'integer'
        ? { ...property, default: Number(property['default']) }
        : property,
    ...(name in examples && { example: examples[name] }),
  }))
}

const formTypes = ['application/x-www-form-urlencoded', 'multipart/form-data']

function requestBody({ schema, forms, maxBytes, ...body }: NonNullable<Endpoint['body']>): RequestBody {
  const examples: Record<string, ExampleObject> = Object.fromEntries(
    Object.entries(body.examples).map(([name, value]) => [name, { value }]),
  )
  const media: MediaType = { schema: requestSchema(schema), examples }
  const size = maxBytes ? `${maxBytes / 1024 / 1024} MiB` : '32 KiB'
  return {
    description: `At most ${size}. Unknown properties are ignored.`,
    // An empty body is read as an empty object.
    required: !v.is(schema, {}),
    content: Object.fromEntries(['application/json', ...(forms ? formTypes : [])].map(type => [type, media])),
  }
}

function successes(row: Endpoint): Record<string, ResponseObject> {
  const { status, description, schema, stream, file, also, example } = row.success
  const content = file ? fileContent(file) : contentOf(schema, stream, example)
  const headers = successHeaders(row)
  const answers: Record<string, ResponseObject> = { [status]: { description, headers, ...(content && { content }) } }
  for (const [other, meaning] of Object.entries(also ?? {}))
    answers[other] = { description: meaning, headers, ...(other === '200' && content && { content }) }
  return answers
}

/** Any bytes. A document in JSON cannot show some. */
const bytes = { schema: {}, examples: { file: { value: '(the bytes of the file)' } } }

const fileContent = (types: readonly string[]) => Object.fromEntries(types.map(type => [type, bytes]))

const fileBody = (maxBytes: number): RequestBody => ({
  description: `The file, at most ${maxBytes / 1024 / 1024} MiB. Its content type is ignored.`,
  required: true,
  content: { 'application/octet-stream': bytes },
})

function contentOf(schema: v.GenericSchema | undefined, stream: true | undefined, example: unknown) {
  if (stream) return { 'text/event-stream': withExample({ type: 'string' }, example) }
  return schema && { 'application/json': withExample(responseSchema(schema), example) }
}
