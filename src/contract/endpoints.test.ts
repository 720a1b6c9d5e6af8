import { describe, expect, it } from 'vitest'
import { type Endpoint, endpoints, pathOf } from './index.ts'

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
      .slice(0, 8)
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
})
