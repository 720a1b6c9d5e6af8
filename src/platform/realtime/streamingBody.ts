/** Where bytes go: a connection's outgoing side as Node has it, or its like in memory. */
export interface Sink {
  /** How many bytes wait to be taken. */
  readonly writableLength: number
  /** The reader is gone. */
  readonly destroyed: boolean
  /** `onTaken` is called once these bytes, and so all before them, have been taken. */
  write(bytes: Uint8Array, onTaken?: () => void): unknown
  end(): unknown
  on(event: 'close', listener: () => void): unknown
}

/** A response body that stays open. */
export interface StreamingBody {
  /** Writes to `sink` until closed. Call once. */
  pipeTo(sink: Sink): void
}

/** A streaming body as that of a `Response`, which buffers as much for its reader as a connection would. */
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
