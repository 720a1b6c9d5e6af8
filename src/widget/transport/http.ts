import type { EndReason } from '../../contract/index.ts'
import type { Clock } from '../clock.ts'
import { endReasonOf } from './decode.ts'

export interface Failure {
  data?: never
  /** 0: no answer came, or none that could be read. */
  status: number
  /** Asking again may help. */
  transient: boolean
  /** What `Retry-After` asks to wait. */
  retryAfterMs: number
  /** Why the session is over, where that is what the answer says. */
  ended: EndReason | null
  /** It worked for a while: the next try is a first one. */
  afresh?: boolean
}

/** What the platform answered. */
export type Answer<T> = { data: T; status?: never } | Failure

/** Asks one of the bot's endpoints for widgets; never rejects. */
export type Ask = <T>(
  bearer: { token: string | null; over: AbortSignal },
  method: string,
  path: string,
  isAnswer: (data: unknown) => data is T,
  body?: unknown,
) => Promise<Answer<T>>

const timeoutMs = 15_000

/** `root` is the address of the bot's widget endpoints. */
export function createAsk(root: string, clock: Clock, send: typeof fetch): Ask {
  return async ({ token, over }, method, path, isAnswer, body) => {
    const limit = new AbortController()
    const giveUp = () => limit.abort()
    const calledOff = clock.after(timeoutMs, giveUp)
    over.addEventListener('abort', giveUp)
    const json = method === 'POST' && body ? JSON.stringify(body) : null
    try {
      const response = await send(root + path, {
        method,
        headers: {
          ...(token && { authorization: `Bearer ${token}` }),
          ...(json && { 'content-type': 'application/json' }),
        },
        body: json,
        credentials: 'omit',
        // A logout outlives the page.
        keepalive: method === 'DELETE',
        signal: limit.signal,
      })
      if (!response.ok) return await readFailure(response)
      const text = await response.text()
      const data: unknown = text && (JSON.parse(text) as { data?: unknown }).data
      return isAnswer(data) ? { data } : noAnswer
    } catch {
      return noAnswer
    } finally {
      calledOff()
      over.removeEventListener('abort', giveUp)
    }
  }
}

export const noAnswer: Failure = { status: 0, transient: true, retryAfterMs: 0, ended: null }

/** What a refusal says; a proxy in between may answer anything. */
export async function readFailure(response: Response): Promise<Failure> {
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

const longestSeconds = 3600
