import { problem } from '../domain/problem.ts'
import type { Bot } from '../store/store.ts'
import type { Middleware, PlatformContext } from './context.ts'

/** What a `--dev` bot allows besides: this machine, on any port. */
const localOrigins = ['http://localhost:*', 'https://localhost:*', 'http://127.0.0.1:*', 'https://127.0.0.1:*']

/** Tells whether a page of `origin` may embed a bot with these `origins`: equal, `*`, or equal up to a port of `:*`. */
export function isAllowedOrigin(origin: string, origins: string[]): boolean {
  return origins.some(allowed => {
    if (allowed === '*' || allowed === origin) return true
    if (!allowed.endsWith(':*')) return false
    const host = allowed.slice(0, -2)
    return origin === host || (origin.startsWith(`${host}:`) && /^\d{1,5}$/.test(origin.slice(host.length + 1)))
  })
}

export interface Cors {
  /** Sets the headers of every answer to an allowed page, errors included. */
  headers: Middleware
  /** Answers OPTIONS, before authentication: a preflight bears no token. */
  preflight: Middleware
  /** Refuses pages that may not embed the bot. */
  refuse: Middleware
}

/** Which pages may use the widget's endpoints (decisions 5); `devBotId` is the bot that `--dev` opens to this machine. */
export function createCors(devBotId?: string): Cors {
  const allows = (origin: string, bot: Bot | undefined): boolean =>
    !bot || isAllowedOrigin(origin, bot.id === devBotId ? [...bot.origins, ...localOrigins] : bot.origins)
  const judge = (c: PlatformContext): { origin: string | undefined; allowed: boolean } => {
    const origin = c.req.header('origin')
    return { origin, allowed: origin === undefined || allows(origin, c.get('bot')) }
  }

  return {
    async headers(c, next) {
      await next()
      const { origin, allowed } = judge(c)
      const { headers } = c.res
      headers.append('vary', 'Origin')
      if (origin === undefined || !allowed) return
      // Of an unknown bot nothing is known, so nothing is kept from anyone.
      headers.set('access-control-allow-origin', c.get('bot') ? origin : '*')
      headers.set('access-control-expose-headers', 'retry-after, ratelimit, ratelimit-policy, x-request-id')
    },
    async preflight(c, next) {
      if (c.req.method !== 'OPTIONS') return next()
      if (!judge(c).allowed) throw problem('origin_not_allowed')
      return preflightResponse()
    },
    async refuse(c, next) {
      if (!judge(c).allowed) throw problem('origin_not_allowed')
      await next()
    },
  }
}

const preflightResponse = (): Response =>
  new Response(null, {
    status: 204,
    headers: {
      'access-control-allow-methods': 'GET, POST, DELETE',
      'access-control-allow-headers': 'authorization, content-type, last-event-id',
      'access-control-max-age': '7200',
    },
  })
