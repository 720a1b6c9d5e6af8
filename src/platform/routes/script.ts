import { httpProblem } from '../middleware/httpProblem.ts'
import type { HttpResponse } from '../middleware/requestContext.ts'
import { acceptsBrotli, createCompressor } from './compressed.ts'
import { withEtag } from './withEtag.ts'

/** Reads a built file by its path below `dist`, or tells that there is none. */
export type ReadBuiltFile = (path: string) => Promise<Uint8Array<ArrayBuffer> | null>

/** Where the script's versioned parts are. */
export const chunkTemplate = '/natter@{version}/{file}'
export const chunkPattern: RegExp = /^\/(?<folder>natter@[^/]+)\/(?<file>[^/]+)$/

const versionFolder = /^natter@[\w.+-]+$/
const chunkFile = /^\w[\w.-]*\.js$/

const headers = {
  'content-type': 'text/javascript; charset=utf-8',
  // `import()` across origins needs CORS; a page that isolates itself needs the other.
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
  vary: 'Accept-Encoding',
}

/** The script's home (decisions 5): the script itself for 5 minutes, its versioned parts for good. */
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
    // Names of one segment each, with no way up; older versions stay for pages that hold an older script.
    chunk: (request, { folder = '', file = '' }) =>
      serve(
        request,
        versionFolder.test(folder) && chunkFile.test(file) ? `${folder}/${file}` : null,
        'public, max-age=31536000, immutable',
      ),
  }
}

const anyOrigin = { 'access-control-allow-origin': '*' }
