import type { Context } from 'hono'
import { openapi } from '../../contract/index.ts'
import { problem } from '../domain/problem.ts'
import { acceptsBrotli, createCompressor } from './compressed.ts'
import type { ReadBuiltFile } from './readBuiltFile.ts'
import { withEtag } from './withEtag.ts'

const caching = { 'cache-control': 'public, max-age=300', vary: 'Accept-Encoding' }

/** The files that pages load, by their ending. Everything else below `/docs` is a page. */
const files = new Map<string, Record<string, string>>([
  ['css', { 'content-type': 'text/css; charset=utf-8' }],
  ['js', { 'content-type': 'text/javascript; charset=utf-8' }],
  [
    'svg',
    {
      'content-type': 'image/svg+xml',
      // Plots have a style for dark mode inside.
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    },
  ],
  ['webp', { 'content-type': 'image/webp' }],
])

export interface DocumentRoutes {
  /** The OpenAPI document. */
  openapi(c: Context): Promise<Response>
  /** Where the documentation begins. */
  docs(c: Context): Promise<Response>
  /** A page of the documentation, or what the pages load: style, scripts and pictures. */
  docsPage(c: Context): Promise<Response>
}

/** The OpenAPI document, and the documentation as it was built. */
export function documentRoutes(version: string, readBuiltFile: ReadBuiltFile): DocumentRoutes {
  const compress = createCompressor()
  const serve = async (
    c: Context,
    path: string,
    content: Uint8Array<ArrayBuffer>,
    headers: Record<string, string>,
  ): Promise<Response> =>
    acceptsBrotli(c)
      ? withEtag(c, await compress(path, content), { ...caching, ...headers, 'content-encoding': 'br' })
      : withEtag(c, content, { ...caching, ...headers })

  async function serveDocs(c: Context, file: string, headers: Record<string, string>): Promise<Response> {
    const content = await readBuiltFile(`docs/${file}`)
    if (!content) throw nothingHere()
    return serve(c, `docs/${file}`, content, headers)
  }

  async function servePage(c: Context, name: string): Promise<Response> {
    const policy = await readBuiltFile('docs/policy.txt')
    if (!policy) throw problem('not_found', { detail: 'The documentation is not built: npm run build.' })
    return serveDocs(c, `${name}.html`, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': new TextDecoder().decode(policy),
    })
  }

  let document: Uint8Array<ArrayBuffer> | undefined
  return {
    openapi(c) {
      document ??= new TextEncoder().encode(JSON.stringify(openapi(version)))
      return serve(c, 'openapi.json', document, { 'content-type': 'application/json' })
    },
    docs: c => servePage(c, 'index'),
    async docsPage(c) {
      // Not the path of the request, which may encode the same name in many ways. It is one segment, so it cannot leave `docs`.
      const [, name, ending] = /^([\w-]+)(?:\.(\w+))?$/.exec(c.req.param('page') ?? '') ?? []
      const headers = files.get(ending ?? '')
      if (!name || name === 'index' || (ending && !headers)) throw nothingHere()
      return headers ? serveDocs(c, `${name}.${ending}`, headers) : servePage(c, name)
    },
  }
}

const nothingHere = () => problem('not_found', { detail: 'There is no such page.' })
