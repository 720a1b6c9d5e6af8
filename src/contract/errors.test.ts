import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { type Endpoint, endpoints, errorCatalogue, fieldCodes, problemSchema, toFieldErrors } from './index.ts'

describe('errorCatalogue', () => {
  it('has every case of the decisions with its status', () => {
    const statuses = Object.fromEntries(Object.entries(errorCatalogue).map(([code, { status }]) => [code, status]))
    expect(statuses).toMatchObject({
      invalid_request: 400,
      email_taken: 400,
      contact_mismatch: 400,
      too_many_entries: 400,
      malformed_body: 400,
      unauthorized: 401,
      token_expired: 401,
      token_revoked: 401,
      contact_deleted: 401,
      insufficient_scope: 403,
      organization_token_in_browser: 403,
      origin_not_allowed: 403,
      login_required: 403,
      not_found: 404,
      method_not_allowed: 405,
      id_reused: 409,
      body_too_large: 413,
      unsupported_media_type: 415,
      headers_too_large: 431,
      internal: 500,
      unavailable: 503,
    })
  })

  it('has exactly four codes with 401, because the widget ends a session on those and no others', () => {
    const codes = Object.entries(errorCatalogue).flatMap(([code, { status }]) => (status === 401 ? [code] : []))
    expect(codes).toEqual(['unauthorized', 'token_expired', 'token_revoked', 'contact_deleted'])
  })

  it('has an error status, a readable title and advice for each code', () => {
    for (const [code, { status, title, detail }] of Object.entries(errorCatalogue)) {
      expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/)
      expect(status).toBeGreaterThanOrEqual(400)
      expect(title).toMatch(/^\S.*[^.\s]$/)
      expect(detail).toMatch(/^[A-Z].*\.$/)
      expect(detail).not.toContain(title)
    }
  })

  it('has every code of the endpoint table', () => {
    for (const { errors = [] } of Object.values<Endpoint>(endpoints))
      for (const code of errors) expect(Object.hasOwn(errorCatalogue, code)).toBe(true)
  })
})

describe('problemSchema', () => {
  const problem = {
    type: 'about:blank',
    title: 'Not found',
    status: 404,
    code: 'not_found',
    detail: "Check the ids in the path, and that the token is of the bot's organization.",
    instance: 'urn:natter:request:1',
  }
  it('accepts a problem with and without errors and conflict', () => {
    const more = {
      ...problem,
      errors: [{ pointer: '/data/3/email', code: 'missing', detail: 'This field is required.', index: 3 }],
      conflict: { field: 'email', contactId: 'x' },
    }
    expect(v.parse(problemSchema, problem)).toEqual(problem)
    expect(v.parse(problemSchema, more)).toEqual(more)
  })
  it('accepts only codes of the catalogue', () => {
    expect(v.is(problemSchema, { ...problem, code: 'nope' })).toBe(false)
  })
})

describe('toFieldErrors', () => {
  const pointersOf = (schema: v.GenericSchema, input: unknown) =>
    toFieldErrors(v.safeParse(schema, input).issues ?? []).map(error => error.pointer)

  it('writes escaped JSON Pointers', () => {
    expect(pointersOf(v.object({ 'a/b': v.object({ '~c': v.string() }) }), { 'a/b': { '~c': 1 } })).toEqual([
      '/a~1b/~0c',
    ])
  })
  it('never repeats the input', () => {
    const secret = `c:${'a1'.repeat(32)}`
    const schema = v.object({ a: v.number(), b: v.picklist(['x']), c: v.array(v.string()) })
    const errors = toFieldErrors(v.safeParse(schema, { a: secret, b: secret, c: secret }).issues ?? [])
    expect(errors.length).toBe(3)
    expect(JSON.stringify(errors)).not.toContain('a1a1')
    for (const { code } of errors) expect(fieldCodes).toContain(code)
  })
})
