/** The destination of bytes: Node's response, or an equivalent in memory. */
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

/** Converts a streaming body to the body of a `Response`, which buffers as many bytes as a connection would. */
export function toReadable(body: StreamingBody, maxBuffered: number): ReadableStream<Uint8Array> {
  let taken: (() => void)[] = []
  let onClose = (): void => {}
  let destroyed = false
  const room = (controller: ReadableStreamDefaultController): number => controller.desiredSize ?? 0
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        body.pipeTo({
          get writableLength() {
            return maxBuffered - room(controller)
          },
          get destroyed() {
            return destroyed
          },
          write(bytes, onTaken) {
            controller.enqueue(bytes)
            if (onTaken) taken.push(onTaken)
          },
          end: () => controller.close(),
          on(_, listener) {
            onClose = listener
          },
        })
      },
      pull(controller) {
        if (room(controller) < maxBuffered / 2) return
        const calls = taken
        taken = []
        for (const call of calls) call()
      },
      cancel() {
        destroyed = true
        onClose()
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: maxBuffered }),
  )
}
