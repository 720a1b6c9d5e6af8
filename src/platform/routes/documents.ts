import { createHash } from 'node:crypto'
import type { Context } from 'hono'
import { openapi } from '../../contract/index.ts'
import { acceptsBrotli, createCompressor } from './compressed.ts'
import { docsPage } from './docs/page.ts'
import { script } from './docs/script.ts'
import { style } from './docs/style.ts'
import { withEtag } from './withEtag.ts'

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** The policy of the only page: allows its own style and script by their hashes, and nothing else. */
const policy = [
  "default-src 'none'",
  `style-src ${hashOf(style)}`,
  `script-src ${hashOf(script)}`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const caching = { 'cache-control': 'public, max-age=300', vary: 'Accept-Encoding' }
const json = { ...caching, 'content-type': 'application/json' }
const page = { ...caching, 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy }

export interface DocumentRoutes {
  /** The OpenAPI document. */
  openapi(c: Context): Promise<Response>
  /** The same as a page for people. */
  docs(c: Context): Promise<Response>
}

/** The OpenAPI document and its page. Each is created when first requested, to keep the start fast. */
export function documentRoutes(version: string): DocumentRoutes {
  const compress = createCompressor()
  const made = new Map<string, Uint8Array<ArrayBuffer>>()
  const serve = async (c: Context, path: string, headers: Record<string, string>, make: () => string) => {
    const content = made.get(path) ?? new TextEncoder().encode(make())
    made.set(path, content)
    if (!acceptsBrotli(c)) return withEtag(c, content, headers)
    return withEtag(c, await compress(path, content), { ...headers, 'content-encoding': 'br' })
  }
  return {
    openapi: c => serve(c, '/v1/openapi.json', json, () => JSON.stringify(openapi(version))),
    docs: c => serve(c, '/docs', page, () => docsPage(openapi(version))),
  }
}
