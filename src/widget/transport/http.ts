import type { EndReason } from '../../contract/index.ts'
import type { Clock } from '../clock.ts'
import { endReasonOf } from './decode.ts'

/** What the platform answered. */
export type Answer<T = unknown> = { ok: true; data: T } | Failure

export interface Failure {
  ok: false
  /** 0: no answer came, or none that could be read. */
  status: number
  /** Asking again may help. */
  transient: boolean
  /** What `Retry-After` asks to wait. */
  retryAfterMs: number
  /** Why the session is over, where that is what the answer says. */
  ended: EndReason | null
}

export interface AskOptions {
  token?: string | null | undefined
  body?: unknown
  signal?: AbortSignal | undefined
  /** Lets the request outlive the page. */
  keepalive?: boolean
}

/** Asks one of the bot's endpoints for widgets; never rejects. */
export type Ask = <T>(
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  isAnswer: (data: unknown) => data is T,
  options?: AskOptions,
) => Promise<Answer<T>>

const timeoutMs = 15_000

/** `root` is the address of the bot's widget endpoints. */
export function createAsk(root: string, clock: Clock, send: typeof fetch): Ask {
  return async (method, path, isAnswer, { token, body, signal, keepalive = false } = {}) => {
    const given = new AbortController()
    const giveUp = () => given.abort()
    const calledOff = clock.after(timeoutMs, giveUp)
    if (signal?.aborted) giveUp()
    signal?.addEventListener('abort', giveUp)
    try {
      const response = await send(root + path, {
        method,
        headers: {
          ...(token && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        credentials: 'omit',
        keepalive,
        signal: given.signal,
      })
      if (!response.ok) return await readFailure(response, clock.now())
      const text = await response.text()
      const data: unknown = text ? (JSON.parse(text) as { data?: unknown } | null)?.data : undefined
      return isAnswer(data) ? { ok: true, data } : noAnswer
    } catch {
      return noAnswer
    } finally {
      calledOff()
      signal?.removeEventListener('abort', giveUp)
    }
  }
}

const noAnswer: Failure = { ok: false, status: 0, transient: true, retryAfterMs: 0, ended: null }

/** What a refusal says; a proxy in between may answer anything. */
export async function readFailure(response: Response, now: number): Promise<Failure> {
  const { status } = response
  const problem = (await response.json().catch(() => null)) as { code?: unknown } | null
  return {
    ok: false,
    status,
    transient: status === 408 || status === 429 || status >= 500,
    retryAfterMs: retryAfterMs(response.headers.get('retry-after'), now),
    ended: status === 401 ? endReasonOf(problem?.code) : null,
  }
}

const longestMs = 3_600_000

/** Seconds or a date. */
function retryAfterMs(value: string | null, now: number): number {
  if (!value) return 0
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now
  return ms > 0 ? Math.min(ms, longestMs) : 0
}
