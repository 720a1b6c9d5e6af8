import type { StreamEvent } from '../../contract/index.ts'
import { decodeEvent } from './guards.ts'
import { createSseParser } from './sseParser.ts'

/** Hears of what a stream brings. */
export interface StreamListener {
  /** The seq after which to resume. */
  after(): number
  onEvent(event: StreamEvent): void
  /** `live` with each sign of life. */
  onConnection(state: 'live' | 'reconnecting'): void
}

/** Reads a stream until it breaks. */
export async function readStream(
  response: Response,
  alive: () => void,
  onEvent: StreamListener['onEvent'],
): Promise<undefined> {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const decoder = new TextDecoder()
  const parse = createSseParser(({ event, data }) => {
    const decoded = decodeEvent(event, data)
    if (decoded) onEvent(decoded)
  })
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    alive()
    parse(decoder.decode(value, { stream: true }))
  }
}
