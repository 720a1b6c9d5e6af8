import type { Server } from 'node:http'
import { createAdaptorServer } from '@hono/node-server'
import { createClient, tokenHandler } from '../../sdk/index.ts'
import { type LocalServer, listen } from '../../testServer.ts'
import { type Clock, systemClock } from '../clock.ts'
import { checkPauseMs } from '../routes/events.ts'
import type { Store } from '../store/store.ts'
import { createDevelopmentPlatform } from './developmentPlatform.ts'

type Handler = (request: Request) => Response | Promise<Response>
/** Changes the response of a server, as a mistake in its configuration does. */
export type Fault = (request: Request, respond: Handler) => Response | Promise<Response>

/** A site, a platform behind a proxy, and how to reach both by their names. All are real servers. */
export interface DoctorSetup {
  botId: string
  organizationToken: string
  /** `fetch` for a machine on which `shop.example` and `chat.example` are these servers. */
  fetch: typeof fetch
  /** The doctor's time. The pauses of the stream check end when the doctor has looked at it, as it does for each event. */
  now(): number
  findBot: Store['findBot']
  /** What is wrong. */
  faults: { site?: Fault; platform?: Fault }
  close(): Promise<void>
}

const version = '0.1.0'
const files: Record<string, string> = {
  'natter.js': `import("natter@${version}/core-1a2b.js"),import("natter@${version}/panel-3c4d.js")`,
  [`natter@${version}/core-1a2b.js`]: 'export {}',
  [`natter@${version}/panel-3c4d.js`]: 'export {}',
}

export async function startDoctorSetup(): Promise<DoctorSetup> {
  let passedMs = 0
  let endPause = () => {}
  const clock: Clock = {
    ...systemClock,
    setTimeout(run, ms) {
      if (ms !== checkPauseMs) return systemClock.setTimeout(run, ms)
      const finish = () => {
        endPause = () => {}
        run()
      }
      const cancel = systemClock.setTimeout(finish, ms)
      endPause = () => {
        cancel()
        passedMs += ms
        finish()
      }
      return cancel
    },
  }
  const { platform, store, botId, organizationToken, close } = await createDevelopmentPlatform({
    clock,
    readBuiltFile: async path => (path in files ? Buffer.from(files[path] ?? '') : null),
  })
  await store.updateBot(botId, { origins: ['https://shop.example'] })
  const faults: DoctorSetup['faults'] = {}
  const isPlain = (request: Request) => request.headers.get('x-scheme') === 'http'
  const redirect = ({ headers, url }: Request) =>
    new Response(null, {
      status: 308,
      headers: { location: `https://${headers.get('x-host')}${new URL(url).pathname}` },
    })
  const proxy: Handler = request => (isPlain(request) ? redirect(request) : platform.fetch(request))

  const client = createClient({ baseUrl: 'https://chat.example', botId, organizationToken, fetch: toServers })
  const chatToken = tokenHandler({ client, identify: () => null, allowedOrigins: ['https://shop.example'] })
  const site: Handler = request => {
    const { pathname } = new URL(request.url)
    if (isPlain(request)) return redirect(request)
    if (pathname === '/chat-token') return chatToken(request)
    if (pathname === '/bundle.js') return new Response('console.log(1)')
    return new Response(pageOf(botId), { headers: { 'content-type': 'text/html', 'content-security-policy': policy } })
  }

  const servers = {
    'shop.example': await serve(request => (faults.site ? faults.site(request, site) : site(request))),
    'chat.example': await serve(request => (faults.platform ? faults.platform(request, proxy) : proxy(request))),
  }
  async function toServers(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
    const url = new URL(input instanceof Request ? input.url : input)
    const server = servers[url.host as keyof typeof servers]
    if (!server) throw new TypeError('There is no such host')
    const request = new Request(input, init)
    request.headers.set('x-scheme', url.protocol.slice(0, -1))
    request.headers.set('x-host', url.host)
    return fetch(new Request(server.url + url.pathname + url.search, request))
  }

  return {
    botId,
    organizationToken,
    fetch: toServers,
    now() {
      const now = systemClock.now() + passedMs
      endPause()
      return now
    },
    findBot: store.findBot,
    faults,
    async close() {
      for (const server of Object.values(servers)) await server.close()
      await close()
    },
  }
}

const policy = "script-src 'self' https://chat.example; connect-src 'self' https://chat.example"

/** The page of the site. */
export const pageOf = (botId: string): string =>
  `<!doctype html><title>Shop</title><script src="/bundle.js"></script>
  <script src="https://chat.example/natter.js" data-bot-id="${botId}" data-token-url="/chat-token" async></script>`

const serve = (handle: Handler): Promise<LocalServer> =>
  listen(createAdaptorServer({ fetch: handle, overrideGlobalObjects: false }) as Server)
