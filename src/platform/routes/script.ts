import { httpProblem } from '../middleware/httpProblem.ts'
import type { HttpResponse } from '../middleware/requestContext.ts'
import { acceptsBrotli, createCompressor } from './compressed.ts'
import { withEtag } from './withEtag.ts'

/** Reads a built file by its path below `dist`; `null` if there is none. */
export type ReadBuiltFile = (path: string) => Promise<Uint8Array<ArrayBuffer> | null>

/** The path of the script's versioned chunks. */
export const chunkTemplate = '/natter@{version}/{file}'
export const chunkPattern: RegExp = /^\/(?<folder>natter@[^/]+)\/(?<file>[^/]+)$/

const versionFolder = /^natter@[\w.+-]+$/
const chunkFile = /^\w[\w.-]*\.js$/

const headers = {
  'content-type': 'text/javascript; charset=utf-8',
  // `import()` across origins needs CORS; cross-origin isolated pages need the resource policy.
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
  vary: 'Accept-Encoding',
}

/** Serves the script (cached for 5 minutes) and its versioned chunks (cached forever) (decisions 5). */
export function scriptRoutes(readBuiltFile: ReadBuiltFile): {
  script(request: Request): Promise<HttpResponse>
  chunk(request: Request, path: Record<string, string>): Promise<HttpResponse>
} {
  const compress = createCompressor()
  const serve = async (request: Request, path: string | null, cacheControl: string): Promise<HttpResponse> => {
    const content = path === null ? null : await readBuiltFile(path)
    if (!path || !content) throw httpProblem('not_found', anyOrigin, { detail: 'There is no such file.' })
    const caching = { ...headers, 'cache-control': cacheControl }
    if (!acceptsBrotli(request)) return withEtag(request, content, caching)
    return withEtag(request, await compress(path, content), { ...caching, 'content-encoding': 'br' })
  }
  return {
    script: request => serve(request, 'natter.js', 'public, max-age=300'),
    // Both are single path segments, so they cannot leave the folder. Older versions stay available for pages with an
    // older script.
    chunk: (request, { folder = '', file = '' }) =>
      serve(
        request,
        versionFolder.test(folder) && chunkFile.test(file) ? `${folder}/${file}` : null,
        'public, max-age=31536000, immutable',
      ),
  }
}

const anyOrigin = { 'access-control-allow-origin': '*' }
