import { ProblemError, problem } from '../domain/problem.ts'
import type { Exchange, Step } from './exchange.ts'
import { createRateWindow } from './rateWindow.ts'

/** How often whom may ask (decisions 1). */
export interface RateLimits {
  /** Counts a request of an organization's token, by its hash; throws the 429 when there were too many. */
  organization(exchange: Exchange, hash: string): void
  /** Counts a request of a contact's or visitor's token; the opening of a stream is one. */
  session(exchange: Exchange, hash: string): void
  /** Counts a new anonymous session of the client's address. */
  newSession: Step
  /** Counts what `guard` refuses as not authenticated, by address: who fails too often hears no more than 429. */
  slowFailures(guard: Step): Step
}

export interface RateLimitOptions {
  /** Requests a minute of an organization token; 0 turns all limits off. */
  perToken: number
  /** Milliseconds from some fixed moment. */
  elapsed: () => number
  /** Whom a request comes from; what comes from nowhere is not counted by address. */
  addressOf: (exchange: Exchange) => string | undefined
}

const windowMs = 60_000
/** Ours: a person with the widget open in several tabs asks less than this in a minute. */
const perSession = 120
/** Ours: people behind one address share these. */
const newSessionsPerAddress = 30
const failuresPerAddress = 30

export function createRateLimits({ perToken, elapsed, addressOf }: RateLimitOptions): RateLimits {
  if (perToken === 0) return unlimited
  const limit = (name: string, quota: number, detail: string) => {
    const window = createRateWindow({ quota, windowMs, elapsed })
    const policy = `"${name}";q=${quota};w=${windowMs / 1000}`
    return ({ headers }: Exchange, key: string): void => {
      const { remaining, resetMs } = window.count(key)
      const seconds = Math.ceil(resetMs / 1000)
      headers['ratelimit-policy'] = policy
      headers['ratelimit'] = `"${name}";r=${Math.max(0, remaining)};t=${seconds}`
      if (remaining < 0) throw problem('rate_limited', { detail, headers: { 'retry-after': String(seconds) } })
    }
  }
  const countNewSession = limit('sessions', newSessionsPerAddress, 'Too many new sessions from this address.')
  const countFailure = limit('failures', failuresPerAddress, 'Too many failed authentications from this address.')

  return {
    organization: limit('token', perToken, 'Too many requests with this token.'),
    session: limit('session', perSession, 'Too many requests with this token.'),
    newSession(exchange) {
      const address = addressOf(exchange)
      if (address !== undefined) countNewSession(exchange, address)
    },
    slowFailures: guard => async exchange => {
      try {
        await guard(exchange)
      } catch (error) {
        // Whoever bears a token that has ended has not guessed it, and is to be told why.
        const failed = error instanceof ProblemError && error.code === 'unauthorized'
        const address = failed ? addressOf(exchange) : undefined
        if (address !== undefined) countFailure(exchange, address)
        throw error
      }
    },
  }
}

const unlimited: RateLimits = {
  organization() {},
  session() {},
  newSession() {},
  slowFailures: guard => guard,
}
