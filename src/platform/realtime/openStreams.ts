import type { Clock } from '../clock.ts'
import { every } from '../domain/time.ts'
import { createEventStream, type EventStream, type EventStreamOptions } from './eventStream.ts'

/** The interval of what shows clients and proxies that a stream is alive. */
export const heartbeatMs = 15_000

/** Streams are closed in steps of this time. */
const stepMs = 100

/** The open streams of one kind on this node: their heartbeats, and how they end when the node stops. */
export function createOpenStreams(clock: Clock) {
  const all = new Set<EventStream>()
  let isClosed = false

  return {
    /** Creates a stream, for which `onHeartbeat` is called at the interval of heartbeats. */
    create({ onClose, onHeartbeat, ...options }: EventStreamOptions & { onHeartbeat: () => void }): EventStream {
      const stopHeartbeat = every(clock, heartbeatMs, onHeartbeat)
      const stream = createEventStream({
        ...options,
        onClose() {
          stopHeartbeat()
          all.delete(stream)
          onClose()
        },
      })
      all.add(stream)
      return stream
    },

    /**
     * Closes a new stream if the node has stopped, and returns whether it has. Its request arrived before the node stopped
     * accepting requests, and all other streams have been closed.
     */
    refuseIfClosed(stream: EventStream): boolean {
      if (isClosed) stream.close(jitteredRetry())
      return isClosed
    },

    count: (): number => all.size,

    /** Tells every client to reconnect, and ends its stream: all at once, or spread over `overMs`. */
    async close(overMs: number = 0): Promise<void> {
      for (let steps = Math.ceil(overMs / stepMs); ; steps--) {
        // These include streams that were opened in the meantime.
        for (const stream of [...all].slice(0, Math.ceil(all.size / (steps + 1)))) stream.close(jitteredRetry())
        if (steps === 0) {
          isClosed = true
          return
        }
        await new Promise<void>(resolve => void clock.setTimeout(resolve, stepMs))
      }
    },
  }
}

/** Jitter, so that the clients of a node that stops do not all reconnect at once. */
const jitteredRetry = (): number => 500 + Math.floor(Math.random() * 4500)

/** Streams by a key, such as their session. */
export type StreamGroups<Stream> = ReturnType<typeof createStreamGroups<Stream>>

/** `subscribe` is called with the first stream of a key, and what it returns after the last one. */
export function createStreamGroups<Stream>(subscribe: (key: string) => () => void) {
  const groups = new Map<string, { streams: Set<Stream>; unsubscribe: () => void }>()
  return {
    /** The streams of a key, in the order of their opening. */
    of: (key: string): Stream[] => [...(groups.get(key)?.streams ?? [])],
    keys: (): string[] => [...groups.keys()],
    add(key: string, stream: Stream): void {
      const group = groups.get(key) ?? { streams: new Set(), unsubscribe: subscribe(key) }
      groups.set(key, group)
      group.streams.add(stream)
    },
    delete(key: string, stream: Stream): void {
      const group = groups.get(key)
      group?.streams.delete(stream)
      if (group?.streams.size !== 0) return
      groups.delete(key)
      group.unsubscribe()
    },
  }
}
