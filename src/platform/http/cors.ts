import type { Next } from 'hono'
import { problem } from '../domain/problem.ts'
import type { Bot, OrganizationStore } from '../store/store.ts'
import type { AppContext, Middleware } from './appEnv.ts'
import { findBot } from './auth.ts'
import type { RateLimits } from './rateLimit.ts'

/** Additional origins of a `--dev` bot: localhost on any port. */
const localOrigins = ['http://localhost:*', 'https://localhost:*', 'http://127.0.0.1:*', 'https://127.0.0.1:*']

/**
 * Whether a page of `origin` may embed a bot with these `origins`. An entry matches an equal origin. `*` matches every
 * site, `:*` at the end any port, and `https://*.` one or more labels before the rest.
 */
export function isAllowedOrigin(origin: string, origins: string[]): boolean {
  return origins.some(allowed => {
    // Every sandboxed frame and every file has the origin `null`, which is not a site.
    if (allowed === '*') return origin !== 'null'
    if (!allowed.endsWith(':*')) return matchesHost(origin, allowed)
    return matchesHost(origin.replace(/:\d{1,5}$/, ''), allowed.slice(0, -2))
  })
}

function matchesHost(origin: string, allowed: string): boolean {
  const [scheme, domain] = allowed.split('://*.')
  if (domain === undefined) return origin === allowed
  const [start, end] = [`${scheme}://`, `.${domain}`]
  if (!origin.startsWith(start) || !origin.endsWith(end)) return false
  // The part in between must consist of labels. It must not be the end of another address, such as `user@`.
  return /^[a-z\d-]+(\.[a-z\d-]+)*$/.test(origin.slice(start.length, -end.length))
}

/**
 * Whether a page of `origin` may also send credentials. The bot must list exactly that origin, because a pattern admits
 * origins that nobody has reviewed, and every sandboxed frame has the origin `null`.
 */
const allowsCredentials = (origin: string, { origins }: Bot): boolean =>
  origin !== 'null' && !origin.includes('*') && origins.includes(origin)

/** Request headers that every page may send. */
const knownHeaders = ['authorization', 'content-type', 'last-event-id']
/** A longer list of requested headers is ignored. */
const maxRequestedLength = 1024
/** A header name (RFC 9110), except `*`, which in the response would mean every header. */
const headerName = /^(?!\*$)[\w!#$%&'*+.^`|~-]+$/

/**
 * The request headers that a preflight allows: the known ones and the requested ones. Some pages wrap `fetch` and add
 * headers to every request; refusing one would fail the whole request. An invalid list is ignored.
 */
function grantedHeaders(requested: string | undefined): string {
  if (requested === undefined || requested.length > maxRequestedLength) return knownHeaders.join(', ')
  const names = requested.split(',').map(name => name.trim().toLowerCase())
  const isValid = names.every(name => headerName.test(name))
  return [...new Set([...knownHeaders, ...(isValid ? names : [])])].join(', ')
}

/** A response is for one origin and one token: a cache must not serve it to others. */
const vary = 'Origin, Authorization'

export interface CorsOptions {
  store: OrganizationStore
  limits: Pick<RateLimits, 'lookUp' | 'countRefusal'>
  /** The id of the bot that pages on localhost may embed, because of `--dev`. */
  devBotId?: string | undefined
}

/** Which pages may use the widget's endpoints. */
export function createCors({ store, limits, devBotId }: CorsOptions) {
  const allows = (origin: string, bot: Bot): boolean =>
    isAllowedOrigin(origin, bot.id === devBotId ? [...bot.origins, ...localOrigins] : bot.origins)

  return {
    /** Lets every page read the response. It is an error, unless `admitPage` finds the bot and sets other headers. */
    async setHeaders(c: AppContext, next: Next) {
      c.header('vary', vary)
      if (c.req.header('origin') !== undefined) {
        c.header('access-control-allow-origin', '*')
        c.header('access-control-expose-headers', 'retry-after, ratelimit, ratelimit-policy, x-request-id')
      }
      await next()
    },
    /**
     * Finds the bot, sets the CORS headers for it, and rejects requests of pages that may not embed it. `checksToken`: whether
     * the endpoint then checks the token of the request.
     */
    admitPage:
      (checksToken = false): Middleware =>
      async (c, next) => {
        await limits.lookUp(c, checksToken, async () => c.set('bot', await findBot(c, store)))
        const bot = c.get('bot')
        const origin = c.req.header('origin')
        if (bot && origin !== undefined) {
          if (!allows(origin, bot)) {
            c.header('access-control-allow-origin', undefined)
            c.header('access-control-expose-headers', undefined)
            limits.countRefusal(c)
            throw problem('origin_not_allowed')
          }
          c.header('access-control-allow-origin', origin)
          if (allowsCredentials(origin, bot)) c.header('access-control-allow-credentials', 'true')
        }
        await next()
      },
    /** Answers OPTIONS. */
    preflight: (c: AppContext): Response =>
      c.body(null, 204, {
        'access-control-allow-methods': 'GET, POST, PUT, DELETE',
        'access-control-allow-headers': grantedHeaders(c.req.header('access-control-request-headers')),
        'access-control-max-age': '7200',
        vary: `${vary}, Access-Control-Request-Headers`,
      }),
  }
}
