import type { EndReason } from '../../contract/index.ts'
import { type Deadline, withDeadline } from '../async/timing.ts'
import type { Clock } from '../environment/clock.ts'
import type { Backoff } from './backoff.ts'
import { stringify } from './stringify.ts'

/** The token that a request is sent with, and what cancels the request. */
export interface Credentials {
  /** Read again before each attempt, because it may have been replaced. */
  readonly token: string | null
  readonly abortSignal: AbortSignal
  /** Asked immediately before each attempt. The request ends when it is no longer wanted. */
  isWanted?(): boolean
}

interface Failure {
  /** HTTP status; 0 if no response arrived or its body was invalid. */
  status: number
  /** Whether another attempt may succeed. */
  transient: boolean
  /** From the `Retry-After` header. */
  retryAfterMs: number
  /** Why the session has ended, if the platform says that it has. */
  ended: EndReason | null
}

/** Returns whether to give up after a failure. `tries` is the number of failures before this one. */
export type StopCondition = (failure: Failure, tries: number) => boolean

/** Controls for the function that reads the response of one attempt. */
export interface Attempt {
  /** Aborts when the attempt is over. Ignore data that arrives later. */
  readonly abortSignal: AbortSignal
  /** Postpones the timeout. Call it whenever a long-lived response delivers data. */
  keepAlive(): void
  /** Restarts the count of failures. Call it when a long-lived response has proved to work. */
  resetTries(): void
}

export interface RequestSpec<Data> {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Relative to the bot's widget endpoints. */
  path: string
  /** Creates the JSON body. Called for each attempt. */
  body?: (() => unknown) | undefined
  /** Lets the request complete after the page is closed. */
  keepalive?: boolean | undefined
  /** The cache mode of `fetch`. Default: the response headers decide. */
  cache?: RequestCache | undefined
  /** Sends the request in place of `fetch`. `keepAlive` postpones the timeout. */
  send?: ((url: string, init: RequestInit, keepAlive: () => void) => Promise<Response>) | undefined
  /** Reads a successful response. Returns `undefined` if it is invalid; the request is then retried. */
  read(response: Response, attempt: Attempt): Promise<{ data: Data } | undefined>
}

/**
 * Sends a request and retries it until it succeeds. Resolves to `undefined` when the credentials cancel it, the session
 * ends, or `shouldStopRetrying` returns true. Never rejects.
 */
export type Requester = <Data>(
  credentials: Credentials,
  spec: RequestSpec<Data>,
  shouldStopRetrying: StopCondition,
) => Promise<Data | undefined>

export interface RequesterDeps {
  clock: Clock
  backoff: Backoff
  fetch: typeof fetch
  /**
   * Called when the platform has ended the session. The request awaits the result, because the token may be renewed.
   */
  onEnded(credentials: Credentials, reason: EndReason): unknown
  /** Called for each request with whether it gets any response at all. */
  onReachable?: ((isReachable: boolean) => void) | undefined
}

/** The whole response, or the first event of a stream, must arrive within this time. */
const responseTimeoutMs = 15_000
/** A stream without data for this long is dead: the platform sends at least a comment every 15 s. */
const streamTimeoutMs = 35_000
/** The minimum wait after a permanent failure, if the caller wants to retry nevertheless. */
const permanentFailureWaitMs = 60_000

/** `root` is the URL that the paths of requests are appended to. */
export function createRequester(root: string, deps: RequesterDeps): Requester {
  const { clock, backoff, onEnded, onReachable } = deps
  let lastResponseAt = 0

  /** Sends the request once. */
  async function attempt<Data>(
    { token, abortSignal }: Credentials,
    { method, path, body, keepalive = false, cache, send = deps.fetch, read }: RequestSpec<Data>,
    resetTries: () => void,
  ): Promise<{ data: Data } | Failure> {
    async function fetchData({ signal, extend }: Deadline): Promise<{ data: Data } | Failure> {
      const keepAlive = () => extend(streamTimeoutMs)
      const init: RequestInit = {
        method,
        ...(body && { body: stringify(body()) }),
        headers: {
          ...(body && { 'content-type': 'application/json' }),
          ...(token && { authorization: `Bearer ${token}` }),
        },
        keepalive,
        ...(cache && { cache }),
        credentials: 'omit',
        signal,
      }
      const response = await send(root + path, init, keepAlive).catch(error => {
        if (!abortSignal.aborted) onReachable?.(false)
        throw error
      })
      if (signal.aborted) return noResponse
      onReachable?.(true)
      if (!response.ok) return await readFailure(response)
      // There was no response for 15 s, perhaps because of an outage: other requests need not wait any longer.
      if (clock.now() - lastResponseAt > responseTimeoutMs) backoff.retryNow()
      lastResponseAt = clock.now()
      return (await read(response, { abortSignal: signal, keepAlive, resetTries })) ?? noResponse
    }
    try {
      return (await withDeadline(clock, responseTimeoutMs, abortSignal, fetchData)) ?? noResponse
    } catch {
      // Expected whenever a connection breaks; the caller retries.
      return noResponse
    }
  }

  return async (credentials, spec, shouldStopRetrying) => {
    const { abortSignal } = credentials
    for (let tries = 0; !abortSignal.aborted; tries++) {
      if (credentials.isWanted && !credentials.isWanted()) break
      const { token } = credentials
      const resetTries = () => {
        tries = 0
      }
      const result = await attempt({ token, abortSignal }, spec, resetTries)
      if (abortSignal.aborted) break
      if ('data' in result) return result.data
      if (shouldStopRetrying(result, tries)) break
      if (result.ended) await onEnded({ token, abortSignal }, result.ended)
      // The token has been replaced: retry at once.
      if (result.ended && credentials.token !== token) continue
      const atLeastMs = isFinal(result, tries)
        ? Math.max(permanentFailureWaitMs, result.retryAfterMs)
        : result.retryAfterMs
      await backoff.wait(tries, abortSignal, atLeastMs)
    }
    return undefined
  }
}

/** Whether the platform refuses this request permanently, without ending the session. */
export const isFinal: StopCondition = ({ transient, ended }) => !transient && !ended

/** The failure of a request that got no response. */
const noResponse: Failure = { status: 0, transient: true, retryAfterMs: 0, ended: null }

const maxRetryAfterSeconds = 3600

/**
 * The problem codes for a token that no longer works. `unauthorized` may also mean that the token never existed: the
 * platform doesn't reveal which.
 */
const endReasons = new Map<unknown, EndReason>([
  ['token_expired', 'expired'],
  ['token_revoked', 'revoked'],
  ['unauthorized', 'revoked'],
  ['contact_deleted', 'contact_deleted'],
])

/** Reads an error response. One that comes from a proxy must not end the session. */
async function readFailure(response: Response): Promise<Failure> {
  const { status } = response
  const isProblem = /^application\/problem\+json\b/i.test(response.headers.get('content-type') ?? '')
  const problem = isProblem ? ((await response.json().catch(() => null)) as { code?: unknown } | null) : null
  const ended = (status === 401 && endReasons.get(problem?.code)) || null
  return {
    status,
    transient: status >= 500 || status === 408 || status === 429 || (status === 401 && !ended),
    // Only seconds are supported. The header may also contain a date, which is ignored.
    retryAfterMs: Math.min(Number(response.headers.get('retry-after')) || 0, maxRetryAfterSeconds) * 1000,
    ended,
  }
}
