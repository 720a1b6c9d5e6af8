import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Platform } from './processes.ts'

/** What a site knows of the platform. */
type Embedded = Pick<Platform, 'baseUrl' | 'botId'>

/** A bare site that embeds the widget under the strictest policy we promise to run under. */
export interface HostPage {
  url: string
  stop(): Promise<void>
}

const policy = (nonce: string, platform: string) =>
  [
    `default-src 'none'`,
    `script-src 'nonce-${nonce}' 'strict-dynamic'`,
    `connect-src ${platform}`,
    `style-src 'none'`,
    `require-trusted-types-for 'script'`,
    `trusted-types 'none'`,
  ].join('; ')

const page = (nonce: string, { baseUrl, botId }: Embedded, calls: string, words: URLSearchParams) => `<!doctype html>
<html ${words.get('html') ?? 'lang="en"'}><head><meta charset="utf-8"><title>Strict host</title></head>
<body><h1>Strict host</h1>
<script nonce="${nonce}">
  window.violations = []
  document.addEventListener('securitypolicyviolation', event => {
    // The page's own icon is the browser's wish (Firefox's).
    if (!event.blockedURI.endsWith('/favicon.ico')) window.violations.push(event.violatedDirective + ' ' + event.blockedURI)
  })
</script>
<script nonce="${nonce}" src="${baseUrl}/natter.js" data-bot-id="${botId}" data-base-url="${calls}" ${words.get('script') ?? ''}></script>
</body></html>`

/**
 * `calls` is where the widget finds the platform: elsewhere than its own files, where something stands in between. In the
 * address, `html` and `script` give the attributes of those elements.
 */
export async function startHostPage(platform: Embedded, calls: string = platform.baseUrl): Promise<HostPage> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://host')
    if (pathname !== '/') return response.writeHead(404).end()
    const nonce = randomBytes(16).toString('base64')
    response.writeHead(200, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy(nonce, calls),
    })
    response.end(page(nonce, platform, calls, searchParams))
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    stop: () =>
      new Promise(done => {
        server.close(() => done())
        server.closeAllConnections()
      }),
  }
}
