import { brotliDecompressSync } from 'node:zlib'
import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { endpoints, errorCatalogue, type OpenApi, openapi } from '../../contract/index.ts'
import { ProblemError } from '../domain/problem.ts'
import { readPackageFile } from '../packageFiles.ts'
import { apiPage } from './docs/api/page.ts'
import { documentRoutes } from './documents.ts'

const document = openapi('1.2.3')
const routes = documentRoutes('1.2.3', readPackageFile)
const app = new Hono().get('/docs', routes.docs).get('/docs/:page', routes.docsPage)
const read = async (headers: Record<string, string> = {}, path = '/docs/api') => {
  const response = await app.request(path, { headers })
  const bytes = Buffer.from(await response.arrayBuffer())
  return { status: response.status, headers: response.headers, bytes, page: bytes.toString() }
}
const unescaped = (markup: string) =>
  markup
    .replace(/<[^>]*>/g, '')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')

describe('GET /docs/api', () => {
  it('shows every operation, event, error and object of the OpenAPI document, each with an anchor', async () => {
    const { page } = await read()
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
    expect(new Set(ids).size).toBe(ids.length)
    const wanted = [
      ...Object.keys(endpoints),
      ...Object.keys(errorCatalogue).map(code => `error-${code}`),
      ...['turnRequested', 'messageCreated', 'schema-Contact', 'schema-Problem', 'contact-tokens', 'webhooks'],
    ]
    expect(wanted.filter(id => !ids.includes(id))).toEqual([])
  })

  it('links only to its own anchors, the guides and the OpenAPI document', async () => {
    const { page } = await read()
    const links = [...page.matchAll(/(?:href|src|action|srcset|poster)="([^"]*)"/g)].map(([, link = '']) => link)
    const ids = new Set([...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => `#${id}`))
    const elsewhere = links.filter(link => !ids.has(link) && !link.startsWith('data:image/svg+xml,'))
    expect(new Set(elsewhere)).toEqual(
      new Set([
        expect.stringMatching(/^docs\.css\?v=[0-9a-f]{8}$/),
        expect.stringMatching(/^docs\.js\?v=[0-9a-f]{8}$/),
        '../docs',
        '../v1/openapi.json',
      ]),
    )
  })

  it('contains commands that a shell can run as they are', async () => {
    const text = unescaped((await read()).page)
    expect(text).toContain(`curl -X PUT "$BASE/v1/bots/$BOT/contacts" \\
  -H "Authorization: Bearer $TOKEN" \\
  -H "Content-Type: application/json" \\
  -d '{
    "name": "Ada Lovelace",`)
    expect(text).toContain('curl -X POST "$BASE/v1/bots/$BOT/contacts?query=ada"')
    expect(text).toContain('curl -N "$BASE/v1/bots/$BOT/widget/events"')
  })

  it('shows for each field whether it is required and its limits', async () => {
    const { page } = await read()
    const [, create = ''] = /<article id="createContact"([\s\S]*?)<\/article>/.exec(page) ?? []
    const text = unescaped(create).replace(/\s+/g, ' ')
    expect(text).toContain('name string required')
    expect(text).toContain('1 to 255 characters')
    expect(text).toContain('At most 128 characters')
    expect(text).toContain('email_taken')
    expect(text).toContain('Idempotency-Key')
  })

  it('escapes the text of the OpenAPI document', async () => {
    const hostile = '<script>alert(1)</script>'
    const changed = JSON.parse(JSON.stringify(document)) as OpenApi
    changed.info.description = hostile
    const [path] = Object.values(changed.paths)
    for (const operation of Object.values(path ?? {}))
      Object.assign(operation, { summary: hostile, description: hostile })
    const page = apiPage(changed)
    expect(page).not.toContain(hostile)
    expect(page.match(/<script/g)).toHaveLength(1)
  })
})

describe.each(['/docs', '/docs/api', '/docs/widget', '/docs/demo-server'])('GET %s', path => {
  it('has no script or style of its own, and allows those of the platform only', async () => {
    const { page, headers } = await read({}, path)
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toMatch(/^default-src 'none'; style-src 'self'; script-src 'self';/)
    expect(policy).not.toMatch(/unsafe|\*|https?:/)
    expect(page).not.toMatch(/<style|<script>|<script(?! src="[\w/]*docs\.js\?v=)/)
    for (const [tag] of page.matchAll(/<\w[^>]*>/g)) expect(tag).not.toMatch(/ style="| on\w+="|javascript:/)
  })

  it('is compressed for clients that accept it, and has an ETag', async () => {
    const plain = await read({}, path)
    const compressed = await read({ 'accept-encoding': 'br' }, path)
    expect(compressed.headers.get('content-encoding')).toBe('br')
    expect(brotliDecompressSync(compressed.bytes).toString()).toBe(plain.page)
    const again = await read({ 'if-none-match': plain.headers.get('etag') ?? '' }, path)
    expect([again.status, again.headers.get('content-type')]).toEqual([304, null])
  })
})

describe('GET /docs/{file}', () => {
  it.each([
    ['docs.css', 'text/css; charset=utf-8'],
    ['docs.js', 'text/javascript; charset=utf-8'],
    ['http.svg', 'image/svg+xml'],
    ['sign-in.webp', 'image/webp'],
  ])('serves %s as %s', async (file, type) => {
    const { status, headers, bytes } = await read({}, `/docs/${file}`)
    expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
      200,
      type,
      'public, max-age=300',
    ])
    expect(bytes.length).toBeGreaterThan(500)
  })

  it.each(['none.svg', '..%2F..%2F..%2Fpackage.json', '..%2Fhttp.svg', 'package.json', 'constructor', 'x.constructor'])(
    'has no %s',
    async file => {
      const failing = new Hono().get('/docs/:page', routes.docsPage)
      failing.onError((error, c) => c.text(error instanceof ProblemError ? error.code : error.name))
      expect(await (await failing.request(`/docs/${file}`)).text()).toBe('not_found')
    },
  )
})
