import type { Bus } from '../bus/bus.ts'
import type { Clock } from '../clock.ts'
import { conversationSubject, sessionSubject } from '../domain/subjects.ts'
import { every, timestamp } from '../domain/time.ts'
import type { ConversationStore, EndedSession, SessionRow, SessionStore, Store } from '../store/store.ts'
import { type Channel, createChannel, type StreamPosition } from './channel.ts'
import { createEventStream, type EventStream, encodeEvent, type StreamingBody } from './eventStream.ts'

/** All open event streams of this node. */
export type Streams = ReturnType<typeof createStreams>

export interface OpenOptions extends StreamPosition {
  nonce?: string | undefined
  /** The client's address, if it is known. */
  address?: string | undefined
  onOverflow?: () => void
}

/**
 * The number of conversations that a sweep fetches at a time. Without a bus, every message of another node arrives by
 * a sweep. A higher number would take connections from the node's other calls.
 */
const maxConcurrentFetches = 4

/** The interval of comments that show clients and proxies that a stream is alive. */
export const heartbeatMs = 15_000

/** A further stream closes the oldest one. */
export const maxStreamsPerToken = 20

/** Limits of the open streams of this node. */
export interface StreamLimits {
  /** The most open streams. */
  streams: number
  /** The most open streams from one address. */
  addressStreams: number
}

/**
 * A node with 20 000 streams takes about 1.1 GB (docs/sizing.md); half as many have been measured. One address can be an
 * office or a mobile network in which a thousand people have the chat open, each with one to three streams, however many tabs.
 */
export const defaultStreamLimits: StreamLimits = { streams: 20_000, addressStreams: 1000 }

export interface StreamsOptions {
  /** Serves open streams, which outlive the requests that open them. */
  backgroundStore: ConversationStore & Pick<Store, 'sweep'>
  /** Serves requests that open a stream. Its calls end at the deadline of the request. */
  requestStore: Pick<ConversationStore, 'findConversation'> & Pick<SessionStore, 'findSession'>
  bus: Bus
  clock: Clock
  limits: StreamLimits
  onError: (error: unknown) => void
}

interface Subscription<Value> {
  value: Value
  unsubscribe: () => void
}

export function createStreams({ backgroundStore, requestStore, bus, clock, limits, onError }: StreamsOptions) {
  const channels = new Map<string, Subscription<Channel>>()
  const sessions = new Map<string, Subscription<Set<EventStream>>>()
  const all = new Set<EventStream>()
  /** By the client's address; `undefined` if it is not known. */
  const byAddress = new Map<string | undefined, Set<EventStream>>()
  /** Whether the last sweep failed. Then streams of this node may miss what other nodes write. */
  let storeUnreachable = false
  let isClosed = false

  const channelOf = (conversationId: string): Channel => {
    const found = channels.get(conversationId)
    if (found) return found.value
    const value = createChannel(conversationId, backgroundStore)
    const unsubscribe = bus.subscribe(conversationSubject(conversationId), event => {
      if (event.type === 'stored') value.pull('messages').catch(onError)
      if (event.type === 'changed') value.pull('changes').catch(onError)
      // While the store is unreachable, they would keep a stream alive that misses messages.
      if (event.type === 'forward' && !storeUnreachable) value.forward(event.streamEvent)
    })
    channels.set(conversationId, { value, unsubscribe })
    return value
  }

  const streamsOf = (hash: string): Set<EventStream> => {
    const found = sessions.get(hash)
    if (found) return found.value
    const value = new Set<EventStream>()
    const unsubscribe = bus.subscribe(sessionSubject(hash), event => {
      if (event.type === 'ended') end(event)
    })
    sessions.set(hash, { value, unsubscribe })
    return value
  }

  const end = ({ hash, reason }: Pick<EndedSession, 'hash' | 'reason'>): void => {
    const ended = encodeEvent({ event: 'session.ended', data: { reason } })
    for (const stream of [...(sessions.get(hash)?.value ?? [])]) {
      stream.send(ended)
      stream.close()
    }
  }

  /** Removes a stream, and unsubscribes if it was the last one of its channel or session. */
  const release = <Value>(
    map: Map<string, Subscription<Value>>,
    key: string,
    streams: Set<EventStream>,
    stream: EventStream,
  ) => {
    streams.delete(stream)
    if (streams.size > 0) return
    map.get(key)?.unsubscribe()
    map.delete(key)
  }

  return {
    /**
     * Opens a stream of the session's conversation that begins after the position, or now. If there is a `nonce`, the
     * first event is `opened` and returns it. Resolves to `address_full` or `node_full` if too many streams are open.
     */
    async open(
      { hash, conversationId }: SessionRow,
      { nonce, address, onOverflow = () => {}, ...position }: OpenOptions,
    ): Promise<StreamingBody | 'address_full' | 'node_full'> {
      const streamsOfToken = sessions.get(hash)?.value ?? new Set<EventStream>()
      const oldest = streamsOfToken.size >= maxStreamsPerToken ? [...streamsOfToken][0] : undefined
      const ofAddress = byAddress.get(address) ?? new Set<EventStream>()
      const others = ofAddress.size - (oldest && ofAddress.has(oldest) ? 1 : 0)
      if (address !== undefined && others >= limits.addressStreams) return 'address_full'
      oldest?.close()
      if (all.size >= limits.streams) return 'node_full'
      // Subscribe before the replay, so that nothing stored in between is missed.
      const channel = channelOf(conversationId)
      const own = streamsOf(hash)
      const stream = createEventStream({
        firstEvent: nonce === undefined ? undefined : encodeEvent({ event: 'opened', data: { nonce } }),
        onOverflow,
        onClose() {
          stopHeartbeat()
          all.delete(stream)
          ofAddress.delete(stream)
          if (ofAddress.size === 0) byAddress.delete(address)
          release(channels, conversationId, channel.streams, stream)
          release(sessions, hash, own, stream)
        },
      })
      own.add(stream)
      all.add(stream)
      byAddress.set(address, ofAddress.add(stream))
      const stopHeartbeat = every(clock, heartbeatMs, () => {
        // Without heartbeats a client reconnects, perhaps to a node that reaches the store.
        if (!storeUnreachable) stream.sendHeartbeat()
      })
      // The request arrived before the node stopped accepting requests, and all other streams have been closed.
      if (isClosed) {
        stream.close(jitteredRetry())
        return stream
      }
      try {
        const lastPosition = await channel.join(stream, position, requestStore)
        // The session may have ended between the check of the token and the subscription.
        const session = await requestStore.findSession(hash)
        if (!session || session.ended) end({ hash, reason: session?.ended?.reason ?? 'contact_deleted' })
        // Not awaited: the replay runs as the client reads.
        channel
          .replay(stream, lastPosition)
          .then(() => bus.publish(conversationSubject(conversationId), { type: 'joined' }))
          .catch(error => {
            stream.close()
            onError(error)
          })
        return stream
      } catch (error) {
        stream.close()
        throw error
      }
    },

    /** Checks all open streams against the store in one query, so that a lost notification only delays a message. */
    async sweep(): Promise<void> {
      if (sessions.size === 0) return
      const live = {
        conversations: Array.from(channels.values(), ({ value }) => value.position()),
        hashes: [...sessions.keys()],
        now: timestamp(clock.now()),
      }
      const { conversations, ended } = await backgroundStore.sweep(live).catch(error => {
        storeUnreachable = true
        throw error
      })
      storeUnreachable = false
      for (const session of ended) end(session)
      // All take the next one from the same list.
      const advanced = conversations.values()
      const fetchNext = async (): Promise<void> => {
        for (const found of advanced) await channels.get(found.id)?.value.reconcile(found).catch(onError)
      }
      await Promise.all(Array.from({ length: maxConcurrentFetches }, fetchNext))
    },

    /** The conversations that have an open stream. */
    conversationIds: (): string[] => [...channels.keys()],

    /** The number of open streams. */
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

/** Streams are closed in steps of this time. */
const stepMs = 100

/** Jitter, so that the clients of a node that stops do not all reconnect at once. */
const jitteredRetry = (): number => 500 + Math.floor(Math.random() * 4500)
