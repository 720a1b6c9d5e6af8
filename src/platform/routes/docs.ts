import { createHash } from 'node:crypto'
import type { OpenApi } from '../../contract/index.ts'
import type { Answer } from '../middleware/exchange.ts'
import { cacheable } from './cacheable.ts'
import { acceptsBrotli, createCompressor } from './compressed.ts'
import { docsPage } from './docs/page.ts'
import { script } from './docs/script.ts'
import { style } from './docs/style.ts'

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** The only page there is: its own style and script by their hashes, and nothing from anywhere. */
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

const headers = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'public, max-age=300',
  'content-security-policy': policy,
  vary: 'Accept-Encoding',
}

/** The OpenAPI document to be read; the page is made when it is asked for first. */
export function docsRoute(document: () => OpenApi): (request: Request) => Promise<Answer> {
  const compress = createCompressor()
  let page: Uint8Array<ArrayBuffer> | undefined
  return async request => {
    page ??= new TextEncoder().encode(docsPage(document()))
    if (!acceptsBrotli(request)) return cacheable(request, page, headers)
    return cacheable(request, await compress('/docs', page), { ...headers, 'content-encoding': 'br' })
  }
}
