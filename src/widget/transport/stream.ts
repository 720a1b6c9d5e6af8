import type { StreamEvent } from '../../contract/index.ts'
import type { Clock } from '../clock.ts'
import { decodeEvent } from './decode.ts'
import { type Failure, noAnswer, readFailure } from './http.ts'
import { createSseParser } from './sse.ts'

/** Hears of what a stream brings. */
export interface StreamListener {
  /** The seq after which to resume. */
  after(): number
  onEvent(event: StreamEvent): void
  onConnection(state: 'connecting' | 'live' | 'reconnecting'): void
}

// The platform says something every 15 s; without a word for this long the connection is dead, however open it looks.
const silenceMs = 35_000

/** Reads a stream until it breaks, is silent for too long, or `over`; tells how it ended. */
export async function readStream(
  connect: (signal: AbortSignal) => Promise<Response>,
  over: AbortSignal,
  clock: Clock,
  { onEvent, onConnection }: StreamListener,
): Promise<Failure> {
  const connection = new AbortController()
  const cut = () => connection.abort()
  over.addEventListener('abort', cut)
  let calledOff = clock.after(silenceMs, cut)
  let end = noAnswer
  try {
    const response = await connect(connection.signal)
    if (!response.ok || !response.body) return await readFailure(response)
    onConnection('live')
    const reader = response.body.getReader()
    const decoder = new TextDecoder()
    const parse = createSseParser(({ event, data }) => {
      const decoded = decodeEvent(event, data)
      if (decoded && !over.aborted) onEvent(decoded)
    })
    for (;;) {
      const { done, value } = await reader.read()
      if (done || connection.signal.aborted) break
      calledOff()
      calledOff = clock.after(silenceMs, cut)
      // It worked: the next attempt is a first one.
      end = { ...noAnswer, afresh: true }
      parse(decoder.decode(value, { stream: true }))
    }
  } catch {
    // A connection that breaks is an ordinary thing: the caller resumes.
  } finally {
    calledOff()
    over.removeEventListener('abort', cut)
    cut()
  }
  return end
}
