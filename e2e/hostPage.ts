import { randomBytes } from 'node:crypto'
import { startLocalServer } from '../src/testServer.ts'
import type { Platform } from './processes.ts'

/** What the page needs to know about the platform. */
type PlatformAddress = Pick<Platform, 'baseUrl' | 'botId'>

/** A minimal site that embeds the widget under the strictest Content Security Policy that we support. */
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

const page = (
  nonce: string,
  { baseUrl, botId }: PlatformAddress,
  apiUrl: string,
  query: URLSearchParams,
) => `<!doctype html>
<html ${query.get('html') ?? 'lang="en"'}><head><meta charset="utf-8"><title>Strict host</title></head>
<body><h1>Strict host</h1>
<script nonce="${nonce}">
  window.violations = []
  document.addEventListener('securitypolicyviolation', event => {
    // Firefox requests the page's icon itself.
    if (!event.blockedURI.endsWith('/favicon.ico')) window.violations.push(event.violatedDirective + ' ' + event.blockedURI)
  })
</script>
<script nonce="${nonce}" src="${baseUrl}/natter.js" data-bot-id="${botId}" data-base-url="${apiUrl}" ${query.get('script') ?? ''}></script>
</body></html>`

/**
 * `apiUrl` is the base URL of the widget's API calls, which differs from `platform.baseUrl` behind a fault proxy. The
 * page's query parameters `html` and `script` are added as attributes to those elements.
 */
export async function startHostPage(platform: PlatformAddress, apiUrl: string = platform.baseUrl): Promise<HostPage> {
  const server = await startLocalServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://host')
    if (pathname !== '/') return response.writeHead(404).end()
    const nonce = randomBytes(16).toString('base64')
    response.writeHead(200, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy(nonce, apiUrl),
    })
    response.end(page(nonce, platform, apiUrl, searchParams))
  })
  return { url: `${server.url}/`, stop: server.close }
}
