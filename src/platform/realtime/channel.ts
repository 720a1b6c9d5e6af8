import type { Message, MessageChange, StreamEvent } from '../../contract/index.ts'
import type { ConversationStore, Position } from '../store/store.ts'
import { type EncodedEvent, type EventStream, encodeEvent } from './eventStream.ts'

/** The most messages, and the most changes, of a replay. A stream that is further behind gets `reset`. */
const maxReplay = 200

/** The page size of a replay. It is small because a page stays in memory until the client has read it. */
const replayPage = 20

/** A stream of a conversation, and what its client has. */
export interface ConversationStream extends EventStream {
  /** The `seq` of the last message. */
  sentSeq: number
  /** The revision of the conversation whose changes it has. */
  revision: number
  /** Whether the stream has caught up with the store. */
  live: boolean
  /** The id of the reply that is being streamed, and how much of it has been sent. */
  sentReply: { id: string; length: number } | null
}

/** Adds the position to a new stream. Nothing is sent before it is known. */
export const withPosition = (stream: EventStream): ConversationStream =>
  Object.assign(stream, {
    sentSeq: Number.POSITIVE_INFINITY,
    revision: Number.POSITIVE_INFINITY,
    live: false,
    sentReply: null,
  })

/** The open streams of one conversation on this node. */
export type Channel = ReturnType<typeof createChannel>

/** What the client of a new stream has. Default: everything. */
export interface StreamPosition {
  /** The `seq` of the last message. */
  after?: number | undefined
  /** The revision of the conversation whose changes it has. */
  revision?: number | undefined
}

/** One of the two logs of a conversation: its messages, or the changes of its messages. */
interface Log<Item> {
  list(after: number, limit: number): Promise<Item[]>
  /** How far a stream has been sent the log. */
  positionOf(stream: ConversationStream): number
  send(streams: ConversationStream[], item: Item): void
}

/** The last message and the last change of a conversation. A purge or an erasure may have deleted both. */
type LastPosition = Pick<Position, 'lastSeq' | 'revision'>

export function createChannel(conversationId: string, store: ConversationStore) {
  const streams = new Set<ConversationStream>()
  /** The read position that the streams have been sent. */
  let readSeq = 0
  // Run pulls one at a time: two at once would send a message twice, or a message as it was before a change that has
  // been sent already.
  let pulling: Promise<void> = Promise.resolve()
  const waiting = new Set<'messages' | 'changes'>()
  const messages: Log<Message> = {
    list: (after, limit) => store.listMessagesAfter(conversationId, after, limit),
    positionOf: stream => stream.sentSeq,
    send: sendMessage,
  }
  const changes: Log<MessageChange> = {
    list: (after, limit) => store.listMessagesChangedAfter(conversationId, after, limit),
    positionOf: stream => stream.revision,
    send: sendChange,
  }
  const liveStreams = (): ConversationStream[] => [...streams].filter(stream => stream.live)

  /** Sends what these streams have not got yet, page by page: to a stream that `replays`, as fast as its client reads. */
  const sendMissing = async <Item>(
    { list, positionOf, send }: Log<Item>,
    recipients: () => ConversationStream[],
    replays?: ConversationStream,
  ): Promise<void> => {
    const limit = replays ? replayPage : maxReplay
    for (;;) {
      const to = recipients()
      if (to.length === 0) return
      const items = await list(Math.min(...to.map(positionOf)), limit)
      for (const item of items) {
        if (replays) await replays.drained()
        send(to, item)
      }
      if (items.length < limit) return
    }
  }
  const pull = (what: 'messages' | 'changes'): Promise<void> => {
    if (!waiting.has(what)) {
      waiting.add(what)
      pulling = pulling
        .catch(() => {})
        .then(() => {
          waiting.delete(what)
          return what === 'messages' ? sendMissing(messages, liveStreams) : sendMissing(changes, liveStreams)
        })
    }
    return pulling
  }

  const forwardRead = (seq: number): void => {
    if (seq <= readSeq) return
    readSeq = seq
    sendTo(streams, { event: 'read', data: { seq } })
  }

  return {
    streams,
    /** Reads new messages, or changes of messages, from the store and sends them to all live streams. */
    pull,

    /**
     * Adds a stream that has all messages and changes up to `position`, or up to now. `reads` is the store of the request
     * that opens the stream. Resolves to how far the conversation goes. Call `replay` with it next.
     */
    async join(
      stream: ConversationStream,
      { after, revision: known }: StreamPosition,
      reads: Pick<ConversationStore, 'findConversation'>,
    ): Promise<LastPosition> {
      streams.add(stream)
      const found = await reads.findConversation(conversationId)
      const { lastSeq, revision } = found ?? { lastSeq: 0, revision: 0 }
      // Another device may have read on while the client of this stream was not connected.
      if (found && found.readSeq > readSeq) forwardRead(found.readSeq)
      else if (readSeq > 0) sendTo([stream], { event: 'read', data: { seq: readSeq } })
      stream.sentSeq = after ?? lastSeq
      stream.revision = known ?? revision
      // A position beyond the last message is from a conversation that no longer exists: a replay would skip
      // everything.
      if (isOutOfReach(stream.sentSeq, lastSeq) || isOutOfReach(stream.revision, revision)) {
        stream.send(encodeEvent({ event: 'reset', data: {} }))
        stream.sentSeq = lastSeq
        stream.revision = revision
      }
      return { lastSeq, revision }
    },

    /** Sends a stream the messages and changes that it has missed, as fast as the client reads, then makes it live. */
    async replay(stream: ConversationStream, { lastSeq, revision }: LastPosition): Promise<void> {
      const recipients = () => (streams.has(stream) ? [stream] : [])
      await sendMissing(messages, recipients, stream)
      // These include changes of the messages above since they were read.
      await sendMissing(changes, recipients, stream)
      if (!streams.has(stream)) return
      // Deleted messages will never come. Without this, each sweep would ask for them again.
      stream.sentSeq = Math.max(stream.sentSeq, lastSeq)
      stream.revision = Math.max(stream.revision, revision)
      stream.live = true
      // What was stored while the last page was read has not been sent to this stream.
      await Promise.all([pull('messages'), pull('changes')])
    },

    /** Sends an event to all streams. */
    forward(event: StreamEvent): void {
      if (event.event === 'message.delta') {
        for (const stream of streams) forwardDelta(stream, event.data)
      } else if (event.event === 'read') {
        forwardRead(event.data.seq)
      } else {
        // The reply may begin again, under the same id.
        if (event.event === 'message.aborted')
          for (const stream of streams) if (stream.sentReply?.id === event.data.id) stream.sentReply = null
        sendTo(streams, event)
      }
    },

    /** The position that all live streams have reached. */
    position(): Position {
      const live = liveStreams()
      const least = (positions: number[]): number => (positions.length === 0 ? 0 : Math.min(...positions))
      const lastSeq = least(live.map(messages.positionOf))
      const revision = least(live.map(changes.positionOf))
      return { id: conversationId, lastSeq, readSeq, revision }
    },

    /** Sends what a sweep has found and the bus has not announced. */
    async reconcile({ lastSeq, readSeq: read, revision }: Position): Promise<void> {
      forwardRead(read)
      if (liveStreams().some(stream => stream.sentSeq < lastSeq)) await pull('messages')
      if (liveStreams().some(stream => stream.revision < revision)) await pull('changes')
    },
  }
}

const isOutOfReach = (known: number, last: number): boolean => known > last || last - known > maxReplay

function sendTo(streams: Iterable<EventStream>, event: StreamEvent): void {
  const encoded = encodeEvent(event)
  for (const stream of streams) stream.send(encoded)
}

function sendMessage(streams: ConversationStream[], message: Message): void {
  let encoded: EncodedEvent | undefined
  for (const stream of streams) {
    if (message.seq <= stream.sentSeq) continue
    stream.sentSeq = message.seq
    if (stream.sentReply?.id === message.id) stream.sentReply = null
    encoded ??= encodeEvent({ event: 'message', data: message }, message.seq)
    stream.send(encoded)
  }
}

function sendChange(streams: ConversationStream[], change: MessageChange): void {
  const encoded = encodeEvent({ event: 'message.changed', data: change })
  for (const stream of streams) {
    if (change.revision <= stream.revision) continue
    stream.revision = change.revision
    stream.send(encoded)
  }
}

/**
 * Sends the part of a delta that continues the text. Deltas can have gaps, and they repeat when a reply is sent again for a
 * stream that joins late.
 */
function forwardDelta(
  stream: ConversationStream,
  delta: Extract<StreamEvent, { event: 'message.delta' }>['data'],
): void {
  const { id, offset, text } = delta
  const length = stream.sentReply?.id === id ? stream.sentReply.length : 0
  if (offset > length || offset + text.length <= length) return
  stream.sentReply = { id, length: offset + text.length }
  stream.send(
    encodeEvent({ event: 'message.delta', data: { ...delta, offset: length, text: text.slice(length - offset) } }),
  )
}
