import type { StreamEvent } from '../../contract/index.ts'
import type { Connection, TabParticipant } from '../models/conversation/eventConnection.ts'
import { createTabSync, type Shared } from './tabSync.ts'
import { browserTabTransport, type TabMessage, type TabTransport } from './tabTransport.ts'

/** So long, or half as long, a tab that has come waits for an answer: the one that leads may not have loaded this part. */
const answerMs = 500
/** After so long without a beat the tab that leads is dead, frozen, or has no stream; the platform says something every 15 s. */
const silenceMs = 20_000
/** Beats come no faster, however much the stream brings. */
const beatMs = 1000

/**
 * Shares one stream among the tabs of an origin: one leads, which holds the stream and sends what waits; the others take
 * from it what comes. Nothing is true because the tab that leads says so: it says how far it is, and who is behind asks
 * the platform. Leading is a lock: it passes on when its tab ends, and is taken by a tab that the visitor looks at from
 * one that is hidden or silent, and by one in which something is sent.
 */
export function coordinateTabs(
  participant: TabParticipant,
  shared: Shared,
  transport: TabTransport = browserTabTransport,
): void {
  const { name, abortSignal } = participant
  if (abortSignal.aborted) return
  const { clock, conversation, page } = shared
  const channel = transport.open(name, hear)
  const { say } = channel
  const tabSync = createTabSync(shared, participant, say, () => isLeader || take(true))
  let turn = new AbortController()
  let isLeader = false
  let silent = false
  let leaderHidden = false
  let lastHeartbeatAt = 0
  let told: Connection | undefined
  // Not all that a browser restores at once.
  let cancelTimer = clock.setTimeout(() => take(true), answerMs * (0.5 + clock.random() / 2))

  const lastSeq = () => conversation.messageStore.messages.peek().at(-1)?.seq ?? 0

  /** Waits for its turn, or doesn't. */
  function take(steal: boolean) {
    turn.abort(0)
    turn = new AbortController()
    const { signal } = turn
    let granted = false
    transport
      .hold(name, steal ? { steal } : { signal }, async () => {
        if (signal.aborted) return
        granted = isLeader = true
        cancelTimer()
        heartbeat()
        tabSync.catchUp()
        await participant.lead(signal, tell)
        // The platform wants no stream: another tab may try.
        if (!signal.aborted) isLeader = false
      })
      .catch(() => {
        if (signal.aborted) return
        if (granted) {
          // Another tab has taken over.
          listen()
          take(false)
          say({ is: 'hello' })
        } else {
          // In a sandboxed frame there are no locks: every tab leads.
          isLeader = true
          void participant.lead(signal, tell)
        }
      })
  }

  function claim() {
    if (!isLeader && (silent || leaderHidden) && !transport.hidden()) take(true)
  }

  function listen() {
    isLeader = silent = false
    cancelTimer()
    cancelTimer = clock.setTimeout(() => {
      silent = true
      claim()
    }, silenceMs)
  }

  function heartbeat() {
    lastHeartbeatAt = clock.now()
    told = conversation.connection.peek()
    say({ is: 'heartbeat', connection: told, seq: lastSeq(), hidden: transport.hidden() })
  }

  function tell(event?: StreamEvent) {
    // Of the session's end all tabs hear through storage; twice told it would end twice.
    if (event) return event.event !== 'session.ended' && say({ is: 'event', event })
    if (told === conversation.connection.peek() && clock.now() - lastHeartbeatAt < beatMs) return
    heartbeat()
    // Of a tab that wanted to send it and has died.
    void conversation.outbox.flush()
  }

  function hear(tabMessage: TabMessage) {
    tabSync.hear(tabMessage)
    if (tabMessage.is === 'hello' && isLeader) {
      heartbeat()
      tabSync.tellAll()
      const streamingReply = conversation.reply.streaming.peek()
      const author = conversation.reply.typing.peek()
      if (streamingReply) tell({ event: 'message.delta', data: { ...streamingReply, offset: 0 } })
      if (author) tell({ event: 'typing', data: { author } })
    }
    // Two lead for a moment while one takes over.
    if (isLeader) return
    if (tabMessage.is === 'event') {
      listen()
      participant.hear(tabMessage.event)
    }
    if (tabMessage.is === 'heartbeat') {
      listen()
      leaderHidden = tabMessage.hidden
      participant.setConnection(tabMessage.connection)
      if (tabMessage.seq > lastSeq()) participant.hear({ event: 'reset', data: {} })
      claim()
    }
  }

  const unwatch = page.on('visibilitychange', () => (isLeader ? heartbeat() : claim()))
  abortSignal.addEventListener('abort', () => {
    turn.abort(0)
    cancelTimer()
    unwatch()
    tabSync.end()
    channel.close()
  })
  tabSync.catchUp()
  take(false)
  say({ is: 'hello' })
}
