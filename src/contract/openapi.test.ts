import { describe, expect, it } from 'vitest'
import { type Endpoint, endpoints, errorCatalogue, openapi, pathOf } from './index.ts'

interface Operation {
  operationId: string
  security: Record<string, unknown>[]
  parameters: { name: string; in: string; required?: boolean; schema: Record<string, unknown> }[]
  requestBody?: { required: boolean; content: Record<string, { schema: Record<string, unknown> }> }
  responses: Record<string, { description: string; content?: Record<string, unknown> }>
}
interface Document {
  openapi: string
  info: { title: string; version: string }
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, unknown>; securitySchemes: Record<string, unknown> }
}

// Through JSON: what a client gets is what is tested.
const document = JSON.parse(JSON.stringify(openapi('1.2.3'))) as Document
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
)
const rows = Object.entries<Endpoint>(endpoints)

function* everyObject(value: unknown): Generator<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield value as Record<string, unknown>
  for (const child of Object.values(value)) yield* everyObject(child)
}

describe('openapi', () => {
  it('is an OpenAPI 3.1 document of the version asked for', () => {
    expect(document.openapi).toBe('3.1.0')
    expect(document.info).toMatchObject({ title: 'Natter', version: '1.2.3' })
    expect(operations.length).toBe(rows.length + rows.filter(([, row]) => row.alias).length)
  })

  it.each(rows)('holds %s under its method and its alias', (name, row) => {
    const path = document.paths[row.path] ?? {}
    const operation = path[row.method.toLowerCase()]
    expect(operation?.operationId).toBe(name)
    expect(operation?.responses[row.success.status]).toBeDefined()
    if (row.alias) expect(path[row.alias.toLowerCase()]?.requestBody).toEqual(operation?.requestBody)
  })

  it('names every operation once', () => {
    expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(operations.length)
  })

  it('declares the parameters of each path, all of them required', () => {
    for (const { path, operation } of operations) {
      const inPath = operation.parameters.filter(parameter => parameter.in === 'path')
      expect(inPath.map(({ name }) => `{${name}}`)).toEqual(path.match(/\{\w+\}/g) ?? [])
      for (const parameter of inPath) expect(parameter.required).toBe(true)
    }
  })

  it('resolves every $ref', () => {
    const refs = [...everyObject(document)].flatMap(({ $ref }) => (typeof $ref === 'string' ? [$ref] : []))
    expect(refs.length).toBeGreaterThan(0)
    for (const ref of refs) {
      const steps = ref.replace(/^#\//, '').split('/')
      const target = steps.reduce<unknown>((at, step) => (at as Record<string, unknown> | undefined)?.[step], document)
      expect(target, ref).toBeDefined()
    }
  })

  it('knows every security scheme that it names', () => {
    const named = operations.flatMap(({ operation }) => operation.security.flatMap(Object.keys))
    expect(new Set(named)).toEqual(new Set(Object.keys(document.components.securitySchemes)))
    for (const [name, row] of rows) {
      const { operation } = operations.find(({ operation }) => operation.operationId === name) ?? {}
      expect(operation?.security).toEqual(row.auth === 'none' ? [] : [{ [row.auth]: [] }])
    }
  })

  it('asks for a body exactly where an empty one is refused', () => {
    const required = operations.filter(({ operation }) => operation.requestBody?.required)
    expect(required.map(({ operation }) => operation.operationId).toSorted()).toEqual(
      [
        'createContact',
        'createContactToken',
        'createContactTokenByPOST',
        'markRead',
        'sendMessage',
        'upsertContacts',
      ].toSorted(),
    )
    expect(document.paths[endpoints.updateContact.path]?.['patch']?.requestBody?.required).toBe(false)
  })

  it('takes forms wherever the table does', () => {
    for (const [, row] of rows) {
      const content = document.paths[row.path]?.[row.method.toLowerCase()]?.requestBody?.content
      if (row.body) expect('multipart/form-data' in (content ?? {})).toBe(row.body.forms)
      else expect(content).toBeUndefined()
    }
  })

  it('describes each error status by codes of the catalogue, 401 wherever a token is needed', () => {
    for (const { operation } of operations) {
      for (const [status, { description }] of Object.entries(operation.responses)) {
        if (Number(status) < 400) continue
        for (const code of description.split(', ')) {
          expect(errorCatalogue[code as keyof typeof errorCatalogue]?.status, code).toBe(Number(status))
        }
      }
      if (operation.security.length > 0) expect(operation.responses).toHaveProperty('401')
    }
  })

  it('gives the search its three optional parameters with their defaults', () => {
    const search = document.paths[endpoints.searchContacts.path]?.['post']?.parameters ?? []
    const query = search.filter(parameter => parameter.in === 'query')
    expect(query.map(({ name }) => name)).toEqual(['query', 'page', 'limit'])
    for (const { required } of query) expect(required ?? false).toBe(false)
    expect(query.map(({ schema }) => schema['default'])).toEqual(['', '1', '10'])
  })
})

describe('pathOf', () => {
  it('fills in and encodes parameters', () => {
    expect(pathOf('revokeContactToken', { botId: 'a/b', contactToken: 'c:1' })).toBe(
      '/v1/bots/a%2Fb/auth/contacts/c%3A1',
    )
  })
  it('throws where one is missing', () => {
    expect(() => pathOf('retrieveContact', { botId: 'b' })).toThrow('contactId')
  })
  it.each(['', '.', '..'])('throws for %j, which would lead to another endpoint', contactId => {
    expect(() => pathOf('deleteContact', { botId: 'b', contactId })).toThrow('contactId')
  })
  it('takes a value that looks like a replacement pattern or template as text', () => {
    expect(pathOf('retrieveContact', { botId: '$&', contactId: '{botId}' })).toBe(
      '/v1/bots/%24%26/contacts/%7BbotId%7D',
    )
  })
})

describe('endpoints', () => {
  it('has the operations of the specification under their methods and paths', () => {
    const table = rows
      .filter(([, row]) => row.auth === 'organization')
      .map(([, { method, alias, path, success }]) => `${method}${alias ? `|${alias}` : ''} ${path} ${success.status}`)
    expect(table).toEqual([
      'PUT|POST /v1/bots/{botId}/auth/contacts 201',
      'DELETE /v1/bots/{botId}/auth/contacts/{contactToken} 204',
      'PUT /v1/bots/{botId}/contacts 201',
      'PATCH /v1/bots/{botId}/contacts 200',
      'POST /v1/bots/{botId}/contacts 200',
      'GET /v1/bots/{botId}/contacts/{contactId} 200',
      'PATCH /v1/bots/{botId}/contacts/{contactId} 200',
      'DELETE /v1/bots/{botId}/contacts/{contactId} 204',
      'DELETE /v1/bots/{botId}/contacts/{contactId}/tokens 204',
    ])
  })
  it('gives no method of a path to two of them', () => {
    const taken = rows.flatMap(([, { method, alias, path }]) => [method, ...(alias ? [alias] : [])].map(m => m + path))
    expect(new Set(taken).size).toBe(taken.length)
  })
})
