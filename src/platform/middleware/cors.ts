import { problem } from '../domain/problem.ts'
import type { Bot } from '../store/store.ts'
import type { HttpResponse, Middleware, RequestContext } from './requestContext.ts'

/** Additional origins of a `--dev` bot: localhost on any port. */
const localOrigins = ['http://localhost:*', 'https://localhost:*', 'http://127.0.0.1:*', 'https://127.0.0.1:*']

/**
 * Whether a page of `origin` may embed a bot with these `origins`. An entry matches if it is equal; `*` matches every
 * site; `:*` at the end stands for any port; `https://*.` stands for one label or more before the rest, never for none.
 */
export function isAllowedOrigin(origin: string, origins: string[]): boolean {
  return origins.some(allowed => {
    // Every sandboxed frame and every file has the origin `null`: that is no site.
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
  // What is between must be labels: not the end of another address, such as `user@`.
  return /^[a-z\d-]+(\.[a-z\d-]+)*$/.test(origin.slice(start.length, -end.length))
}

/**
 * Whether a page of `origin` may also send credentials: only if the bot lists exactly that origin. A pattern
 * admits origins that nobody has reviewed, and every sandboxed frame has the origin `null`.
 */
const allowsCredentials = (origin: string, { origins }: Bot): boolean =>
  origin !== 'null' && !origin.includes('*') && origins.includes(origin)

/** Request headers that every page may send. */
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

/** Each response is for one origin and one token: a cache must not serve it to others. */
const vary = 'Origin, Authorization'

export interface Cors {
  /** Finds the bot with `find`, then sets the CORS headers of the response, also of errors. */
  headers: (find: Middleware) => Middleware
  /** Rejects requests of pages that may not embed the bot. */
  refuse: Middleware
  /** Answers OPTIONS. */
  preflight: (context: RequestContext) => HttpResponse
}

/**
 * Which pages may use the widget's endpoints (decisions 5); `devBotId` is the bot that `--dev` opens to this machine.
 */
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
    // An unknown bot has no origins to protect: every page may read the error.
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
