import type { Bus } from '../bus/bus.ts'
import type { Clock } from '../clock.ts'
import { conversationSubject, sessionSubject } from '../domain/subjects.ts'
import { timestamp } from '../domain/time.ts'
import type { ConversationStore, EndedSession, SessionRow, SessionStore, Store } from '../store/store.ts'
import { type Channel, createChannel, type StreamPosition, withPosition } from './channel.ts'
import { comment, type EventStream, encodeEvent, type StreamingBody } from './eventStream.ts'
import { createOpenStreams, createStreamGroups } from './openStreams.ts'

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

export function createStreams({ backgroundStore, requestStore, bus, clock, limits, onError }: StreamsOptions) {
  const channels = new Map<string, { channel: Channel; unsubscribe: () => void }>()
  const sessions = createStreamGroups<EventStream>(hash =>
    bus.subscribe(sessionSubject(hash), event => {
      if (event.type === 'ended') end(event)
    }),
  )
  const openStreams = createOpenStreams(clock)
  /** By the client's address; `undefined` if it is not known. */
  const byAddress = new Map<string | undefined, Set<EventStream>>()
  /** Whether the last sweep failed. Then streams of this node may miss what other nodes write. */
  let storeUnreachable = false

  const channelOf = (conversationId: string): Channel => {
    const found = channels.get(conversationId)
    if (found) return found.channel
    const channel = createChannel(conversationId, backgroundStore)
    const unsubscribe = bus.subscribe(conversationSubject(conversationId), event => {
      if (event.type === 'stored') channel.pull('messages').catch(onError)
      if (event.type === 'changed') channel.pull('changes').catch(onError)
      // While the store is unreachable, they would keep a stream alive that misses messages.
      if (event.type === 'forward' && !storeUnreachable) channel.forward(event.streamEvent)
    })
    channels.set(conversationId, { channel, unsubscribe })
    return channel
  }

  const end = ({ hash, reason }: Pick<EndedSession, 'hash' | 'reason'>): void => {
    for (const stream of sessions.of(hash)) {
      if (reason !== 'blocked') stream.send(encodeEvent({ event: 'session.ended', data: { reason } }))
      stream.close()
    }
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
      const streamsOfToken = sessions.of(hash)
      const oldest = streamsOfToken.length >= maxStreamsPerToken ? streamsOfToken[0] : undefined
      const ofAddress = byAddress.get(address) ?? new Set<EventStream>()
      const others = ofAddress.size - (oldest && ofAddress.has(oldest) ? 1 : 0)
      if (address !== undefined && others >= limits.addressStreams) return 'address_full'
      oldest?.close()
      if (openStreams.count() >= limits.streams) return 'node_full'
      // Subscribe before the replay, so that nothing stored in between is missed.
      const channel = channelOf(conversationId)
      const stream = withPosition(
        openStreams.create({
          firstEvent: nonce === undefined ? comment : encodeEvent({ event: 'opened', data: { nonce } }),
          onHeartbeat() {
            // Without heartbeats a client reconnects, perhaps to a node that reaches the store.
            if (!storeUnreachable) stream.send(comment)
          },
          onOverflow,
          onClose() {
            ofAddress.delete(stream)
            if (ofAddress.size === 0) byAddress.delete(address)
            sessions.delete(hash, stream)
            channel.streams.delete(stream)
            if (channel.streams.size > 0) return
            channels.get(conversationId)?.unsubscribe()
            channels.delete(conversationId)
          },
        }),
      )
      sessions.add(hash, stream)
      byAddress.set(address, ofAddress.add(stream))
      if (openStreams.refuseIfClosed(stream)) return stream
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
      if (openStreams.count() === 0) return
      const live = {
        conversations: Array.from(channels.values(), ({ channel }) => channel.position()),
        hashes: sessions.keys(),
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
        for (const found of advanced) await channels.get(found.id)?.channel.reconcile(found).catch(onError)
      }
      await Promise.all(Array.from({ length: maxConcurrentFetches }, fetchNext))
    },

    /** The conversations that have an open stream. */
    conversationIds: (): string[] => [...channels.keys()],

    /** The number of open streams. */
    count: openStreams.count,

    /** Tells every client to reconnect, and ends its stream: all at once, or spread over `overMs`. */
    close: openStreams.close,
  }
}
