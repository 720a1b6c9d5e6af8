import type { EndReason } from '../../contract/index.ts'
import type { Clock } from '../app/environment.ts'
import type { Backoff } from './backoff.ts'

/** Who sends a request, and until when its answer is wanted. */
export interface Credentials {
  /** Read again at each attempt: it may have been exchanged meanwhile. */
  readonly token: string | null
  readonly abortSignal: AbortSignal
}

export interface Failure {
  /** 0: no answer came, or none that could be used. */
  status: number
  /** Another attempt may succeed. */
  transient: boolean
  /** What `Retry-After` asks to wait. */
  retryAfterMs: number
  /** Why the session is over, where the platform says so. */
  ended: EndReason | null
}

/** Whether to give up after a failure. `tries` counts the failures before this one. */
export type ShouldStopRetrying = (failure: Failure, tries: number) => boolean

/** One attempt, for the function that reads its answer. */
export interface Attempt {
  /** Aborted when it is given up: what arrives later must not be used. */
  readonly abortSignal: AbortSignal
  /** The connection works: from now on only a long silence ends it. */
  keepAlive(): void
  /** The request has done its work: a failure from now on counts as the first. */
  resetTries(): void
}

export interface RequestSpec<Data> {
  method: 'GET' | 'POST' | 'DELETE'
  /** Below the bot's widget endpoints. */
  path: string
  /** Sent as JSON; called for each attempt. */
  body?: (() => unknown) | undefined
  /** The request outlives the page. */
  keepalive?: boolean | undefined
  /** How `fetch` may use the browser's cache, where the platform's headers shall not decide. */
  cache?: RequestCache | undefined
  /** Reads a good answer. `undefined` means that it could not be used: the request is retried. */
  read(response: Response, attempt: Attempt): Promise<{ data: Data } | undefined>
}

/**
 * Sends a request until it is answered. Resolves to `undefined` when the credentials are aborted, the session has ended,
 * or `shouldStopRetrying` gives up. Never rejects.
 */
export type Requester = <Data>(
  credentials: Credentials,
  spec: RequestSpec<Data>,
  shouldStopRetrying: ShouldStopRetrying,
) => Promise<Data | undefined>

export interface RequesterDeps {
  clock: Clock
  backoff: Backoff
  fetch: typeof fetch
  /** The platform has ended the session. The request waits for what is returned: there may be another token then. */
  onEnded(credentials: Credentials, reason: EndReason): unknown
  /** Whether the last request reached anything at all. Called when that changes. */
  onReachabilityChange?: ((isReachable: boolean) => void) | undefined
}

/** The whole answer, or the beginning of a stream, must arrive within this time. */
const answerMs = 15_000
/** An open stream without a sign of life for this long is dead. The platform sends something every 15 s. */
const silenceMs = 35_000
/** At least so long between attempts where the platform has refused for good and the caller wants to go on. */
const refusedMs = 60_000

/** `root` is the address of the bot's endpoints for widgets. */
export function createRequester(root: string, deps: RequesterDeps): Requester {
  const { clock, backoff, onEnded, onReachabilityChange } = deps
  let lastAnswerAt = 0
  let isReachable = true

  function setReachable(next: boolean) {
    if (next === isReachable) return
    isReachable = next
    onReachabilityChange?.(next)
  }

  /** One request: its data, or why there is none. */
  async function attempt<Data>(
    { token, abortSignal }: Credentials,
    { method, path, body, keepalive = false, cache, read }: RequestSpec<Data>,
    resetTries: () => void,
  ): Promise<{ data: Data } | Failure> {
    const connection = new AbortController()
    // Texts, because an Error would retain the call stack.
    const onSilence = () => connection.abort('Natter: the platform has not answered in time')
    const onAbort = () => connection.abort('Natter: nobody waits for this request any more')
    let cancelTimer = clock.setTimeout(onSilence, answerMs)
    abortSignal.addEventListener('abort', onAbort)
    const keepAlive = () => {
      cancelTimer()
      cancelTimer = clock.setTimeout(onSilence, silenceMs)
    }
    async function ask(): Promise<{ data: Data } | Failure> {
      const response = await deps
        .fetch(root + path, {
          method,
          ...(body && { body: JSON.stringify(body()) }),
          headers: {
            ...(body && { 'content-type': 'application/json' }),
            ...(token && { authorization: `Bearer ${token}` }),
          },
          keepalive,
          ...(cache && { cache }),
          credentials: 'omit',
          signal: connection.signal,
        })
        .catch(error => {
          if (!abortSignal.aborted) setReachable(false)
          throw error
        })
      if (connection.signal.aborted) return noAnswer
      setReachable(true)
      if (!response.ok) return await readFailure(response)
      // The platform answers again after a while: other requests need not wait any longer.
      if (clock.now() - lastAnswerAt > answerMs) backoff.retryNow()
      lastAnswerAt = clock.now()
      return (await read(response, { abortSignal: connection.signal, keepAlive, resetTries })) ?? noAnswer
    }
    try {
      // The page may have wrapped `fetch` and lost the signal: then it would never settle.
      return await Promise.race([ask(), rejectOnAbort(connection.signal)])
    } catch {
      // Connections break every day; the caller retries.
      return noAnswer
    } finally {
      cancelTimer()
      abortSignal.removeEventListener('abort', onAbort)
      onAbort()
    }
  }

  return async (credentials, spec, shouldStopRetrying) => {
    const { abortSignal } = credentials
    for (let tries = 0; !abortSignal.aborted; tries++) {
      const { token } = credentials
      const resetTries = () => {
        tries = 0
      }
      const result = await attempt({ token, abortSignal }, spec, resetTries)
      if (abortSignal.aborted) break
      if ('data' in result) return result.data
      if (shouldStopRetrying(result, tries)) break
      if (result.ended) await onEnded({ token, abortSignal }, result.ended)
      // With another token it is worth retrying at once.
      if (result.ended && credentials.token !== token) continue
      const atLeastMs = isFinal(result, tries) ? Math.max(refusedMs, result.retryAfterMs) : result.retryAfterMs
      await backoff.wait(tries, abortSignal, atLeastMs)
    }
    return undefined
  }
}

/** The platform refuses this request for good, and the session goes on. */
export const isFinal: ShouldStopRetrying = ({ transient, ended }) => !transient && !ended

const rejectOnAbort = (abortSignal: AbortSignal) =>
  new Promise<never>((_, reject) => abortSignal.addEventListener('abort', () => reject(abortSignal.reason)))

const noAnswer: Failure = { status: 0, transient: true, retryAfterMs: 0, ended: null }

const longestRetryAfterSeconds = 3600

/** What the platform says of a token that no longer works. It tells nobody whether it has ever known a token. */
const endReasons = new Map<unknown, EndReason>([
  ['token_expired', 'expired'],
  ['token_revoked', 'revoked'],
  ['unauthorized', 'revoked'],
  ['contact_deleted', 'contact_deleted'],
])

/** Reads a refusal. It may come from a proxy in between, which must not end the session. */
async function readFailure(response: Response): Promise<Failure> {
  const { status } = response
  const isProblem = /^application\/problem\+json\b/i.test(response.headers.get('content-type') ?? '')
  const problem = isProblem ? ((await response.json().catch(() => null)) as { code?: unknown } | null) : null
  const ended = (status === 401 && endReasons.get(problem?.code)) || null
  return {
    status,
    transient: status >= 500 || status === 408 || status === 429 || (status === 401 && !ended),
    // In seconds; a date, which is allowed too, counts as none.
    retryAfterMs: Math.min(Number(response.headers.get('retry-after')) || 0, longestRetryAfterSeconds) * 1000,
    ended,
  }
}
