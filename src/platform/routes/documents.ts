import type { Context } from 'hono'
import { openapi } from '../../contract/index.ts'
import { problem } from '../domain/problem.ts'
import type { ReadBuiltFile } from '../packageFiles.ts'
import { createSendFile } from './cachedResponse.ts'
import type { OtherRoutes } from './handler.ts'

const caching = { 'cache-control': 'public, max-age=300' }

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

/** The OpenAPI document, and the documentation as it was built: its pages and the files that they load. */
export function documentRoutes(version: string, readBuiltFile: ReadBuiltFile): OtherRoutes {
  const send = createSendFile()

  async function sendDocs(c: Context, file: string, headers: Record<string, string>): Promise<Response> {
    const content = await readBuiltFile(`docs/${file}`)
    if (!content) throw nothingHere()
    return send(c, `docs/${file}`, content, { ...caching, ...headers })
  }

  async function sendPage(c: Context, name: string): Promise<Response> {
    const policy = await readBuiltFile('docs/policy.txt')
    if (!policy) throw problem('not_found', { detail: 'The documentation is not built: npm run build.' })
    return sendDocs(c, `${name}.html`, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': new TextDecoder().decode(policy),
    })
  }

  let document: Uint8Array<ArrayBuffer> | undefined
  return {
    '/v1/openapi.json': c => {
      document ??= new TextEncoder().encode(JSON.stringify(openapi(version)))
      return send(c, 'openapi.json', document, { ...caching, 'content-type': 'application/json' })
    },
    '/docs': c => sendPage(c, 'index'),
    '/docs/{page}': async c => {
      // Not the path of the request, which may encode the same name in many ways. It is one segment, so it cannot leave `docs`.
      const [, name, ending] = /^([\w-]+)(?:\.(\w+))?$/.exec(c.req.param('page') ?? '') ?? []
      const headers = files.get(ending ?? '')
      if (!name || name === 'index' || (ending && !headers)) throw nothingHere()
      return headers ? sendDocs(c, `${name}.${ending}`, headers) : sendPage(c, name)
    },
  }
}

const nothingHere = () => problem('not_found', { detail: 'There is no such page.' })
