import { problem } from '../domain/problem.ts'
import type { AppContext } from '../http/appEnv.ts'
import type { ReadBuiltFile } from '../packageFiles.ts'
import { createSendFile } from './cachedResponse.ts'
import type { BuiltFiles } from './handler.ts'

/** Paths of the app. It has one page, which shows what the path names. */
const appPath = /^\/desk(?:$|\/(?!api(?:$|\/)))/
const filePath = /^\/desk\/assets\/(\w[\w.-]*\.(\w+))$/

const contentTypes = new Map([
  ['js', 'text/javascript; charset=utf-8'],
  ['css', 'text/css; charset=utf-8'],
  ['svg', 'image/svg+xml'],
  ['woff2', 'font/woff2'],
])

/** Only what the platform itself serves runs. Pictures may be anywhere: messages and avatars name them. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' https: blob: data:",
  "connect-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const headers = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

/** The app of the desk as it was built: its page, and the files that it loads. */
export function deskAppFiles(readBuiltFile: ReadBuiltFile): BuiltFiles {
  const send = createSendFile()

  async function sendAsset(c: AppContext, name: string, type: string | undefined): Promise<Response> {
    const content = type === undefined ? null : await readBuiltFile(`desk/assets/${name}`)
    if (!content || type === undefined) throw problem('not_found', { detail: 'There is no such file.' })
    // Their names change with their content.
    return send(c, name, content, {
      ...headers,
      'content-type': type,
      'cache-control': 'public, max-age=31536000, immutable',
    })
  }

  return {
    template: '/desk/*',
    has: path => appPath.test(path),
    async send(c) {
      const [, name, ending = ''] = filePath.exec(c.req.path) ?? []
      if (name !== undefined) return sendAsset(c, name, contentTypes.get(ending))
      const page = await readBuiltFile('desk/index.html')
      if (!page) throw problem('not_found', { detail: 'The desk is not built: npm run build.' })
      return send(c, 'index.html', page, {
        ...headers,
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': policy,
        'cache-control': 'no-cache',
      })
    },
  }
}
