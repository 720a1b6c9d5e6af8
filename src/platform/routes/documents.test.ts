import { createHash } from 'node:crypto'
import { brotliDecompressSync } from 'node:zlib'
import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import { endpoints, errorCatalogue, type OpenApi, openapi } from '../../contract/index.ts'
import { docsPage } from './docs/page.ts'
import { documentRoutes } from './documents.ts'

const document = openapi('1.2.3')
const app = new Hono().get('/docs', documentRoutes('1.2.3').docs)
const read = async (headers: Record<string, string> = {}) => {
  const response = await app.request('/docs', { headers })
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

describe('GET /docs', () => {
  it('shows every operation, event, error and object of the document, each with an address', async () => {
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

  it('leads nowhere but to its own addresses and the document', async () => {
    const { page } = await read()
    const links = [...page.matchAll(/(?:href|src|action|srcset|poster)="([^"]*)"/g)].map(([, link = '']) => link)
    const ids = new Set([...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => `#${id}`))
    const elsewhere = links.filter(link => !ids.has(link) && link !== '/v1/openapi.json')
    expect(elsewhere.filter(link => !link.startsWith('data:image/svg+xml,'))).toEqual([])
    expect(page).not.toMatch(/@import|url\(|<iframe|<img|<link rel="(?!icon)/)
  })

  it('holds commands that a shell takes as they are', async () => {
    const text = unescaped((await read()).page)
    expect(text).toContain(`curl -X PUT "$BASE/v1/bots/$BOT/contacts" \\
  -H "Authorization: Bearer $TOKEN" \\
  -H "Content-Type: application/json" \\
  -d '{
    "name": "Ada Lovelace",`)
    expect(text).toContain('curl -X POST "$BASE/v1/bots/$BOT/contacts?query=ada"')
    expect(text).toContain('curl -N "$BASE/v1/bots/$BOT/widget/events"')
  })

  it('tells of each field what is required and what its limits are', async () => {
    const { page } = await read()
    const [, create = ''] = /<article id="createContact"([\s\S]*?)<\/article>/.exec(page) ?? []
    const text = unescaped(create).replace(/\s+/g, ' ')
    expect(text).toContain('name string required')
    expect(text).toContain('1 to 255 characters')
    expect(text).toContain('At most 32 characters')
    expect(text).toContain('email_taken')
    expect(text).toContain('Idempotency-Key')
  })

  it('allows its own style and script by their hashes, and nothing else', async () => {
    const { page, headers } = await read()
    const policy = headers.get('content-security-policy') ?? ''
    for (const [element, directive] of [
      ['style', 'style-src'],
      ['script', 'script-src'],
    ] as const) {
      const [, content = ''] = new RegExp(`<${element}>([\\s\\S]*)</${element}>`).exec(page) ?? []
      expect(policy).toContain(`${directive} 'sha256-${createHash('sha256').update(content).digest('base64')}'`)
    }
    expect(policy).toMatch(/^default-src 'none';/)
    expect(policy).not.toMatch(/unsafe|\*|https?:/)
    expect(page).not.toMatch(/ style="| on\w+="/)
  })

  it('escapes what the document says', async () => {
    const hostile = '<script>alert(1)</script>'
    const changed = JSON.parse(JSON.stringify(document)) as OpenApi
    changed.info.description = hostile
    const [path] = Object.values(changed.paths)
    for (const operation of Object.values(path ?? {}))
      Object.assign(operation, { summary: hostile, description: hostile })
    const page = docsPage(changed)
    expect(page).not.toContain(hostile)
    expect(page.match(/<script/g)).toHaveLength(1)
  })

  it('is compressed for who takes that, and need not be sent twice', async () => {
    const plain = await read()
    const compressed = await read({ 'accept-encoding': 'br' })
    expect(compressed.headers.get('content-encoding')).toBe('br')
    expect(brotliDecompressSync(compressed.bytes).toString()).toBe(plain.page)
    const again = await read({ 'if-none-match': plain.headers.get('etag') ?? '' })
    expect([again.status, again.headers.get('content-type')]).toEqual([304, null])
  })
})
