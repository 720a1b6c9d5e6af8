import type { StreamEvent } from '../../contract/index.ts'
import type { Beating } from './heartbeat.ts'
import type { Sink, StreamingBody } from './streamingBody.ts'

/** One open `text/event-stream`: what it has been sent, and the means to send more. */
export interface EventStream extends StreamingBody, Beating {
  /** The last message's seq that has been sent, or was there before. */
  sent: number
  /** Whether it has caught up with the store. */
  live: boolean
  /** The reply being streamed, as far as it has been sent. */
  sentReply: { id: string; length: number } | null
  send(event: EncodedEvent): void
  /** Resolves when the reader has taken most of what was sent, or the stream is closed; for one at a time. */
  drained(): Promise<void>
  /** Ends it; with `retryMs` the client is told how long to wait before it comes back. */
  close(retryMs?: number): void
}

/** An event as it goes over the wire: the same bytes for all streams that it goes to. */
export type EncodedEvent = Uint8Array

export interface EventStreamOptions {
  /** What it begins with; default: a comment. */
  firstEvent?: EncodedEvent | undefined
  onClose: () => void
  /** Breaks the connection of a reader that does not read. */
  onOverflow: () => void
}

/** Ours: more than this waiting for a slow reader closes its stream; it resumes where it was. */
export const maxBuffered: number = 64 * 1024
/** So much waiting, and a replay waits too. */
const pauseAt = maxBuffered / 2

const encoder = new TextEncoder()
/** Each comment also makes proxies and browsers pass on what they hold. */
const comment = encoder.encode(': \n\n')

/**
 * A stream that holds at most `maxBuffered` bytes until they are taken, from before it flows until either side closes
 * it.
 */
export function createEventStream({ firstEvent = comment, onClose, onOverflow }: EventStreamOptions): EventStream {
  let open = true
  let sink: Sink | undefined
  let held: Uint8Array[] = [firstEvent]
  let resume = (): void => {}
  const onTaken = (): void => resume()

  const waiting = (): number => sink?.writableLength ?? held.reduce((sum, { length }) => sum + length, 0)
  const shut = (): void => {
    if (!open) return
    open = false
    resume()
    onClose()
  }
  const write = (bytes: Uint8Array): void => {
    if (!open) return
    const before = waiting()
    if (before >= maxBuffered) {
      shut()
      sink?.end()
      onOverflow()
    } else if (sink) sink.write(bytes, before + bytes.length >= pauseAt ? onTaken : undefined)
    else held.push(bytes)
  }

  return {
    // Nothing is sent before the stream's position is known.
    sent: Number.POSITIVE_INFINITY,
    live: false,
    sentReply: null,
    pipeTo(target) {
      for (const bytes of held) target.write(bytes)
      held = []
      sink = target
      if (!open) target.end()
      else if (target.destroyed) shut()
      else target.on('close', shut)
      resume()
    },
    async drained() {
      while (open && (!sink || waiting() >= pauseAt)) {
        const { promise, resolve } = Promise.withResolvers<void>()
        resume = resolve
        await promise
      }
    },
    send: write,
    beat: () => write(comment),
    close(retryMs) {
      if (retryMs !== undefined) write(encoder.encode(`retry: ${retryMs}\n\n`))
      if (!open) return
      shut()
      sink?.end()
    },
  }
}

export function encodeEvent({ event, data }: StreamEvent): EncodedEvent {
  const id = event === 'message' ? `id: ${data.seq}\n` : ''
  return encoder.encode(`event: ${event}\n${id}data: ${JSON.stringify(data)}\n\n`)
}
