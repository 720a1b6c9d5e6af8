import { problem } from '../domain/problem.ts'
import type { Bot } from '../store/store.ts'
import type { HttpResponse, Middleware, RequestContext } from './requestContext.ts'

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

/**
 * Tells whether a page of `origin` may send credentials as well: only where the bot lists that very origin. A pattern
 * lets in origins that nobody has looked at, and every sandboxed frame has the origin `null`.
 */
const allowsCredentials = (origin: string, { origins }: Bot): boolean =>
  origin !== 'null' && !origin.includes('*') && origins.includes(origin)

/** The request headers that every page may send. */
const knownHeaders = ['authorization', 'content-type', 'last-event-id']
/** Ours: a longer list of requested headers adds nothing. */
const maxRequestedLength = 1024
/** A header name (RFC 9110), but not `*`: in the answer it would stand for every header. */
const headerName = /^(?!\*$)[\w!#$%&'*+.^`|~-]+$/

/**
 * The request headers that a preflight is granted: the known ones and those it asks for. Pages wrap `fetch` and add
 * headers of their own to every request; refusing one would fail the whole request. An invalid list adds nothing.
 */
function grantedHeaders(requested: string | null): string {
  if (requested === null || requested.length > maxRequestedLength) return knownHeaders.join(', ')
  const names = requested.split(',').map(name => name.trim().toLowerCase())
  const isValid = names.every(name => headerName.test(name))
  return [...new Set([...knownHeaders, ...(isValid ? names : [])])].join(', ')
}

/** Each answer is for one origin and one bearer: a cache must not give it to others. */
const vary = 'Origin, Authorization'

export interface Cors {
  /** Finds the bot with `find`, then sets the headers of every answer to an allowed page, errors included. */
  headers: (find: Middleware) => Middleware
  /** Refuses pages that may not embed the bot. */
  refuse: Middleware
  /** Answers OPTIONS. */
  preflight: (context: RequestContext) => HttpResponse
}

/** Which pages may use the widget's endpoints (decisions 5); `devBotId` is the bot that `--dev` opens to this machine. */
export function createCors(devBotId?: string): Cors {
  const allows = (origin: string, bot: Bot | null): boolean =>
    !bot || isAllowedOrigin(origin, bot.id === devBotId ? [...bot.origins, ...localOrigins] : bot.origins)
  const checkOrigin = ({ request, bot }: RequestContext): { origin: string | null; allowed: boolean } => {
    const origin = request.headers.get('origin')
    return { origin, allowed: origin === null || allows(origin, bot) }
  }

  const setHeaders = (context: RequestContext): void => {
    const { headers, bot } = context
    const { origin, allowed } = checkOrigin(context)
    headers['vary'] = vary
    if (origin === null || !allowed) return
    // Of an unknown bot nothing is known, so nothing is kept from anyone.
    headers['access-control-allow-origin'] = bot ? origin : '*'
    headers['access-control-expose-headers'] = 'retry-after, ratelimit, ratelimit-policy, x-request-id'
    if (bot && allowsCredentials(origin, bot)) headers['access-control-allow-credentials'] = 'true'
  }

  return {
    headers: find => async context => {
      try {
        await find(context)
      } finally {
        setHeaders(context)
      }
    },
    refuse(context) {
      if (!checkOrigin(context).allowed) throw problem('origin_not_allowed')
    },
    preflight: ({ request }) => ({
      status: 204,
      headers: {
        'access-control-allow-methods': 'GET, POST, DELETE',
        'access-control-allow-headers': grantedHeaders(request.headers.get('access-control-request-headers')),
        'access-control-max-age': '7200',
        vary: `${vary}, Access-Control-Request-Headers`,
      },
    }),
  }
}
