import type * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { type Endpoint, endpoints, pathOf, validate } from './index.ts'

const specified = [
  'createContactToken',
  'revokeContactToken',
  'createContact',
  'upsertContacts',
  'searchContacts',
  'retrieveContact',
  'updateContact',
  'deleteContact',
]
const rows = Object.entries<Endpoint>(endpoints)

describe('pathOf', () => {
  it('fills in and encodes parameters', () => {
    expect(pathOf('revokeContactToken', { botId: 'a/b', contactToken: 'c:1' })).toBe(
      '/v1/bots/a%2Fb/auth/contacts/c%3A1',
    )
  })
  it('throws if one is missing', () => {
    expect(() => pathOf('retrieveContact', { botId: 'b' })).toThrow('contactId')
  })
  it.each(['', '.', '..'])('throws for %j, which would lead to another endpoint', contactId => {
    expect(() => pathOf('deleteContact', { botId: 'b', contactId })).toThrow('contactId')
  })
  it('treats a value that looks like a replacement pattern or template as text', () => {
    expect(pathOf('retrieveContact', { botId: '$&', contactId: '{botId}' })).toBe(
      '/v1/bots/%24%26/contacts/%7BbotId%7D',
    )
  })
})

describe('endpoints', () => {
  it('have the operations of the specification with their methods and paths', () => {
    const table = rows
      .filter(([name]) => specified.includes(name))
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
    ])
  })
  it('have no method of a path twice', () => {
    const taken = rows.flatMap(([, { method, alias, path }]) => [method, ...(alias ? [alias] : [])].map(m => m + path))
    expect(new Set(taken).size).toBe(taken.length)
  })
  it('do not take an array for an object, at any depth of any body', () => {
    const objects = rows.flatMap(([name, { body }]) => (body ? objectsIn(body.schema, name) : []))
    expect(objects.length).toBeGreaterThan(20)
    for (const { path, schema } of objects)
      expect(validate(schema, []), path).toMatchObject({
        errors: [{ pointer: '', code: 'wrong_type', detail: expect.stringMatching(/^Must be an object/) }],
      })
  })
  it('refuse an unknown parameter of their query by its name, except the search of the specification', () => {
    const queries = rows.filter(([name, { query }]) => query && name !== 'searchContacts')
    expect(queries.length).toBeGreaterThan(3)
    for (const [name, { query }] of queries)
      expect(query && validate(query, { 'e/mail': 'ada@example.com' }), name).toMatchObject({
        errors: [{ pointer: '/e~1mail', code: 'unknown' }],
      })
  })
})

/** The schemas of all objects in a schema. */
function objectsIn(schema: v.GenericSchema, path: string): { path: string; schema: v.GenericSchema }[] {
  const {
    type,
    entries = {},
    item,
    wrapped,
    options,
  } = schema as v.GenericSchema & {
    entries?: Record<string, v.GenericSchema>
    item?: v.GenericSchema
    wrapped?: v.GenericSchema
    options?: v.GenericSchema[]
  }
  const inner = Object.entries({ ...entries, ...(item && { item }), ...(wrapped && { wrapped }) })
  if (type === 'union') inner.push(...Object.entries(options ?? []))
  const found = inner.flatMap(([key, value]) => objectsIn(value, `${path}/${key}`))
  return type === 'object' || type === 'custom' ? [{ path, schema }, ...found] : found
}
