import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { contextStorage, tryGetContext } from 'hono/context-storage'
import { createClient } from 'natter/sdk'
import { createControlPanel } from './controlPanel.ts'
import { createServer } from './server.ts'
import type { ShopOptions } from './shopOptions.ts'
import { createSite } from './site.ts'

/** The context of a request to the shop: the platform calls that were made for it. */
interface ShopEnv {
  Variables: { calls: string[] }
}

/** The whole demo: the shop's server, the control panel beside it, which links to the desk, and the pages. */
export async function createShop(options: ShopOptions, desk: string): Promise<Hono<ShopEnv>> {
  const client = createClient({
    ...options,
    async fetch(request) {
      const response = await fetch(request)
      tryGetContext<ShopEnv>()
        ?.get('calls')
        .push(`${request.method} ${pathOf(request)} ${response.status}`)
      return response
    },
  })
  const app = new Hono<ShopEnv>()
  app.use(contextStorage(), async (c, next) => {
    c.set('calls', [])
    await next()
    c.header('x-content-type-options', 'nosniff')
  })
  // All bodies of requests to the shop are short.
  app.use('/api/*', bodyLimit({ maxSize: 32_768 }), async (c, next) => {
    await next()
    c.header('cache-control', 'no-store')
    // Tells the page's log which calls this server has made to the platform.
    c.header('x-platform-calls', JSON.stringify(c.get('calls')))
  })
  const server = await createServer(client)
  app.route('/', createControlPanel(client, server))
  return app.route('/', server.app).route('/', createSite(options, desk))
}

/** Removes the token from the path of a revocation. */
const pathOf = (request: Request): string => new URL(request.url).pathname.replace(/c(?::|%3A)[0-9a-f]+/i, 'c:***')
