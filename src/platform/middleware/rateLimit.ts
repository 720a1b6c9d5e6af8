import { hash } from 'node:crypto'
import { ProblemError } from '../domain/problem.ts'
import type { Store } from '../store/store.ts'
import { httpProblem } from './httpProblem.ts'
import { type Counted, createRateWindow } from './rateWindow.ts'
import type { Middleware, RequestContext } from './requestContext.ts'

/** How often whom may ask (decisions 1). A promise comes only where the store has to be asked. */
export interface RateLimits {
  /** Counts a request of an organization's token, by its hash; throws the 429 when there were too many. */
  organization(context: RequestContext, tokenHash: string): void | Promise<void>
  /** Counts a request of a contact's or visitor's token; the opening of a stream is one. */
  session(context: RequestContext, tokenHash: string): void | Promise<void>
  /** Counts a new anonymous session of the client's address. */
  newSession: Middleware
  /** Counts what `guard` refuses as not authenticated, by address: who fails too often hears no more than 429. */
  slowFailures(guard: Middleware): Middleware
}

export interface RateLimitOptions {
  /** Requests a minute of an organization token; 0 turns all limits off. */
  perToken: number
  /** Milliseconds from some fixed moment. */
  elapsed: () => number
  /** Whom a request comes from; what comes from nowhere is not counted by address. */
  addressOf: (context: RequestContext) => string | undefined
  /** Where nodes share a store they share the limits: while it does not answer, what asks it for permits fails. */
  store: Pick<Store, 'consumeQuota'>
}

const windowMs = 60_000
/** Ours: a person with the widget open in several tabs asks less than this in a minute. */
const perSession = 120
/** Ours: people behind one address share these. */
const newSessionsPerAddress = 30
const failuresPerAddress = 30

export function createRateLimits({
  perToken,
  elapsed,
  addressOf,
  store: { consumeQuota },
}: RateLimitOptions): RateLimits {
  if (perToken === 0) return unlimited
  const limit = (name: string, quota: number, detail: string) => {
    // Not the address itself: at rest nobody is to read who has asked.
    const consume =
      consumeQuota &&
      ((key: string, wanted: number) => consumeQuota(hash('sha256', `${name} ${key}`), { quota, windowMs, wanted }))
    const window = createRateWindow({ quota, windowMs, elapsed, consume })
    const policy = `"${name}";q=${quota};w=${windowMs / 1000}`
    return ({ headers }: RequestContext, key: string): void | Promise<void> => {
      const applyLimit = ({ remaining, resetMs }: Counted): void => {
        const seconds = Math.ceil(resetMs / 1000)
        headers['ratelimit-policy'] = policy
        headers['ratelimit'] = `"${name}";r=${Math.max(0, remaining)};t=${seconds}`
        if (remaining < 0) throw httpProblem('rate_limited', { 'retry-after': String(seconds) }, { detail })
      }
      const counted = window.count(key)
      return counted instanceof Promise ? counted.then(applyLimit) : applyLimit(counted)
    }
  }
  const countNewSession = limit('sessions', newSessionsPerAddress, 'Too many new sessions from this address.')
  const countFailure = limit('failures', failuresPerAddress, 'Too many failed authentications from this address.')

  return {
    organization: limit('token', perToken, 'Too many requests with this token.'),
    session: limit('session', perSession, 'Too many requests with this token.'),
    newSession(context) {
      const address = addressOf(context)
      return address === undefined ? undefined : countNewSession(context, address)
    },
    slowFailures: guard => async context => {
      try {
        await guard(context)
      } catch (error) {
        // Whoever bears a token that has ended has not guessed it, and is to be told why.
        const failed = error instanceof ProblemError && error.code === 'unauthorized'
        const address = failed ? addressOf(context) : undefined
        // Where it can't be counted it is no guess either: it is answered with 503, right or wrong.
        if (address !== undefined) await countFailure(context, address)
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
