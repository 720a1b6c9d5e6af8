import type { Next } from 'hono'
import {
  type BodyOf,
  contactTokenPattern,
  type ErrorCode,
  organizationTokenPattern,
  visitorTokenPattern,
} from '../../contract/index.ts'
import type { Clock } from '../clock.ts'
import { requireEmailKey } from '../domain/emailKey.ts'
import { ProblemError, problem } from '../domain/problem.ts'
import { hashToken, memberTokenPattern } from '../domain/tokens.ts'
import { unknownOwner } from '../store/callContext.ts'
import { createFairQueue } from '../store/fairQueue.ts'
import type { AppContext, Guard, Middleware } from './appEnv.ts'
import { bearerOf, lastWordOf } from './auth.ts'
import type { SessionLimits } from './sessionLimits.ts'

/**
 * Rate limits of this node. Each method throws `rate_limited` beyond its limit. A request whose address is unknown is
 * not counted by address.
 */
export type RateLimits = ReturnType<typeof createRateLimits>

export interface RateLimitOptions {
  /** Requests per minute per organization token; 0 turns all limits off. */
  perToken: number
  sessionLimits: SessionLimits
  clock: Pick<Clock, 'elapsed'>
}

const windowMs = 60_000
/** Requests per minute of a contact's or visitor's token. A visitor with several tabs stays below this. */
const requestsPerSession = 120
/**
 * Failed authentications per minute and address. All clients behind an address share them, and their widgets may
 * send tokens that the platform has deleted since.
 */
const failuresPerAddress = 300
/** Requests per minute with a token that has ended, or that the endpoint does not take. */
const misusesPerToken = 120

/** Requests per minute of a member's session. Drafts are kept while somebody writes. */
const requestsPerMember = 600
/**
 * Sign-ins per minute: from one address, from one address to one account, and to one account. Those from an address that
 * the account has signed in from count for the second alone, so that nobody is locked out by what others try.
 */
const signIns = { perAddress: 30, perPair: 10, perEmail: 60 }
const signInKnownForMs = 30 * 24 * 60 * 60_000

/** Addresses that visitors leave per minute: from one client's address, and with one bot. Each may get an email. */
const emails = { perAddress: 10, perBot: 60 }

/** How many passwords are hashed at a time: each takes 32 MiB and a thread. */
const limitsOfHashing = { maxConcurrent: 2, maxWaiting: 20, maxWaitingOfAll: 100 }

/** How long a token that was valid here goes before others of its address. */
const knownForMs = 60 * 60_000

/** How many tokens of an address with many failures are looked up at a time, and how many may wait. */
const limitsOfGuesses = { maxConcurrent: Number.POSITIVE_INFINITY, maxConcurrentPerOwner: 4, maxWaiting: 100 }

class TooManyGuessesError extends Error {}

export function createRateLimits({ perToken, sessionLimits, clock }: RateLimitOptions) {
  const { sessionsPerMinute, addressSessionsPerMinute, addressLookUpsPerMinute } = sessionLimits
  const createLimit = (name: string, quota: number, what: string, hidesHeaders = false) =>
    perToken === 0 ? noLimit : createCounter({ name, quota, detail: `Too many ${what}.`, clock, hidesHeaders })
  const tokens = createLimit('token', perToken, 'requests with this token')
  const sessions = createLimit('session', requestsPerSession, 'requests with this token')
  const newSessions = createLimit('sessions', addressSessionsPerMinute, 'new sessions from this address')
  const newSessionsOfBot = createLimit('bot-sessions', sessionsPerMinute, 'new sessions of this bot')
  const failures = createLimit('failures', failuresPerAddress, 'failed authentications from this address')
  const misuses = createLimit('misuses', misusesPerToken, 'requests with an ended or misused token', true)
  const lookUps = createLimit('look-ups', addressLookUpsPerMinute, 'requests from this address without a token', true)
  const refusals = createLimit('refusals', addressLookUpsPerMinute, 'refused requests from this address', true)

  const emailsOfAddress = createLimit('emails', emails.perAddress, 'emails left from this address')
  const emailsOfBot = createLimit('emails', emails.perBot, 'emails left with this bot')
  const members = createLimit('member', requestsPerMember, 'requests of this session')
  const signInsOfAddress = createLimit('sign-ins', signIns.perAddress, 'sign-ins from this address', true)
  const signInsOfPair = createLimit('sign-ins', signIns.perPair, 'sign-ins with this email', true)
  const signInsOfEmail = createLimit('sign-ins', signIns.perEmail, 'sign-ins with this email', true)
  const knownPairs = createRateWindow({ windowMs: signInKnownForMs, elapsed: clock.elapsed })
  const hashing = createFairQueue({ name: 'passwords', ...limitsOfHashing })

  const knownTokens = createRateWindow({ windowMs: knownForMs, elapsed: clock.elapsed })
  const guesses = createFairQueue({ name: 'look-ups of tokens', ...limitsOfGuesses, FullError: TooManyGuessesError })
  const misuseKey = (kind: string, token: string): string => `${kind} ${hashToken(token)}`
  const refuseMisuse = (c: AppContext, kind: 'organization' | 'widget'): void =>
    misuses.refuseUsedUp(c, misuseKey(kind, lastWordOf(c.req.raw.headers)))
  /**
   * Looks up a token of a request. For an address with many failures it waits its turn, unless the token is known. Throws
   * 429 if too many wait, and for what cannot be a token.
   */
  const waitForPlace = async (c: AppContext, token: string, lookUp: () => Promise<void>): Promise<void> => {
    const address = c.get('address')
    const usedUp = [failures, refusals].find(limit => address !== undefined && limit.isUsedUp(address))
    if (address === undefined || !usedUp || knownTokens.has(hashToken(token))) return lookUp()
    if (!hasFormOfToken(token)) usedUp.refuseUsedUp(c, address)
    await guesses.run(address, c.get('requestContext').deadline, lookUp).catch(error => {
      if (error instanceof TooManyGuessesError) usedUp.refuseUsedUp(c, address)
      throw error
    })
  }
  const countRefusal = (c: AppContext): void => refusals.count(c, c.get('address'))

  return {
    /** Counts a request of an organization token, by the token's hash. */
    countOrganizationRequest(c: AppContext, tokenHash: string): void {
      knownTokens.count(tokenHash, 1)
      tokens.count(c, tokenHash)
    },
    /** Counts a request of a contact's or visitor's token, by the token's hash. Opening a stream counts as one request. */
    countSessionRequest(c: AppContext, tokenHash: string): void {
      knownTokens.count(tokenHash, 1)
      sessions.count(c, tokenHash)
    },
    /** Counts a new anonymous session by the client's address and by the bot. */
    async countNewSession(c: AppContext, next: Next): Promise<void> {
      const bot = c.get('bot')
      // Count for the address first: one that has used up its part must not use up the bot's.
      newSessions.count(c, c.get('address'))
      if (bot) newSessionsOfBot.count(c, bot.id, bot.limits.sessionsPerMinute)
      await next()
    },
    /**
     * Counts a request, then looks something up for it, so that a request beyond the limit costs no look-up. A request with a
     * token counts when the token is refused, if the endpoint `checksToken`.
     */
    async lookUp(c: AppContext, checksToken: boolean, run: () => Promise<void>): Promise<void> {
      // A token that nobody checks would otherwise exempt a request from every limit.
      const isChecked = checksToken && c.req.header('authorization') !== undefined
      if (isChecked) refuseMisuse(c, 'widget')
      else lookUps.count(c, c.get('address'))
      await (isChecked ? waitForPlace(c, lastWordOf(c.req.raw.headers), run) : run())
    },
    /** Counts by address a request that is refused before its token was checked. */
    countRefusal,
    /**
     * Runs `guard`, and counts by address how often it refuses an unknown token. Beyond the limit few guards of the address
     * run at a time: a valid token passes whatever other clients of its address do, at once if it was valid here within the
     * last hour. A token that has ended, or that the endpoint does not take, was not guessed: that is counted by token, for
     * each kind of endpoint.
     */
    limitFailures:
      (kind: 'organization' | 'widget', guard: Guard): Middleware =>
      async (c, next) => {
        refuseMisuse(c, kind)
        try {
          await waitForPlace(c, lastWordOf(c.req.raw.headers), () => guard(c))
        } catch (error) {
          if (!(error instanceof ProblemError)) throw error
          if (error.code === 'invalid_request') countRefusal(c)
          // Not counted by the limit of requests with the token: that one counts only accepted requests.
          if (misuseCodes.has(error.code)) misuses.count(c, misuseKey(kind, bearerOf(c.req.raw.headers)))
          if (error.code === 'unauthorized') failures.count(c, c.get('address'))
          throw error
        }
        await next()
      },
    /** Counts an address that a visitor leaves. The client first: what is refused there does not use up the bot's. */
    async limitEmails(c: AppContext, next: Next): Promise<void> {
      emailsOfAddress.count(c, c.get('address'))
      emailsOfBot.count(c, c.get('bot')?.id)
      await next()
    },
    /** Counts a request of a member's session, by the token's hash. */
    countMemberRequest(c: AppContext, tokenHash: string): void {
      knownTokens.count(tokenHash, 1)
      members.count(c, tokenHash)
    },
    /** Like `limitFailures`, for the token of a member's cookie. */
    limitMemberFailures:
      (tokenOf: (c: AppContext) => string | undefined, guard: Guard): Middleware =>
      async (c, next) => {
        const token = tokenOf(c)
        try {
          await (token === undefined ? guard(c) : waitForPlace(c, token, () => guard(c)))
        } catch (error) {
          if (token !== undefined && error instanceof ProblemError && error.code === 'unauthorized')
            failures.count(c, c.get('address'))
          throw error
        }
        await next()
      },
    /** Limits how many passwords can be tried. A session that is open, and another address, still get in. */
    async limitSignIns(c: AppContext, next: Next): Promise<void> {
      const email = requireEmailKey((c.get('body') as BodyOf<'signIn'>).email)
      const address = c.get('address')
      const pair = `${address} ${email}`
      const isKnown = knownPairs.has(pair)
      if (!isKnown) signInsOfAddress.count(c, address)
      signInsOfPair.count(c, pair)
      // Last, so that one address alone cannot use it up.
      if (!isKnown) signInsOfEmail.count(c, email)
      await next()
      if (!c.error) knownPairs.count(pair, 1)
    },
    /** Limits how often an address makes the platform ask the OpenID Connect provider who signs in. */
    async limitOidc(c: AppContext, next: Next): Promise<void> {
      signInsOfAddress.count(c, c.get('address'))
      await next()
    },
    /** Lets few requests hash a password at a time, addresses in rotation. */
    queueHashing: (c: AppContext, next: Next): Promise<void> =>
      hashing.run(c.get('address') ?? unknownOwner, c.get('requestContext').deadline, next),
  }
}

const hasFormOfToken = (text: string): boolean =>
  [contactTokenPattern, visitorTokenPattern, organizationTokenPattern, memberTokenPattern].some(pattern =>
    pattern.test(text),
  )

/** The problems of a token that is known. The client needs to know why it is refused. */
const misuseCodes: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'insufficient_scope',
  'token_expired',
  'token_revoked',
  'contact_deleted',
])

/** Counts requests per minute and key. */
interface Counter {
  /**
   * Counts a request and sets the headers; throws 429 beyond the limit. `quota` replaces the default limit. Without a key it
   * does nothing.
   */
  count(c: AppContext, key: string | undefined, quota?: number): void
  /** Whether nothing is left. */
  isUsedUp(key: string): boolean
  /** Throws 429 for a key that is used up, without counting. */
  refuseUsedUp(c: AppContext, key: string): void
}

const noLimit: Counter = { count() {}, isUsedUp: () => false, refuseUsedUp() {} }

interface CounterOptions {
  /** The name of the limit in the headers. */
  name: string
  quota: number
  /** What the 429 says. */
  detail: string
  clock: Pick<Clock, 'elapsed'>
  /** Sets no headers on responses within the limit: they may be cached for others. */
  hidesHeaders: boolean
}

function createCounter(options: CounterOptions): Counter {
  const { name, quota: defaultQuota, detail, clock, hidesHeaders } = options
  const window = createRateWindow({ windowMs, elapsed: clock.elapsed })

  function setHeadersOrThrow(c: AppContext, quota: number, { remaining, resetMs }: Counted): void {
    const seconds = Math.ceil(resetMs / 1000)
    if (remaining >= 0 && hidesHeaders) return
    c.header('ratelimit-policy', `"${name}";q=${quota};w=${windowMs / 1000}`)
    c.header('ratelimit', `"${name}";r=${Math.max(0, remaining)};t=${seconds}`)
    if (remaining < 0) throw problem('rate_limited', { detail, headers: { 'retry-after': String(seconds) } })
  }

  return {
    count(c, key, quota = defaultQuota) {
      if (key !== undefined) setHeadersOrThrow(c, quota, window.count(key, quota))
    },
    isUsedUp: key => window.usedUpForMs(key) > 0,
    refuseUsedUp(c, key) {
      const resetMs = window.usedUpForMs(key)
      if (resetMs > 0) setHeadersOrThrow(c, defaultQuota, { remaining: -1, resetMs })
    },
  }
}

interface Counted {
  /** The number of further events that are allowed; negative if this event is over the limit. */
  remaining: number
  /** Time until the window ends. */
  resetMs: number
}

interface RateWindowOptions {
  windowMs: number
  /** Monotonic milliseconds. */
  elapsed: () => number
  /**
   * The most keys of a window, so that clients cannot fill the memory with invented keys; default 100 000. With the
   * previous window, up to twice as many are kept.
   */
  maxKeys?: number
}

interface Window {
  endsAt: number
  /** How many further events are allowed. */
  left: number
}

/**
 * Counts events per key in fixed windows, each of which begins with the first event of its key. Not a library's, because
 * this one uses the platform's clock, decides synchronously, and drops old keys without a timer or a scan.
 */
export function createRateWindow({ windowMs, elapsed, maxKeys = 100_000 }: RateWindowOptions) {
  let currentKeys = new Map<string, Window>()
  let previousKeys = new Map<string, Window>()
  let rotatedAt = elapsed()

  const windowOf = (key: string): Window => {
    const now = elapsed()
    if (now - rotatedAt >= windowMs) {
      previousKeys = currentKeys
      currentKeys = new Map()
      rotatedAt = now
    }
    const found = currentKeys.get(key)
    if (found) return found
    const window = previousKeys.get(key) ?? { endsAt: now, left: 0 }
    const [oldest] = currentKeys.size >= maxKeys ? currentKeys.keys() : []
    if (oldest !== undefined) currentKeys.delete(oldest)
    currentKeys.set(key, window)
    return window
  }

  return {
    /** Counts one event of a key that may have `quota` events per window. */
    count(key: string, quota: number): Counted {
      const window = windowOf(key)
      const now = elapsed()
      if (now >= window.endsAt) Object.assign(window, { endsAt: now + windowMs, left: quota })
      const resetMs = window.endsAt - now
      if (window.left === 0) return { remaining: -1, resetMs }
      window.left -= 1
      return { remaining: window.left, resetMs }
    },
    /** Time until the key may have events again, in milliseconds; 0 if it may have one now. */
    usedUpForMs(key: string): number {
      const window = currentKeys.get(key) ?? previousKeys.get(key)
      return window?.left === 0 ? Math.max(0, window.endsAt - elapsed()) : 0
    },
    /**
     * Whether an event of the key was counted lately. Keys are kept for one to two windows; longer if nothing is counted.
     */
    has: (key: string): boolean => currentKeys.has(key) || previousKeys.has(key),
  }
}
