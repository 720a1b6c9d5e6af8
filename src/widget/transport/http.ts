import type { EndReason } from '../../contract/index.ts'
import type { Clock } from '../clock.ts'
import { endReasonOf } from './decode.ts'
import type { Patience } from './patience.ts'

/** Who asks, and until when the answer is wanted. */
export interface Bearer {
  readonly token: string | null
  readonly over: AbortSignal
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
export type GiveUp = (failure: Failure, tries: number) => boolean

/** What is asked for. */
export interface Question<Data> extends Omit<RequestInit, 'headers'> {
  path: string
  /** Asked for at each try. */
  headers?: () => Record<string, string>
  /** Reads a good answer; one that says `alive` has worked so far: the count of tries begins anew. */
  read(response: Response, alive: () => void): Promise<{ data: Data } | undefined>
}

/** Asks until there is an answer. `undefined`: the bearer is over, its session has ended, or asking is no use. */
export type Ask = <Data>(bearer: Bearer, question: Question<Data>, giveUp?: GiveUp) => Promise<Data | undefined>

export interface AskDoors {
  clock: Clock
  patience: Patience
  fetch: typeof fetch
  /** What is returned is waited for: the bearer may have another token then. */
  onEnded(bearer: Bearer, reason: EndReason): unknown
}

/** So long the whole of an answer may take, or the first part of one that says `alive`. */
const answerMs = 15_000
/** After so long without a sign of life a connection is dead, however open it looks: the platform says something every 15 s. */
const silenceMs = 35_000

/** `root` is the address of the bot's endpoints for widgets. Nothing rejects. */
export function createAsk(root: string, { clock, patience, fetch, onEnded }: AskDoors): Ask {
  let answered = 0
  return async (bearer, { path, read, headers, ...init }, giveUp = isFinal) => {
    const { over } = bearer
    for (let tries = 0; !over.aborted; tries++) {
      const { token } = bearer
      let failure = noAnswer
      const connection = new AbortController()
      const cut = () => connection.abort()
      let calledOff = clock.after(answerMs, cut)
      over.addEventListener('abort', cut)
      try {
        const response = await fetch(root + path, {
          ...init,
          headers: { ...headers?.(), ...(token && { authorization: `Bearer ${token}` }) },
          credentials: 'omit',
          signal: connection.signal,
        })
        if (response.ok) {
          // Whatever else waits for the platform need not wait any longer, unless such answers have changed nothing for it.
          if (clock.now() - answered > answerMs) patience.wake()
          answered = clock.now()
          const answer = await read(response, () => {
            calledOff()
            calledOff = clock.after(silenceMs, cut)
            tries = 0
          })
          if (answer && !over.aborted) return answer.data
        } else failure = await readFailure(response)
      } catch {
        // A connection that breaks is an ordinary thing.
      } finally {
        calledOff()
        over.removeEventListener('abort', cut)
        cut()
      }
      if (over.aborted || giveUp(failure, tries)) break
      if (failure.ended) await onEnded({ token, over }, failure.ended)
      else await patience.wait(tries, over, failure.retryAfterMs)
    }
    return undefined
  }
}

/** Asking again is no use, and the session goes on. */
export const isFinal: GiveUp = ({ transient, ended }) => !transient && !ended

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
