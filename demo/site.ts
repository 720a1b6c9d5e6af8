import { readFile } from 'node:fs/promises'
import { serveFile, serveText } from './files.ts'
import { defaults, readChoices } from './page/switches.ts'
import { servePage } from './pages.ts'
import type { ShopOptions } from './shop.ts'
import { createSpa } from './spa.ts'

/** Everything of the shop that a browser may fetch: its two pages, their files, and `null` for whatever there isn't. */
export function createSite(
  platform: Omit<ShopOptions, 'organizationToken'>,
): (request: Request) => Promise<Response | null> {
  const baseUrl = platform.baseUrl.replace(/\/+$/, '')
  const values = { baseUrl, botId: platform.botId }
  const spa = createSpa()

  return async ({ method, url }) => {
    if (method !== 'GET' && method !== 'HEAD') return null
    const { pathname, search } = new URL(url)
    const [, area, file] = /^\/(spa|faulty)(?:$|\/(.*))/.exec(pathname) ?? []
    if (area === 'faulty') return serveFaulty(baseUrl, `/${file}${search}`)
    if (area === 'spa') {
      // Which view an address means is the app's to know.
      if (!file?.startsWith('assets/')) return servePage((await spa('index.html')) ?? '', values)
      const text = await spa(file)
      return text === undefined ? null : serveText(text, file.endsWith('.css') ? 'css' : 'js')
    }
    if (pathname !== '/') return serveFile(pathname)
    const choices = { ...defaults, ...readChoices(search) }
    const script = `${choices.state === 'panel-failed' ? '/faulty' : baseUrl}/natter.js`
    const refreshToken = choices.refresh === 'on' ? 'newContactToken' : ''
    const html = await readFile(new URL('index.html', import.meta.url), 'utf8')
    return servePage(html, { ...choices, ...values, script, refreshToken })
  }
}

/** The platform's scripts as a bad connection brings them: the panel only at the second try, which adds a query. */
async function serveFaulty(baseUrl: string, path: string): Promise<Response | null> {
  if (!/^[\w@./-]+\.js(?:\?\d)?$/.test(path)) return null
  if (/\/panel-[^/?]*$/.test(path)) return new Response(null, { status: 503 })
  const { status, body } = await fetch(baseUrl + path)
  const headers = { 'content-type': 'text/javascript; charset=utf-8', 'cache-control': 'no-store' }
  return new Response(body, { status, headers })
}
