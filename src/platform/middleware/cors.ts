import { problem } from '../domain/problem.ts'
import type { Bot } from '../store/store.ts'
import type { Answer, Exchange, Step } from './exchange.ts'

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
  /** Finds the bot with `find`, then sets the headers of every answer to an allowed page, errors included. */
  headers: (find: Step) => Step
  /** Refuses pages that may not embed the bot. */
  refuse: Step
  /** Answers OPTIONS. */
  preflight: () => Answer
}

/** Which pages may use the widget's endpoints (decisions 5); `devBotId` is the bot that `--dev` opens to this machine. */
export function createCors(devBotId?: string): Cors {
  const allows = (origin: string, bot: Bot | null): boolean =>
    !bot || isAllowedOrigin(origin, bot.id === devBotId ? [...bot.origins, ...localOrigins] : bot.origins)
  const judge = ({ request, bot }: Exchange): { origin: string | null; allowed: boolean } => {
    const origin = request.headers.get('origin')
    return { origin, allowed: origin === null || allows(origin, bot) }
  }

  const setHeaders = (exchange: Exchange): void => {
    const { headers, bot } = exchange
    const { origin, allowed } = judge(exchange)
    headers['vary'] = 'Origin'
    if (origin === null || !allowed) return
    // Of an unknown bot nothing is known, so nothing is kept from anyone.
    headers['access-control-allow-origin'] = bot ? origin : '*'
    headers['access-control-expose-headers'] = 'retry-after, ratelimit, ratelimit-policy, x-request-id'
  }

  return {
    headers: find => async exchange => {
      try {
        await find(exchange)
      } finally {
        setHeaders(exchange)
      }
    },
    refuse(exchange) {
      if (!judge(exchange).allowed) throw problem('origin_not_allowed')
    },
    preflight: () => ({
      status: 204,
      headers: {
        'access-control-allow-methods': 'GET, POST, DELETE',
        'access-control-allow-headers': 'authorization, content-type, last-event-id',
        'access-control-max-age': '7200',
      },
    }),
  }
}
