import type { Context } from 'hono'
import { problem } from '../domain/problem.ts'
import type { ReadBuiltFile } from '../packageFiles.ts'
import { createSendFile } from './cachedResponse.ts'
import type { BuiltFiles, OtherRoutes } from './handler.ts'

/** The path template of the script's versioned chunks. */
const chunkTemplate = '/natter@{version}/{file}'
const chunkPath = /^\/(natter@[^/]+)\/([^/]+)$/

const versionFolder = /^natter@[\w.+-]+$/
const chunkFile = /^\w[\w.-]*\.js$/

const anyOrigin = { 'access-control-allow-origin': '*' }

const headers = {
  'content-type': 'text/javascript; charset=utf-8',
  // `import()` across origins needs CORS; cross-origin isolated pages need the resource policy.
  ...anyOrigin,
  'cross-origin-resource-policy': 'cross-origin',
}

/** Serves the script (cached for 5 minutes) and its versioned chunks (cached forever). */
export function scriptRoutes(readBuiltFile: ReadBuiltFile): { script: OtherRoutes[string]; chunks: BuiltFiles } {
  const send = createSendFile()
  const serve = async (c: Context, path: string | null, cacheControl: string): Promise<Response> => {
    const content = path === null ? null : await readBuiltFile(path)
    if (!path || !content) throw problem('not_found', { detail: 'There is no such file.', headers: anyOrigin })
    return send(c, path, content, { ...headers, 'cache-control': cacheControl })
  }
  return {
    script: (c: Context) => serve(c, 'natter.js', 'public, max-age=300'),
    chunks: {
      template: chunkTemplate,
      has: (path: string) => chunkPath.test(path),
      // Folder and file are single path segments, so the path cannot leave `dist`. Older versions stay available, because
      // pages may have an older script.
      send(c) {
        const [, folder = '', file = ''] = chunkPath.exec(c.req.path) ?? []
        const isFile = versionFolder.test(folder) && chunkFile.test(file)
        return serve(c, isFile ? `${folder}/${file}` : null, 'public, max-age=31536000, immutable')
      },
    },
  }
}
