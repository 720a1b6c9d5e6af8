import { hash } from 'node:crypto'
import { ProblemError } from '../domain/problem.ts'
import type { Store } from '../store/store.ts'
import type { AppContext, Middleware } from './appEnv.ts'
import { httpProblem } from './httpProblem.ts'
import { createRateWindow } from './rateWindow.ts'

/** Rate limits (decisions 1). */
export interface RateLimits {
  /** Counts a request of an organization token, by its hash; throws 429 beyond the limit. */
  organization(c: AppContext, tokenHash: string): Promise<void>
  /** Counts a request of a contact's or visitor's token. Opening a stream counts as one. */
  session(c: AppContext, tokenHash: string): Promise<void>
  /** Counts a new anonymous session by the client's address. */
  newSession: Middleware
  /** Counts failed authentications of `guard` by address. Beyond the limit they get 429 instead of 401. */
  slowFailures(guard: Middleware): Middleware
}

export interface RateLimitOptions {
  /** Requests per minute per organization token; 0 turns all limits off. */
  perToken: number
  /** Milliseconds from some fixed moment. */
  elapsed: () => number
  /** The client's address; requests without one are not counted by address. */
  addressOf: (c: AppContext) => string | undefined
  /** Nodes that share a store share the limits: while the store does not answer, requests that need permits fail. */
  store: Pick<Store, 'consumeQuota'>
}

const windowMs = 60_000
/** Ours: a visitor with several tabs stays below this. */
const perSession = 120
/** Ours: shared by all clients behind one address. */
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
    // Hash it: the database must not reveal client addresses.
    const consume =
      consumeQuota &&
      ((key: string, wanted: number) => consumeQuota(hash('sha256', `${name} ${key}`), { quota, windowMs, wanted }))
    const window = createRateWindow({ quota, windowMs, elapsed, consume })
    const policy = `"${name}";q=${quota};w=${windowMs / 1000}`
    return async (c: AppContext, key: string): Promise<void> => {
      const { remaining, resetMs } = await window.count(key)
      const seconds = Math.ceil(resetMs / 1000)
      c.header('ratelimit-policy', policy)
      c.header('ratelimit', `"${name}";r=${Math.max(0, remaining)};t=${seconds}`)
      if (remaining < 0) throw httpProblem('rate_limited', { 'retry-after': String(seconds) }, { detail })
    }
  }
  const countNewSession = limit('sessions', newSessionsPerAddress, 'Too many new sessions from this address.')
  const countFailure = limit('failures', failuresPerAddress, 'Too many failed authentications from this address.')

  return {
    organization: limit('token', perToken, 'Too many requests with this token.'),
    session: limit('session', perSession, 'Too many requests with this token.'),
    async newSession(c, next) {
      const address = addressOf(c)
      if (address !== undefined) await countNewSession(c, address)
      await next()
    },
    slowFailures: guard => async (c, next) => {
      try {
        await guard(c, next)
      } catch (error) {
        // Do not count ended tokens: they were not guessed, and the client needs to know why they ended.
        const failed = error instanceof ProblemError && error.code === 'unauthorized'
        const address = failed ? addressOf(c) : undefined
        // If the store cannot count it, the response is 503 for right and wrong tokens alike, so nothing can be
        // guessed.
        if (address !== undefined) await countFailure(c, address)
        throw error
      }
    },
  }
}

const unlimited: RateLimits = {
  async organization() {},
  async session() {},
  newSession: (_, next) => next(),
  slowFailures: guard => guard,
}
