import { readFile } from 'node:fs/promises'
import { Hono } from 'hono'
import { serveFile, serveText } from './files.ts'
import { defaults, readChoices } from './page/switches.ts'
import { servePage } from './pages.ts'
import type { ShopOptions } from './shopOptions.ts'
import { createSpa } from './spa.ts'

/** Serves the shop's two pages and their files. The control panel links to the desk. */
export function createSite(platform: Omit<ShopOptions, 'organizationToken'>, desk: string): Hono {
  const baseUrl = platform.baseUrl.replace(/\/+$/, '')
  const values = { baseUrl, botId: platform.botId }
  const spa = createSpa()
  const site = new Hono()
  /** How often the panel is still refused: at its address and at the second one, where the script tries again at once. */
  let refusals = 0

  site.get('/', async c => {
    const { search } = new URL(c.req.url)
    const choices = { ...defaults, ...readChoices(search) }
    const isFaulty = choices.state === 'panel-failed'
    if (isFaulty) refusals = 2
    const script = `${isFaulty ? '/faulty' : baseUrl}/natter.js`
    // Some states exist only on sites without `tokenUrl`, which call `login()` themselves.
    const tokenUrl = ['identifying', 'expired'].includes(choices.state ?? '') ? '' : '/api/contact-token'
    const html = await readFile(new URL('index.html', import.meta.url), 'utf8')
    return servePage(html, { ...choices, ...values, desk, script, tokenUrl })
  })
  site.get('/spa/assets/*', async c => {
    const file = c.req.path.slice('/spa/'.length)
    const text = await spa(file)
    return text === undefined ? c.notFound() : serveText(text, file.endsWith('.css') ? 'css' : 'js')
  })
  // The app itself selects the view for a path.
  site.get('/spa/*', async () => servePage((await spa('index.html')) ?? '', values))
  /** Serves the platform's scripts as on a bad connection: the panel loads only when the visitor tries again. */
  site.get('/faulty/*', async c => {
    const { pathname, search } = new URL(c.req.url)
    const path = pathname.slice('/faulty'.length) + search
    if (!/^[\w@./-]+\.js(?:\?\d+)?$/.test(path)) return c.notFound()
    if (path.includes('/panel-') && refusals-- > 0) return c.body(null, 503)
    const { status, body } = await fetch(baseUrl + path)
    const headers = { 'content-type': 'text/javascript; charset=utf-8', 'cache-control': 'no-store' }
    return new Response(body, { status, headers })
  })
  site.get('*', async c => (await serveFile(c.req.path)) ?? c.notFound())
  return site
}
