import type { DeskEvent } from '../../contract/desk.ts'
import type { StreamEvent } from '../../contract/index.ts'

/** The destination of bytes: Node's response, or another writable stream. */
export interface Sink {
  /** The number of buffered bytes that the reader has not taken yet. */
  readonly writableLength: number
  /** Whether the reader has disconnected. */
  readonly destroyed: boolean
  /** `onTaken` is called when the reader has taken these bytes, and thus all earlier ones. */
  write(bytes: Uint8Array, onTaken?: () => void): unknown
  end(): unknown
  on(event: 'close', listener: () => void): unknown
}

/** A response body that stays open. */
export interface StreamingBody {
  /** Writes to `sink` until one of them is closed. Call it once. */
  pipeTo(sink: Sink): void
}

/** One open `text/event-stream`. */
export interface EventStream extends StreamingBody {
  send(event: EncodedEvent): void
  /** Resolves when little of what was sent still waits for the reader, or the stream is closed. Only one caller may wait. */
  drained(): Promise<void>
  /** Ends the stream. `retryMs` tells the client how long to wait before it reconnects. */
  close(retryMs?: number): void
}

/** The bytes of an event, which are the same for all streams. */
export type EncodedEvent = Uint8Array

export interface EventStreamOptions {
  firstEvent: EncodedEvent
  onClose: () => void
  /** Called when too much waits for the reader. It must close the connection. */
  onOverflow: () => void
}

/** The most bytes that wait for a slow reader. Beyond that the stream is closed, and the client resumes it. */
export const maxBuffered: number = 64 * 1024
/** A replay pauses while as many bytes wait. */
const pauseAt = maxBuffered / 2

const encoder = new TextEncoder()
/** Shows clients and proxies that a stream is alive, and makes proxies and browsers deliver what they have buffered. */
export const comment: EncodedEvent = encoder.encode(': \n\n')

/**
 * Creates a stream that buffers at most `maxBuffered` bytes. It accepts events before `pipeTo` is called, and until either
 * side closes it.
 */
export function createEventStream({ firstEvent, onClose, onOverflow }: EventStreamOptions): EventStream {
  let open = true
  let sink: Sink | undefined
  let buffered: Uint8Array[] = [firstEvent]
  let resume = (): void => {}
  const onTaken = (): void => resume()

  const waiting = (): number => sink?.writableLength ?? buffered.reduce((sum, { length }) => sum + length, 0)
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
    else buffered.push(bytes)
  }

  return {
    pipeTo(target) {
      for (const bytes of buffered) target.write(bytes)
      buffered = []
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
    close(retryMs) {
      if (retryMs !== undefined) write(encoder.encode(`retry: ${retryMs}\n\n`))
      if (!open) return
      shut()
      sink?.end()
    },
  }
}

/** `id`: what a client that reconnects sends as `Last-Event-ID`. */
export function encodeEvent({ event, data }: StreamEvent | DeskEvent, id?: string | number): EncodedEvent {
  const idLine = id === undefined ? '' : `id: ${id}\n`
  return encoder.encode(`event: ${event}\n${idLine}data: ${JSON.stringify(data)}\n\n`)
}
