import type { Bus } from '../bus/bus.ts'
import type { Clock } from '../clock.ts'
import { conversationSubject, sessionSubject } from '../domain/subjects.ts'
import { timestamp } from '../domain/time.ts'
import type { ConversationStore, EndedSession, SessionRow, SessionStore, Store } from '../store/store.ts'
import { type Channel, createChannel } from './channel.ts'
import { createEventStream, type EventStream, encodeEvent } from './eventStream.ts'
import { createHeartbeat } from './heartbeat.ts'
import type { StreamingBody } from './streamingBody.ts'

/** Every open stream of this node. */
export interface Streams {
  /**
   * Opens a stream of the session's conversation, from after message `after`, or from now. With a `nonce` its first
   * event is `opened`, which returns it.
   */
  open(session: SessionRow, options: OpenOptions): Promise<StreamingBody>
  /** Compares all that is open here with the store, in one query, so that a lost wake-up delays and loses nothing. */
  sweep(): Promise<void>
  /** How many are open. */
  count(): number
  /** Tells every client to come back elsewhere, and ends its stream: all at once, or evenly spread over a time. */
  close(overMs?: number): Promise<void>
}

export interface OpenOptions {
  after?: number | undefined
  nonce?: string | undefined
  onOverflow?: () => void
}

/** Ours: one more ends the oldest. */
export const maxStreamsPerToken = 20

export interface StreamsOptions {
  store: ConversationStore & SessionStore & Pick<Store, 'sweep'>
  bus: Bus
  clock: Clock
  onError: (error: unknown) => void
}

interface Live<Value> {
  value: Value
  unsubscribe: () => void
}

export function createStreams({ store, bus, clock, onError }: StreamsOptions): Streams {
  const channels = new Map<string, Live<Channel>>()
  const sessions = new Map<string, Live<Set<EventStream>>>()
  const heartbeat = createHeartbeat(clock)
  /** Whether the store has failed to answer the sweep: whoever listens here would not hear of what other nodes write. */
  let storeUnreachable = false
  let isClosed = false

  const channelOf = (conversationId: string): Channel => {
    const found = channels.get(conversationId)
    if (found) return found.value
    const value = createChannel(conversationId, store)
    const unsubscribe = bus.subscribe(conversationSubject(conversationId), event => {
      if (event.type === 'stored') value.pull().catch(onError)
      if (event.type === 'ephemeral' && !storeUnreachable) value.forward(event.event)
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

  /** Lets go of a channel or session that no stream is left of. */
  const release = <Value>(
    map: Map<string, Live<Value>>,
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
    async open({ hash, conversationId }, { after, nonce, onOverflow = () => {} }) {
      const oldest = sessions.get(hash)?.value
      if (oldest && oldest.size >= maxStreamsPerToken) [...oldest][0]?.close()
      // Subscribed first, replayed then: what is stored in between is heard of, and sent once.
      const channel = channelOf(conversationId)
      const own = streamsOf(hash)
      const stream = createEventStream({
        firstEvent: nonce === undefined ? undefined : encodeEvent({ event: 'opened', data: { nonce } }),
        onOverflow,
        onClose() {
          heartbeat.remove(beating)
          release(channels, conversationId, channel.streams, stream)
          release(sessions, hash, own, stream)
        },
      })
      // A client that hears nothing takes the connection for dead, and comes back by way of a node that sees the store.
      const beating = { beat: () => storeUnreachable || stream.beat() }
      own.add(stream)
      heartbeat.add(beating)
      // Asked for before the node stopped taking requests: all others have been told by now.
      if (isClosed) {
        stream.close(jitteredRetry())
        return stream
      }
      await channel.join(stream, after).catch(error => {
        stream.close()
        throw error
      })
      // The token was checked before the subscription: an end in between is told by nobody else until the sweep.
      const session = await store.findSession(hash)
      if (!session || session.ended) end({ hash, reason: session?.ended?.reason ?? 'contact_deleted' })
      // Not awaited: the replay begins when the stream flows, and goes on as it is read.
      channel
        .replay(stream)
        .then(() => bus.publish(conversationSubject(conversationId), { type: 'joined' }))
        .catch(error => {
          stream.close()
          onError(error)
        })
      return stream
    },

    async sweep() {
      if (sessions.size === 0) return
      const live = {
        conversations: Array.from(channels.values(), ({ value }) => value.position()),
        hashes: [...sessions.keys()],
        now: timestamp(clock.now()),
      }
      const { conversations, ended } = await store.sweep(live).catch(error => {
        storeUnreachable = true
        throw error
      })
      storeUnreachable = false
      for (const session of ended) end(session)
      for (const found of conversations) await channels.get(found.id)?.value.reconcile(found)
    },

    count() {
      let open = 0
      for (const { value } of sessions.values()) open += value.size
      return open
    },

    async close(overMs = 0) {
      for (let steps = Math.ceil(overMs / stepMs); ; steps--) {
        const open = Array.from(sessions.values(), ({ value }) => [...value]).flat()
        // Those that have opened meanwhile, too.
        for (const stream of open.slice(0, Math.ceil(open.length / (steps + 1)))) stream.close(jitteredRetry())
        if (steps === 0) {
          isClosed = true
          return
        }
        await new Promise<void>(resolve => void clock.setTimeout(resolve, stepMs))
      }
    },
  }
}

/** So many streams end together as are due in this time. */
const stepMs = 100

/** Clients of a node that goes away must not all come back in the same moment. */
const jitteredRetry = (): number => 500 + Math.floor(Math.random() * 4500)
