import type { DeskConversation, DeskEvent } from '../../contract/desk.ts'
import type { Bus } from '../bus/bus.ts'
import type { Clock } from '../clock.ts'
import { viewerOf } from '../domain/deskPresence.ts'
import { listVisibleBots } from '../domain/members.ts'
import { deskSubject, memberSessionSubject, teamSubject } from '../domain/subjects.ts'
import { timestamp } from '../domain/time.ts'
import type { SignedInMember, Store } from '../store/store.ts'
import { type EventStream, encodeEvent, type StreamingBody } from './eventStream.ts'
import { createOpenStreams, createStreamGroups } from './openStreams.ts'
import { createViewers } from './viewers.ts'

/** All open event streams of members on this node. */
export type DeskStreams = ReturnType<typeof createDeskStreams>

export interface DeskStreamsOptions {
  /** Serves open streams, which outlive the requests that open them. */
  backgroundStore: Pick<
    Store,
    'findDeskConversation' | 'listBots' | 'listChangedDeskConversations' | 'findEndedMemberSessions' | 'touchMembers'
  >
  /** Serves requests that open a stream. Its calls end at the deadline of the request. */
  requestStore: Pick<Store, 'listBots' | 'findMemberSession'>
  bus: Bus
  clock: Clock
  onError: (error: unknown) => void
}

interface DeskStream extends EventStream {
  /** Whether the stream has been sent what its client had missed. */
  isCaughtUp: boolean
}

/** A further stream closes the oldest one of the member. */
export const maxStreamsPerMember = 40
/** The most open streams of members on this node. */
const maxStreams = 2000

/** The most conversations of a replay. A stream that has missed more gets `reset`. */
export const maxReplay = 200
/**
 * What is asked for begins this long before what is known. A change gets its time up to five seconds before its commit, and
 * the clocks of nodes may differ by two.
 */
export const overlapMs = 8_000

/** Hints that come within this time cause one read of their conversation. */
const coalesceMs = 20
/** A read that has failed is repeated after this time. */
const rereadMs = 1_000
/** Each conversation is one read. More would take connections from the node's other calls. */
const maxConcurrentReads = 4
/** The number of conversations of which this node knows what it has sent. A repeated event is harmless. */
const maxRemembered = 10_000

const botIdsOf = async (store: Pick<Store, 'listBots'>, member: SignedInMember): Promise<string[]> =>
  (await listVisibleBots(store, member)).map(({ id }) => id)

export function createDeskStreams({ backgroundStore, requestStore, bus, clock, onError }: DeskStreamsOptions) {
  const openStreams = createOpenStreams(clock)
  const sessions = createStreamGroups<DeskStream>(hash =>
    bus.subscribe(memberSessionSubject(hash), event => {
      if (event.type === 'ended') end(hash)
    }),
  )
  const memberStreams = createStreamGroups<DeskStream>(() => () => {})
  const bots = createStreamGroups<DeskStream>(botId =>
    bus.subscribe(deskSubject(botId), event => {
      if (event.type === 'conversation') readSoon(event.conversationId, botId)
    }),
  )
  const teams = createStreamGroups<DeskStream>(organizationId =>
    bus.subscribe(teamSubject(organizationId), event => {
      if (event.type === 'typing') sendTo(bots.of(event.botId), { event: 'typing', data: event.typing })
      if (event.type === 'viewing') viewers.hear(event.viewing)
    }),
  )
  const viewers = createViewers(clock, ({ conversation, members }) =>
    sendTo(bots.of(conversation.botId), { event: 'viewers', data: { conversationId: conversation.id, members } }),
  )
  /** The version of conversations as it was sent last, in the order of sending. */
  const sentVersions = new Map<string, number>()
  /** All streams that have caught up have been sent what was committed before. */
  let position = clock.now()
  /** Whether the last sweep failed. Then streams of this node may miss what other nodes write. */
  let storeUnreachable = false

  /** The bots of conversations, by their ids. */
  const hinted = new Map<string, string>()
  let readers = 0
  let isReadScheduled = false

  const readSoon = (conversationId: string, botId: string): void => {
    hinted.set(conversationId, botId)
    if (isReadScheduled) return
    isReadScheduled = true
    clock.setTimeout(() => {
      isReadScheduled = false
      for (let needed = hinted.size; needed > 0 && readers < maxConcurrentReads; needed--) void readHinted()
    }, coalesceMs)
  }

  /** Also reads what is hinted at meanwhile. */
  const readHinted = async (): Promise<void> => {
    readers++
    for (const [conversationId, botId] of hinted) {
      hinted.delete(conversationId)
      const found = await backgroundStore.findDeskConversation(conversationId).catch(onError)
      if (found) sendIfNew(found)
      if (found === null) sendTo(bots.of(botId), { event: 'gone', data: { conversationId } })
      // After an error. The sweep finds what has changed, but not what was erased.
      if (found === undefined && bots.of(botId).length > 0)
        clock.setTimeout(() => readSoon(conversationId, botId), rereadMs)
    }
    readers--
  }

  const sendIfNew = (conversation: DeskConversation): void => {
    const { id, botId, version } = conversation
    if ((sentVersions.get(id) ?? -1) >= version) return
    sentVersions.delete(id)
    sentVersions.set(id, version)
    const [oldest] = sentVersions.size > maxRemembered ? sentVersions.keys() : []
    if (oldest !== undefined) sentVersions.delete(oldest)
    sendTo(bots.of(botId), { event: 'conversation', data: conversation })
  }

  /** A stream that has not caught up gets no id: its client would not ask again for what it has missed. */
  const sendTo = (streams: DeskStream[], event: DeskEvent): void => {
    if (streams.length === 0) return
    const encoded = encodeEvent(event)
    const withPosition = encodeEvent(event, timestamp(position))
    for (const stream of streams) stream.send(stream.isCaughtUp ? withPosition : encoded)
  }

  const end = (sessionHash: string): void => {
    for (const stream of sessions.of(sessionHash)) {
      stream.send(encodeEvent({ event: 'session.ended', data: {} }))
      stream.close()
    }
  }

  const endSessions = async (): Promise<void> => {
    const now = timestamp(clock.now())
    for (const hash of await backgroundStore.findEndedMemberSessions(sessions.keys(), now)) end(hash)
  }

  /** Sends a stream what has changed since, as fast as its client reads. */
  const replay = async (stream: DeskStream, botIds: string[], since: number): Promise<void> => {
    const from = timestamp(since - overlapMs)
    const missed = await backgroundStore.listChangedDeskConversations(botIds, from, maxReplay + 1)
    const isTooMuch = missed.length > maxReplay
    for (const { conversation, changedAt } of isTooMuch ? [] : missed) {
      await stream.drained()
      stream.send(encodeEvent({ event: 'conversation', data: conversation }, changedAt))
    }
    stream.isCaughtUp = true
    if (isTooMuch) sendTo([stream], { event: 'reset', data: {} })
  }

  /** Sends what has changed since the last sweep, and was not sent yet. */
  const sendChanges = async (): Promise<void> => {
    let since = timestamp(position - overlapMs)
    for (;;) {
      const page = await backgroundStore.listChangedDeskConversations(bots.keys(), since, maxReplay)
      for (const { conversation } of page) sendIfNew(conversation)
      const last = page.at(-1)
      if (!last || page.length < maxReplay) return
      // Those at the same time may be on either side of the end of the page.
      const next = timestamp(Date.parse(last.changedAt) - 1)
      if (next === since) return sendTo(teams.keys().flatMap(teams.of), { event: 'reset', data: {} })
      since = next
    }
  }

  return {
    /**
     * Opens a stream of what changes in the conversations of the member's bots from now on, or from `since`, the `id:` of an
     * event. It is closed when the member has other bots. Resolves to `node_full` if too many streams are open.
     */
    async open(
      member: SignedInMember,
      {
        page,
        since = position,
        onOverflow = () => {},
      }: { page: string; since?: number | undefined; onOverflow?: () => void },
    ): Promise<StreamingBody | 'node_full'> {
      const { sessionHash, organizationId } = member
      const botIds = await botIdsOf(requestStore, member)
      const ofMember = memberStreams.of(member.id)
      if (ofMember.length >= maxStreamsPerMember) ofMember[0]?.close()
      if (openStreams.count() >= maxStreams) return 'node_full'
      const from = Math.min(since, position)
      const created = openStreams.create({
        firstEvent: encodeEvent({ event: 'heartbeat', data: {} }, timestamp(from)),
        onHeartbeat() {
          const viewing = viewers.find(viewerOf(member, page))
          if (viewing) bus.publish(teamSubject(organizationId), { type: 'viewing', viewing })
          // Without heartbeats a client reconnects, perhaps to a node that reaches the store.
          if (!storeUnreachable) sendTo([stream], { event: 'heartbeat', data: {} })
          // The client opens another stream, with the bots that there are now.
          botIdsOf(backgroundStore, member).then(now => now.join() === botIds.join() || stream.close(), onError)
        },
        onOverflow,
        onClose() {
          sessions.delete(sessionHash, stream)
          memberStreams.delete(member.id, stream)
          teams.delete(organizationId, stream)
          for (const botId of botIds) bots.delete(botId, stream)
        },
      })
      const stream: DeskStream = Object.assign(created, { isCaughtUp: false })
      // Subscribe before the replay, so that nothing stored in between is missed.
      sessions.add(sessionHash, stream)
      memberStreams.add(member.id, stream)
      teams.add(organizationId, stream)
      for (const botId of botIds) bots.add(botId, stream)
      if (openStreams.refuseIfClosed(stream)) return stream
      try {
        // The session may have ended between the check of the cookie and the subscription.
        if (!(await requestStore.findMemberSession(sessionHash, timestamp(clock.now())))) end(sessionHash)
      } catch (error) {
        stream.close()
        throw error
      }
      for (const { conversation, members } of viewers.list(botIds))
        sendTo([stream], { event: 'viewers', data: { conversationId: conversation.id, members } })
      // Not awaited: the replay runs as the client reads.
      replay(stream, botIds, from).catch(error => {
        stream.close()
        onError(error)
      })
      return stream
    },

    /** Asks the store for what the bus has lost, once for all open streams. */
    async sweep(): Promise<void> {
      viewers.expire()
      const startedAt = clock.now()
      if (openStreams.count() > 0) {
        try {
          await Promise.all([endSessions(), sendChanges()])
          storeUnreachable = false
        } catch (error) {
          storeUnreachable = true
          throw error
        }
      }
      position = startedAt
    },

    /** Records which members are at the desk. Call it every `presenceRoundMs`. */
    async recordPresence(): Promise<void> {
      const memberIds = memberStreams.keys()
      if (memberIds.length > 0) await backgroundStore.touchMembers(memberIds, timestamp(clock.now()))
    },

    /** The number of open streams. */
    count: openStreams.count,

    /** Tells every client to reconnect, and ends its stream: all at once, or spread over `overMs`. */
    close: openStreams.close,
  }
}
