import type { StreamEvent } from '../../contract/index.ts'
import type { Clock } from '../clock.ts'

/** One open `text/event-stream`: what it has been sent, and the means to send more. */
export interface EventStream {
  readonly body: ReadableStream<Uint8Array>
  /** The last message's seq that has been sent, or was there before. */
  sent: number
  /** Whether it has caught up with the store. */
  live: boolean
  /** The reply being streamed, as far as it has been sent. */
  partial: { id: string; length: number } | null
  send(event: StreamEvent): void
  /** Resolves when the reader has taken most of what was sent, or the stream is closed. */
  drained(): Promise<void>
  /** Ends it; with `retryMs` the client is told how long to wait before it comes back. */
  close(retryMs?: number): void
}

export interface EventStreamOptions {
  clock: Clock
  onClose: () => void
  /** Breaks the connection of a reader that does not read. */
  onOverflow: () => void
}

/** Ours: more than this waiting for a slow reader closes its stream; it resumes where it was. */
export const maxBuffered = 64 * 1024
/** Ours: a comment each 15 s, by which client and proxies know that the stream lives. */
export const heartbeatMs = 15_000

/** A stream that buffers at most `maxBuffered` bytes and beats until it is closed, by either side. */
export function createEventStream({ clock, onClose, onOverflow }: EventStreamOptions): EventStream {
  const encoder = new TextEncoder()
  let open = true
  let stopHeartbeat = (): void => {}
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  let drain = Promise.withResolvers<void>()

  const close = (): void => {
    if (!open) return
    open = false
    stopHeartbeat()
    drain.resolve()
    onClose()
  }
  const room = (): number => controller?.desiredSize ?? 0
  const write = (text: string): void => {
    if (!open || !controller) return
    if (room() <= 0) {
      close()
      controller.close()
      onOverflow()
      return
    }
    controller.enqueue(encoder.encode(text))
  }
  const beat = (): void => {
    // Each comment also makes proxies and browsers pass on what they hold.
    write(': \n\n')
    if (open) stopHeartbeat = clock.after(heartbeatMs, beat)
  }
  const body = new ReadableStream<Uint8Array>(
    {
      start(started) {
        controller = started
      },
      pull() {
        if (room() < maxBuffered / 2) return
        drain.resolve()
        drain = Promise.withResolvers()
      },
      cancel: close,
    },
    new ByteLengthQueuingStrategy({ highWaterMark: maxBuffered }),
  )
  beat()

  return {
    body,
    // Nothing is sent before the stream's position is known.
    sent: Number.POSITIVE_INFINITY,
    live: false,
    partial: null,
    drained: async () => {
      if (open && room() < maxBuffered / 2) await drain.promise
    },
    send: event => write(format(event)),
    close(retryMs) {
      if (retryMs !== undefined) write(`retry: ${retryMs}\n\n`)
      if (!open) return
      close()
      controller?.close()
    },
  }
}

function format({ event, data }: StreamEvent): string {
  const id = event === 'message' ? `id: ${data.seq}\n` : ''
  return `event: ${event}\n${id}data: ${JSON.stringify(data)}\n\n`
}
