import type { StreamEvent } from '../../contract/index.ts'
import type { Clock } from '../clock.ts'
import { decodeEvent } from './decode.ts'
import { type Failure, readFailure } from './http.ts'
import type { Patience } from './patience.ts'
import { createSseParser } from './sse.ts'

/** Hears of what a stream brings. */
export interface StreamListener {
  /** The seq after which to resume. */
  after(): number
  onEvent(event: StreamEvent): void
  onConnection(state: 'connecting' | 'live' | 'reconnecting'): void
  /** The platform refuses for good: the session is over, or the bot is not there. */
  onRefused(failure: Failure): void
}

// The platform says something every 15 s; without a word for this long the connection is dead, however open it looks.
const silenceMs = 35_000

export interface StreamDoors {
  clock: Clock
  patience: Patience
  /** Opens the stream after that seq; rejects as `fetch` does. */
  connect(seq: number, signal: AbortSignal): Promise<Response>
}

/** Keeps an event stream open until `over`: resumes after the last message, with growing pauses while it fails. */
export async function keepStream(
  { clock, patience, connect }: StreamDoors,
  over: AbortSignal,
  listener: StreamListener,
): Promise<void> {
  listener.onConnection('connecting')
  for (let failures = 0; !over.aborted; failures++) {
    const connection = new AbortController()
    const cut = () => connection.abort()
    over.addEventListener('abort', cut)
    let calledOff = clock.after(silenceMs, cut)
    const heard = () => {
      calledOff()
      calledOff = clock.after(silenceMs, cut)
    }
    let atLeastMs = 0
    try {
      const response = await connect(listener.after(), connection.signal)
      if (!response.ok) {
        const failure = await readFailure(response, clock.now())
        if (over.aborted) return
        if (!failure.transient) return listener.onRefused(failure)
        atLeastMs = failure.retryAfterMs
      } else if (response.body && !over.aborted) {
        listener.onConnection('live')
        const reader = response.body.getReader()
        cutReader(connection.signal, reader)
        const decoder = new TextDecoder()
        const parse = createSseParser(({ event, data }) => {
          const decoded = decodeEvent(event, data)
          if (decoded && !over.aborted) listener.onEvent(decoded)
        })
        for (;;) {
          const { done, value } = await reader.read()
          if (over.aborted || connection.signal.aborted || done) break
          heard()
          failures = 0
          parse(decoder.decode(value, { stream: true }))
        }
      }
    } catch {
      // A connection that breaks is an ordinary thing: the loop resumes.
    } finally {
      calledOff()
      over.removeEventListener('abort', cut)
      cut()
    }
    if (over.aborted) return
    listener.onConnection('reconnecting')
    await patience.wait(failures, over, atLeastMs)
  }
}

/** Aborting the fetch ends the body in browsers; a body that doesn't hear of it must not hold the loop. */
function cutReader(signal: AbortSignal, reader: ReadableStreamDefaultReader<Uint8Array>): void {
  signal.addEventListener('abort', () => {
    reader.cancel().catch(() => {})
  })
}
