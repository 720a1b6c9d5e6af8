import type { EndReason } from '../../contract/index.ts'
import type { Clock } from '../app/environment.ts'
import type { Backoff } from './backoff.ts'
import { endReasonOf } from './guards.ts'

/** Who asks, and until when the answer is wanted. */
export interface Credentials {
  readonly token: string | null
  readonly abortSignal: AbortSignal
}

export interface Failure {
  /** 0: no answer came, or none that could be read. */
  status: number
  /** Asking again may help. */
  transient: boolean
  /** What `Retry-After` asks to wait. */
  retryAfterMs: number
  /** Why the session is over, where that is what the answer says. */
  ended: EndReason | null
}

/** Whether to stop asking after a failure; called before the session is taken for ended. */
export type ShouldStopRetrying = (failure: Failure, tries: number) => boolean

/** What is asked for. */
export interface RequestSpec<Data> extends Omit<RequestInit, 'headers'> {
  path: string
  /** Asked for at each try. */
  headers?: () => Record<string, string>
  /** Reads a good answer; one that says `alive` has worked so far: the count of tries begins anew. */
  read(response: Response, alive: () => void): Promise<{ data: Data } | undefined>
}

/** Asks until there is an answer. `undefined`: the bearer is over, its session has ended, or asking is no use. */
export type Requester = <Data>(
  bearer: Credentials,
  spec: RequestSpec<Data>,
  shouldStopRetrying?: ShouldStopRetrying,
) => Promise<Data | undefined>

export interface RequesterDeps {
  clock: Clock
  backoff: Backoff
  fetch: typeof fetch
  /** What is returned is waited for: the bearer may have another token then. */
  onEnded(bearer: Credentials, reason: EndReason): unknown
}

/** So long the whole of an answer may take, or the first part of one that says `alive`. */
const answerMs = 15_000
/** After so long without a sign of life a connection is dead, however open it looks: the platform says something every 15 s. */
const silenceMs = 35_000

/** `root` is the address of the bot's endpoints for widgets. Nothing rejects. */
export function createRequester(root: string, { clock, backoff, fetch, onEnded }: RequesterDeps): Requester {
  let answered = 0
  return async (bearer, { path, read, headers, ...init }, shouldStopRetrying = isFinal) => {
    const { abortSignal } = bearer
    for (let tries = 0; !abortSignal.aborted; tries++) {
      const { token } = bearer
      let failure = noAnswer
      const connection = new AbortController()
      const cut = () => connection.abort()
      let cancelTimer = clock.setTimeout(cut, answerMs)
      abortSignal.addEventListener('abort', cut)
      try {
        const response = await fetch(root + path, {
          ...init,
          headers: { ...headers?.(), ...(token && { authorization: `Bearer ${token}` }) },
          credentials: 'omit',
          signal: connection.signal,
        })
        if (response.ok) {
          // Whatever else waits for the platform need not wait any longer, unless such answers have changed nothing for it.
          if (clock.now() - answered > answerMs) backoff.retryNow()
          answered = clock.now()
          const answer = await read(response, () => {
            cancelTimer()
            cancelTimer = clock.setTimeout(cut, silenceMs)
            tries = 0
          })
          if (answer && !abortSignal.aborted) return answer.data
        } else failure = await readFailure(response)
      } catch {
        // A connection that breaks is an ordinary thing.
      } finally {
        cancelTimer()
        abortSignal.removeEventListener('abort', cut)
        cut()
      }
      if (abortSignal.aborted || shouldStopRetrying(failure, tries)) break
      if (failure.ended) await onEnded({ token, abortSignal }, failure.ended)
      else await backoff.wait(tries, abortSignal, failure.retryAfterMs)
    }
    return undefined
  }
}

/** Asking again is no use, and the session goes on. */
export const isFinal: ShouldStopRetrying = ({ transient, ended }) => !transient && !ended

const noAnswer: Failure = { status: 0, transient: true, retryAfterMs: 0, ended: null }

const longestSeconds = 3600

/** What a refusal says; a proxy in between may answer anything. */
async function readFailure(response: Response): Promise<Failure> {
  const { status } = response
  const problem = (await response.json().catch(() => null)) as { code?: unknown } | null
  return {
    status,
    transient: status === 408 || status === 429 || status >= 500,
    // Seconds; a date, which is allowed too, counts as none.
    retryAfterMs: Math.min(Number(response.headers.get('retry-after')) || 0, longestSeconds) * 1000,
    ended: status === 401 ? endReasonOf(problem?.code) : null,
  }
}
