import { readFile } from 'node:fs/promises'
import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import {
  ApiError,
  createClient,
  isApiError,
  isNetworkError,
  isSdkError,
  isTimeoutError,
  isWebhookSignatureError,
  type NatterClient,
  SdkError,
  WebhookSignatureError,
} from './index.ts'
import { failure, options } from './testing/testClients.ts'

const contactToken = `c:${'ab12'.repeat(16)}`
const contact = {
  id: '1',
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  phone: '',
  mid: '',
  wid: '',
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
}

/** A client that gets this answer, and what it has sent. */
function scriptedServer(answer: () => Response | Promise<Response>): { client: NatterClient; sent: Request[] } {
  const sent: Request[] = []
  const fetch = async (request: Request) => {
    sent.push(request.clone())
    return answer()
  }
  return { client: createClient({ ...options, maxRetries: 0, fetch }), sent }
}

function problem(
  { status, code, ...more }: { status: number; code: string; [key: string]: unknown },
  { headers = {} }: { headers?: Record<string, string> } = {},
): Response {
  const base = { type: 'about:blank', title: 'No', detail: 'No.', instance: 'urn:natter:request:r-1' }
  return Response.json(
    { ...base, status, code, ...more },
    { status, headers: { 'content-type': 'application/problem+json', ...headers } },
  )
}
const failing = (error: unknown) => () => Promise.reject(error)

describe('a request', () => {
  it('has the organization token and a JSON body', async () => {
    const { client, sent } = scriptedServer(() => Response.json({ data: contact }))
    await client.contacts.create({ name: 'Ada Lovelace', email: 'ada@example.com' })
    expect(sent[0]?.headers.get('authorization')).toBe(`Bearer ${options.organizationToken}`)
    expect(sent[0]?.headers.get('content-type')).toBe('application/json')
    expect(await sent[0]?.json()).toEqual({ name: 'Ada Lovelace', email: 'ada@example.com' })
  })

  it('names the SDK and its version in User-Agent', async () => {
    const { client, sent } = scriptedServer(() => Response.json({ data: contact }))
    await client.contacts.retrieve('1')
    const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'))
    expect(sent[0]?.headers.get('user-agent')).toBe(`natter-node/${version}`)
  })

  it('retrieves a contact by email with the filter of the search, and resolves to null if there is none', async () => {
    const pagination = { total: 0, page: 1, limit: 1, totalPages: 0, startPage: 1, endPage: 0 }
    const rest = { startIndex: 0, endIndex: -1, pages: [] }
    let data: object[] = []
    const { client, sent } = scriptedServer(() => Response.json({ data, pagination: { ...pagination, ...rest } }))
    expect(await client.contacts.retrieveByEmail('ada+1@example.com')).toBeNull()
    data = [contact]
    expect(await client.contacts.retrieveByEmail('ada@example.com')).toEqual(contact)
    expect(new URL(sent[0]?.url ?? '').search).toBe('?email=ada%2B1%40example.com&limit=1')
  })

  it('sends a search in the query string, without a body', async () => {
    const pagination = { total: 0, page: 1, limit: 5, totalPages: 0, startPage: 1, endPage: 0 }
    const rest = { startIndex: 0, endIndex: -1, pages: [] }
    const { client, sent } = scriptedServer(() => Response.json({ data: [], pagination: { ...pagination, ...rest } }))
    await client.contacts.search({ query: '50 % & +', limit: 5 })
    await client.contacts.search()
    expect(new URL(sent[0]?.url ?? '').searchParams.get('query')).toBe('50 % & +')
    expect(sent.map(request => new URL(request.url).search)).toEqual(['?query=50+%25+%26+%2B&limit=5', ''])
    expect(await sent[0]?.text()).toBe('')
  })

  it('is not sent for a search that is not an object, which would find all contacts', async () => {
    const { client, sent } = scriptedServer(() => new Response())
    const untyped = client.contacts as unknown as { search(search: unknown): AsyncIterable<unknown> }
    await expect(untyped.search('ada')).rejects.toThrow(TypeError)
    const iterating = untyped.search('ada')[Symbol.asyncIterator]().next()
    await expect(iterating).rejects.toThrow('such as { query: … }')
    expect(sent).toEqual([])
  })

  it('tolerates properties that it does not know, and a contact without mid and wid', async () => {
    const { mid: _, wid: __, ...sample } = contact
    const { client } = scriptedServer(() => Response.json({ data: { ...sample, wip: '' }, meta: {} }))
    expect(await client.contacts.retrieve('1')).toEqual(contact)
  })

  it.each(['', '..'])('is not sent for the id %j, which would call another endpoint', async id => {
    const { client, sent } = scriptedServer(() => new Response(null, { status: 204 }))
    await expect(client.contacts.delete(id)).rejects.toThrow('contactId')
    expect(sent).toEqual([])
  })
})

describe('ApiError', () => {
  it('has code, status, request id, field errors and conflict, and names the request', async () => {
    const errors = [{ pointer: '/email', code: 'missing', detail: 'This field is required.' }]
    const conflict = { field: 'email', contactId: 'x' }
    const { client } = scriptedServer(() =>
      problem({ status: 400, code: 'invalid_request', errors, conflict }, { headers: { 'x-request-id': 'r-2' } }),
    )
    const error = await failure(client.contacts.update('7', { name: '' }))
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toBeInstanceOf(SdkError)
    expect(error).toMatchObject({ code: 'invalid_request', status: 400, requestId: 'r-2', errors, conflict })
    expect(String(error)).toBe(
      'ApiError: "Update a contact" failed with 400 invalid_request. /email: This field is required. ' +
        '[PATCH /v1/bots/{botId}/contacts/{contactId} at chat.example]',
    )
  })

  it('has the headers of the response, without the token that a redirect repeats', async () => {
    const headers = { ratelimit: '"token";r=0;t=45', 'x-request-id': 'r-2' }
    const limited = scriptedServer(() => problem({ status: 429, code: 'rate_limited' }, { headers })).client
    const error = await failure(limited.contacts.search())
    if (!isApiError(error)) throw error
    expect([error.headers.get('ratelimit'), error.requestId]).toEqual(['"token";r=0;t=45', 'r-2'])
    const location = `https://other.example/auth/contacts/${contactToken}`
    const moved = scriptedServer(() => new Response(null, { status: 302, headers: { location } })).client
    const redirected = await failure(moved.contactTokens.revoke(contactToken))
    if (!isApiError(redirected)) throw redirected
    expect(redirected.headers.get('location')).toBe('https://other.example/auth/contacts/[redacted]')
  })

  it('passes on a code that this version does not know', async () => {
    const { client } = scriptedServer(() => problem({ status: 418, code: 'teapot' }))
    expect(await failure(client.contacts.delete('1'))).toMatchObject({ code: 'teapot', status: 418, requestId: 'r-1' })
  })

  it("has the platform's detail, without tokens", async () => {
    const detail = `Wait until noon, ${contactToken}.`
    const { client } = scriptedServer(() => problem({ status: 429, code: 'rate_limited', detail }))
    const error = await failure(client.contacts.delete('1'))
    expect(error).toMatchObject({ detail: 'Wait until noon, [redacted].' })
    expect(String(error)).toContain('failed with 429 rate_limited. Wait until noon, [redacted]. [DELETE ')
  })

  it.each<[string, () => Response]>([
    ['an error page of a proxy', () => new Response('<h1>Bad Gateway</h1>', { status: 502 })],
    ['JSON of another service', () => Response.json({ error: 'no' }, { status: 400 })],
    ['a page instead of JSON', () => new Response('<!doctype html>')],
    ['JSON of another shape', () => Response.json({ data: { id: 1 } })],
    ['nothing', () => new Response('')],
  ])('is unexpected_response for %s', async (_, answer) => {
    const { client } = scriptedServer(answer)
    const error = await failure(client.contacts.create({ name: 'A', email: 'a@example.com' }))
    expect(error).toMatchObject({ name: 'ApiError', code: 'unexpected_response', status: answer().status })
    expect(String(error)).toMatch(/Is baseUrl right\? \[PUT \/v1\/bots\/\{botId\}\/contacts at chat\.example\]$/)
  })

  it('is thrown for a redirect, which is not followed: it would lose the method or the token', async () => {
    const { client, sent } = scriptedServer(
      () => new Response(null, { status: 301, headers: { location: 'https://www.chat.example/' } }),
    )
    const error = await failure(client.contacts.retrieve('1'))
    expect(error).toMatchObject({ name: 'ApiError', code: 'unexpected_response', status: 301 })
    expect(String(error)).toContain('redirect')
    expect(sent.length).toBe(1)
  })
})

describe('NetworkError', () => {
  it('keeps the original error as its cause', async () => {
    const reason = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' })
    const { client } = scriptedServer(failing(new TypeError('fetch failed', { cause: reason })))
    const error = await failure(client.contacts.delete('1'))
    if (!isNetworkError(error) || !(error.cause instanceof Error)) throw error
    expect(error.message).toContain('DELETE /v1/bots/{botId}/contacts/{contactId}')
    expect(error.cause.message).toBe('fetch failed')
    expect(inspect(error.cause.cause)).toContain('ECONNREFUSED 127.0.0.1:1')
    expect(error.cause.cause).toHaveProperty('code', 'ECONNREFUSED')
  })
})

describe('no error contains a token', () => {
  const url = `https://chat.example/v1/bots/bot-1/auth/contacts/${encodeURIComponent(contactToken)}`
  const leaky = Object.assign(new TypeError(`error sending request for url (${url})`), {
    request: new Request(url, { headers: { authorization: options.organizationToken } }),
    cause: new Error(`Authorization: Bearer ${options.organizationToken} for ${contactToken}`),
  })
  it.each<[string, () => Response | Promise<Response>]>([
    ['a runtime that names the whole URL', failing(leaky)],
    ['a fetch that throws something else', failing(new RangeError(`${url} ${options.organizationToken}`))],
    ['a refusal', () => problem({ status: 401, code: 'unauthorized', detail: url })],
    ['a proxy that repeats the path', () => new Response(url, { status: 502 })],
    ['a redirect', () => new Response(null, { status: 307, headers: { location: url } })],
  ])('from %s', async (_, answer) => {
    const { client } = scriptedServer(answer)
    const error = await failure(client.contactTokens.revoke(contactToken))
    expect(isSdkError(error)).toBe(true)
    const text = inspect(error, { depth: 20, showHidden: true }) + (error instanceof Error ? error.stack : '')
    expect(text).toContain('DELETE /v1/bots/{botId}/auth/contacts/{contactToken}')
    expect(text).not.toContain('ab12ab12')
    expect(text).not.toContain(options.organizationToken)
  })

  it('of another request', async () => {
    const { client } = scriptedServer(failing(new Error(`proxy has ${contactToken} of another request`)))
    const error = await failure(client.contacts.search())
    expect(inspect(error)).toContain('proxy has [redacted] of another')
  })

  it('even if the argument does not look like a token', async () => {
    const { client } = scriptedServer(failing(new Error('no route to /auth/contacts/hunter2-secret')))
    const error = await failure(client.contactTokens.revoke('hunter2-secret'))
    expect(inspect(error)).not.toContain('hunter2')
  })
})

describe('guards', () => {
  it('recognize errors by name, also those of another copy of the SDK', () => {
    const guards = [isApiError, isNetworkError, isTimeoutError, isWebhookSignatureError, isSdkError]
    const resultsFor = (thing: unknown) => guards.map(guard => guard(thing))
    expect(resultsFor(Object.assign(new Error('x'), { name: 'ApiError', requestId: '' }))).toEqual([
      ...[true, false, false, false],
      true,
    ])
    expect(resultsFor(new WebhookSignatureError('x'))).toEqual([false, false, false, true, true])
    const foreign = ['NetworkError', 'TimeoutError'].map(name => new DOMException('of the Web', name))
    for (const thing of [
      new Error('x'),
      'ApiError',
      null,
      undefined,
      { name: 'ApiError', requestId: '' },
      ...foreign,
    ]) {
      expect(resultsFor(thing)).not.toContain(true)
    }
  })
})
