import { afterAll, describe, expect, it } from 'vitest'
import { type OpenApi, openapi } from '../../contract/index.ts'
import { createOpenapiValidator } from '../../contract/testing/openapiValidator.ts'
import { createTestTenants } from '../testing/testTenants.ts'
import { withOpenapiChecks } from '../testing/withOpenapiChecks.ts'

const tenants = await createTestTenants()
const server = await tenants.serve()
afterAll(() => tenants.close())
const ask = (method: string, path: string) => fetch(`http://127.0.0.1:${server.port}${path}`, { method })
const document = (await (await ask('GET', '/v1/openapi.json')).json()) as OpenApi

/** Fills the path template with a real bot; all other ids do not exist. */
const filled = (template: string) =>
  template
    .replace('{botId}', tenants.ours.bot.id)
    .replace('{version}', '0')
    .replace(/\{\w+\}/g, 'x')
const methods = ['GET', 'PUT', 'POST', 'PATCH', 'DELETE', 'OPTIONS']
const isWidget = (template: string) => template.includes('/widget')

describe('the running server and its OpenAPI document', () => {
  it('have the same methods for every path', async () => {
    for (const [template, item] of Object.entries(document.paths)) {
      const documented = Object.keys(item).map(method => method.toUpperCase())
      for (const method of methods) {
        const response = await ask(method, filled(template))
        const isStream = response.headers.get('content-type') === 'text/event-stream'
        const text = isStream ? '' : await response.text()
        if (isStream) await response.body?.cancel()
        const description = `${method} ${template}: ${response.status} ${text.slice(0, 200)}`
        expect(text, description).not.toContain('There is nothing at this path.')
        if (method === 'OPTIONS' && isWidget(template)) expect(response.status, description).toBe(204)
        else expect(response.status !== 405, description).toBe(documented.includes(method))
        if (response.status === 405)
          expect(response.headers.get('allow')?.split(', ').sort(), description).toEqual(
            [...documented, ...(documented.includes('GET') ? ['HEAD'] : [])].sort(),
          )
      }
    }
  })

  it('have no other paths above, beside or below the documented ones', async () => {
    const known = Object.keys(document.paths)
    const near = known.flatMap(template => {
      const segments = template.split('/')
      const above = segments.map((_, end) => segments.slice(0, end).join('/') || '/')
      return [...above, `${template}/more`, `${template}/`, `${template}s`, template.replace(/\/[^/]+$/, '/other')]
    })
    const patterns = known.map(template => new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`))
    const unknown = [...new Set(near.map(filled))].filter(path => !patterns.some(pattern => pattern.test(path)))
    expect(unknown.length).toBeGreaterThan(50)
    for (const path of [...unknown, '/', '/admin', '/index.html', '/v2/bots', '/favicon.ico']) {
      for (const method of ['GET', 'POST', 'DELETE']) {
        const response = await ask(method, path)
        const outcome = `${response.status} ${await response.text()}`
        expect(outcome, path).toMatch(/^404 .*There is nothing at this path\./)
      }
    }
  })
})

describe('withOpenapiChecks', () => {
  const contacts = 'http://natter.test/v1/bots/x/contacts'
  interface Answer {
    status: number
    headers: Record<string, string>
    body: string
  }
  /** A platform that changes its answers. */
  const changing = (change: (answer: Answer) => Partial<Answer>) =>
    withOpenapiChecks({
      ...tenants.platform,
      async fetch(request, connection) {
        const response = await tenants.platform.fetch(request, connection)
        const headers = Object.fromEntries(response.headers)
        const given = { status: response.status, headers, body: await response.text() }
        const { body, ...init } = { ...given, ...change(given) }
        return new Response(body, init)
      },
      close: async () => {},
    })
  const problem = { 'content-type': 'application/problem+json' }
  const edit = (body: string, fields: object) => ({ body: JSON.stringify({ ...JSON.parse(body), ...fields }) })

  it.each<[string, (answer: Answer) => Partial<Answer>, RegExp]>([
    ['a status', () => ({ status: 418 }), /POST .*contacts answered 418: the document knows 200, 400, 401/],
    ['a missing header', () => ({ headers: problem }), /X-Request-Id is missing/],
    ['a header’s form', ({ headers }) => ({ headers: { ...headers, 'x-request-id': '7' } }), /X-Request-Id/],
    ['a content type', () => ({ headers: { 'content-type': 'application/json' } }), /is application\/json, not/],
    ['no JSON', () => ({ body: '<p>' }), /no JSON/],
    ['a code of another operation', ({ body }) => edit(body, { code: 'id_reused' }), /\/code/],
    ['a missing field', ({ body }) => edit(body, { instance: undefined }), /instance/],
    ['a field that nobody documented', ({ body }) => edit(body, { stack: 'at …' }), /"stack"/],
  ])(
    'fails a request whose response violates the document by %s, and the end of its platform',
    async (_, change, reason) => {
      const platform = changing(change)
      await expect(platform.fetch(new Request(contacts, { method: 'POST' }))).rejects.toThrow(reason)
      await expect(platform.close()).rejects.toThrow(reason)
    },
  )

  it('detects an unexpected body, and an event with an additional field', () => {
    const { violations, eventViolations } = createOpenapiValidator(openapi('1.2.3'))
    const headers = new Headers({ 'x-request-id': crypto.randomUUID(), 'cache-control': 'no-store' })
    const answer = { method: 'DELETE', url: `${contacts}/1`, status: 204, headers }
    expect(violations({ ...answer, body: '' })).toEqual([])
    expect(violations({ ...answer, body: '{}' })).toEqual([expect.stringContaining('it has a body')])
    expect(eventViolations('read', { seq: 1 })).toEqual([])
    expect(eventViolations('read', { seq: 1, by: 'ada' })).toEqual([expect.stringContaining('"by"')])
  })
})
