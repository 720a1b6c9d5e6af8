import type { Message, StreamEvent } from '../../contract/index.ts'
import type { ConversationStore, Position } from '../store/store.ts'
import { type EncodedEvent, type EventStream, encodeEvent } from './eventStream.ts'

/** Ours: the most messages of a replay. A stream that is further behind gets `reset`. */
const maxReplay = 200

/** The page size of a replay. It is small because a page stays in memory until the client has read it. */
const replayPage = 20

/** The open streams of one conversation on this node. */
export interface Channel {
  readonly streams: Set<EventStream>
  /** Reads new messages from the store and sends them to all live streams. */
  pull(): Promise<void>
  /**
   * Adds a stream that has all messages up to `after`, or up to now. `reads` is the store of the request that opens the
   * stream. Call `replay` next.
   */
  join(
    stream: EventStream,
    after: number | undefined,
    reads: Pick<ConversationStore, 'findConversation'>,
  ): Promise<void>
  /** Sends a stream the messages that it has missed, as fast as the client reads, then makes it live. */
  replay(stream: EventStream): Promise<void>
  /** Sends an event that is not stored to all streams. */
  forward(event: StreamEvent): void
  /** The position that all live streams have reached. */
  position(): Position
  /** Sends what a sweep has found and the bus has not announced. */
  reconcile(found: Position): Promise<void>
}

export function createChannel(conversationId: string, store: ConversationStore): Channel {
  const streams = new Set<EventStream>()
  let readSeq: number | undefined
  // Run pulls one at a time: two at once would send a message twice.
  let pulling: Promise<void> = Promise.resolve()
  let waiting = false

  const pullOnce = async (): Promise<void> => {
    waiting = false
    for (;;) {
      const live = [...streams].filter(stream => stream.live)
      if (live.length === 0) return
      const after = Math.min(...live.map(stream => stream.sent))
      const messages = await store.listMessagesAfter(conversationId, after, maxReplay)
      for (const message of messages) sendMessage(live, message)
      if (messages.length < maxReplay) return
    }
  }
  const pull = (): Promise<void> => {
    if (!waiting) {
      waiting = true
      pulling = pulling.catch(() => {}).then(pullOnce)
    }
    return pulling
  }

  const forwardRead = (seq: number): void => {
    if (readSeq !== undefined && seq <= readSeq) return
    readSeq = seq
    sendTo(streams, { event: 'read', data: { seq } })
  }

  return {
    streams,
    pull,

    async join(stream, after, reads) {
      streams.add(stream)
      const found = await reads.findConversation(conversationId)
      const lastSeq = found?.lastSeq ?? 0
      readSeq ??= found?.readSeq ?? 0
      stream.sent = after ?? lastSeq
      // A position beyond the last message is from a conversation that no longer exists: a replay would skip
      // everything.
      if (stream.sent > lastSeq || lastSeq - stream.sent > maxReplay) {
        stream.send(encodeEvent({ event: 'reset', data: {} }))
        stream.sent = lastSeq
      }
    },

    async replay(stream) {
      for (;;) {
        if (!streams.has(stream)) return
        const messages = await store.listMessagesAfter(conversationId, stream.sent, replayPage)
        for (const message of messages) {
          await stream.drained()
          sendMessage([stream], message)
        }
        if (messages.length < replayPage) break
      }
      stream.live = true
      // Messages that were stored while the last page was read have not been sent to this stream.
      await pull()
    },

    forward(event) {
      if (event.event === 'message.delta') {
        for (const stream of streams) forwardDelta(stream, event.data)
      } else if (event.event === 'read') {
        forwardRead(event.data.seq)
      } else {
        sendTo(streams, event)
      }
    },

    position() {
      const live = [...streams].filter(stream => stream.live)
      const lastSeq = live.length === 0 ? 0 : Math.min(...live.map(stream => stream.sent))
      return { id: conversationId, lastSeq, readSeq: readSeq ?? 0 }
    },

    async reconcile({ lastSeq, readSeq: read }) {
      forwardRead(read)
      if ([...streams].some(stream => stream.live && stream.sent < lastSeq)) await pull()
    },
  }
}

function sendTo(streams: Iterable<EventStream>, event: StreamEvent): void {
  const encoded = encodeEvent(event)
  for (const stream of streams) stream.send(encoded)
}

function sendMessage(streams: EventStream[], message: Message): void {
  let encoded: EncodedEvent | undefined
  for (const stream of streams) {
    if (message.seq <= stream.sent) continue
    stream.sent = message.seq
    if (stream.sentReply?.id === message.id) stream.sentReply = null
    encoded ??= encodeEvent({ event: 'message', data: message })
    stream.send(encoded)
  }
}

/**
 * Sends the part of a delta that continues the text. Deltas can have gaps, and they repeat when a reply is sent again for a
 * stream that joins late.
 */
function forwardDelta(stream: EventStream, delta: Extract<StreamEvent, { event: 'message.delta' }>['data']): void {
  const { id, offset, text } = delta
  const length = stream.sentReply?.id === id ? stream.sentReply.length : 0
  if (offset > length || offset + text.length <= length) return
  stream.sentReply = { id, length: offset + text.length }
  stream.send(
    encodeEvent({ event: 'message.delta', data: { ...delta, offset: length, text: text.slice(length - offset) } }),
  )
}
