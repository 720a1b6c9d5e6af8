import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { type Endpoint, type ErrorCode, endpoints, errorCatalogue, type OpenApi, openapi } from '../index.ts'
import { createSchemaValidator } from '../testing/schemaValidator.ts'
import { type MediaType, type Operation, resolved } from './document.ts'

// Through JSON, to test exactly what a client gets.
const document = JSON.parse(JSON.stringify(openapi('1.2.3'))) as OpenApi
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
)
const rows = Object.entries<Endpoint>(endpoints)
const byId = (id: string): Operation => {
  const found = operations.find(({ operation }) => operation.operationId === id)
  if (!found) throw new Error(`There is no operation ${id}`)
  return found.operation
}
const parametersOf = (operation: Operation) => operation.parameters.map(parameter => resolved(document, parameter))
const responsesOf = (operation: Operation) =>
  Object.entries(operation.responses).map(([status, response]) => ({ status, ...resolved(document, response) }))

function* everyObject(value: unknown): Generator<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield value as Record<string, unknown>
  for (const child of Object.values(value)) yield* everyObject(child)
}

describe('openapi', () => {
  it('is a valid OpenAPI 3.1 document by the meta-schema of the OpenAPI Initiative', () => {
    const file = new URL('openapi-3.1.schema.json', import.meta.url)
    // Ajv does not find a dynamic anchor below the root. The tests below compile the schemas themselves.
    const text = readFileSync(file, 'utf8').replaceAll('"$dynamicRef": "#meta"', '"$ref": "#/$defs/schema"')
    const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(JSON.parse(text))
    validate(document)
    expect(validate.errors ?? []).toEqual([])
    expect(document.info).toMatchObject({ title: 'Natter', version: '1.2.3' })
  })

  it.each(rows)('has %s with its method and alias, and every success response of its definition', (name, row) => {
    const path = document.paths[row.path]
    const operation = path?.[row.method.toLowerCase() as 'get']
    expect(operation?.operationId).toBe(name)
    const successes = Object.keys(operation?.responses ?? {}).filter(status => Number(status) < 400)
    expect(successes.sort()).toEqual([String(row.success.status), ...Object.keys(row.success.also ?? {})].sort())
    if (row.alias) expect(path?.[row.alias.toLowerCase() as 'get']?.requestBody).toEqual(operation?.requestBody)
  })

  it('has a unique id for every operation', () => {
    expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(operations.length)
  })

  it('has an explained tag for every operation, and endpoints have the tag of their resource', () => {
    const known = document.tags.map(({ name }) => name)
    for (const { operation } of operations) expect(known).toContain(operation.tags[0])
    expect(known.slice(0, 4)).toEqual(['Contacts', 'Contact tokens', 'Conversations', 'Widget'])
    for (const [name, row] of rows) expect(byId(name).tags[0] === 'Widget').toBe(row.auth !== 'organization')
  })

  it('declares the parameters of each path as required', () => {
    for (const { path, operation } of operations) {
      const inPath = parametersOf(operation).filter(parameter => parameter.in === 'path')
      expect(inPath.map(({ name }) => `{${name}}`)).toEqual(path.match(/\{\w+\}/g) ?? [])
      for (const parameter of inPath) expect(parameter.required).toBe(true)
    }
  })

  it('describes every parameter, header, response and field', () => {
    for (const { operation } of operations) {
      expect(operation.summary.length).toBeGreaterThan(3)
      expect(operation.description.length).toBeGreaterThan(10)
      for (const { name, description } of parametersOf(operation)) expect(description, name).toMatch(/\w{2}/)
      for (const { status, description } of responsesOf(operation)) expect(description, status).toMatch(/\w{4}/)
    }
    for (const [name, { properties = {} }] of Object.entries(document.components.schemas))
      for (const [field, schema] of Object.entries(properties as Record<string, object>))
        if (!/"(const|\$ref|items|anyOf)"|object/.test(JSON.stringify(schema)))
          expect(schema, `${name}.${field}`).toHaveProperty('description')
  })

  it('resolves every $ref, and uses every component', () => {
    const refs = new Set([...everyObject(document)].flatMap(({ $ref }) => (typeof $ref === 'string' ? [$ref] : [])))
    for (const $ref of refs) expect(() => resolved(document, { $ref }), $ref).not.toThrow()
    const { responses: _, examples: __, securitySchemes: ___, ...named } = document.components
    const components = Object.entries(named).flatMap(([kind, all]) =>
      Object.keys(all).map(name => `#/components/${kind}/${name}`),
    )
    // The events of streams are described beside the operation: for OpenAPI a stream is one long text.
    expect(components.filter(name => !refs.has(name) && !/Stream|TurnPiece/.test(name))).toEqual([])
  })

  it('defines every security scheme that it uses', () => {
    const named = operations.flatMap(({ operation }) => operation.security.flatMap(scheme => Object.keys(scheme)))
    expect(new Set(named)).toEqual(new Set(Object.keys(document.components.securitySchemes)))
    for (const [name, row] of rows) expect(byId(name).security).toEqual(row.auth === 'none' ? [] : [{ [row.auth]: [] }])
  })

  it('requires a body exactly where an empty one is refused', () => {
    const required = operations.filter(({ operation }) => operation.requestBody?.required)
    expect(required.map(({ operation }) => operation.operationId).toSorted()).toEqual([
      'createContact',
      'createContactToken',
      'createContactTokenByPOST',
      'downloadAttachmentWithNonce',
      'leaveEmail',
      'listMessagesWithNonce',
      'markRead',
      'rateMessage',
      'retrieveContactData',
      'retrieveSessionWithNonce',
      'sendContactMessage',
      'sendConversationMessage',
      'sendMessage',
      'setContactAttributes',
      'stopReply',
      'streamEventsWithNonce',
      'uploadAttachment',
      'uploadConversationAttachment',
      'upsertContacts',
    ])
    expect(byId('updateContact').requestBody?.required).toBe(false)
  })

  it('accepts forms and an Idempotency-Key wherever the endpoint does', () => {
    for (const [name, row] of rows) {
      const operation = byId(name)
      if (row.body) expect('multipart/form-data' in (operation.requestBody?.content ?? {})).toBe(row.body.forms)
      else if (row.upload)
        expect(Object.keys(operation.requestBody?.content ?? {})).toEqual(['application/octet-stream'])
      else expect(operation.requestBody).toBeUndefined()
      expect(parametersOf(operation).some(({ name }) => name === 'Idempotency-Key')).toBe(row.idempotent ?? false)
    }
  })

  it('has a valid example of every body and every error', () => {
    const schemas = createSchemaValidator(document)
    const check = (where: string, { schema, examples = {} }: MediaType, wanted: boolean) => {
      if (wanted) expect(Object.keys(examples), where).not.toEqual([])
      for (const [name, example] of Object.entries(examples))
        expect(schemas.problemsOf(schema, resolved(document, example).value), `${where} ${name}`).toEqual([])
    }
    const hooks = Object.values(document.webhooks).map(({ post }) => post)
    for (const operation of [...operations.map(({ operation }) => operation), ...hooks]) {
      const { operationId, tags, requestBody } = operation
      for (const [type, media] of Object.entries(requestBody?.content ?? {}))
        check(`${operationId} ${type}`, media, true)
      for (const { status, content = {} } of responsesOf(operation))
        for (const media of Object.values(content)) check(`${operationId} ${status}`, media, tags[0] !== 'Service')
    }
    expect(Object.keys(document.components.examples)).toEqual(Object.keys(errorCatalogue))
    for (const [code, { value }] of Object.entries(document.components.examples))
      expect(value).toMatchObject({ code, status: errorCatalogue[code as ErrorCode].status })
  })

  it('describes each error status with codes of the catalogue and the matching headers', () => {
    for (const { operation } of operations) {
      for (const { status, content, headers } of responsesOf(operation)) {
        expect(headers).toHaveProperty('X-Request-Id')
        if (Number(status) < 400) continue
        const codes = Object.keys(content?.['application/problem+json']?.examples ?? {}) as ErrorCode[]
        expect(codes).not.toEqual([])
        for (const code of codes) expect(errorCatalogue[code].status, code).toBe(Number(status))
        if (status === '401') expect(headers).toHaveProperty('WWW-Authenticate')
        if (status === '429' || status === '503') expect(headers).toHaveProperty('Retry-After')
      }
      if (operation.security.length > 0) expect(operation.responses).toHaveProperty('401')
    }
  })

  it('gives the search its four optional parameters with their bounds and defaults', () => {
    const query = parametersOf(byId('searchContacts')).filter(parameter => parameter.in === 'query')
    expect(query.map(({ name, required = false, schema }) => [name, required, schema])).toEqual([
      ['query', false, { type: 'string', maxLength: 256, default: '' }],
      [
        'email',
        false,
        { type: 'string', format: 'idn-email', maxLength: 254, pattern: '^[!-?A-~]{1,64}@[^@\\s]+\\.[^@\\s]+$' },
      ],
      ['page', false, { type: 'integer', minimum: 1, maximum: 999_999_999_999_999, default: 1 }],
      ['limit', false, { type: 'integer', minimum: 1, maximum: 100, default: 10 }],
    ])
  })
})
