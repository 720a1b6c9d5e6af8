import type { ConversationEvent } from '../api/eventStream.ts'
import type { Connection, TabParticipant } from '../models/conversation/eventConnection.ts'
import { type SharedModels, TabSync } from './tabSync.ts'
import { browserTabTransport, type TabMessage, type TabTransport } from './tabTransport.ts'

/**
 * A new tab waits for a leader's answer for half of this to all of it, and then steals the lock: a leader that was alone has
 * not loaded this chunk and can't answer.
 */
const answerMs = 500
/** A leader silent for this long is dead, frozen, or has no stream: the platform sends something every 15 s. */
const silenceMs = 20_000
/** At least so long between two heartbeats, however much the stream brings. */
const heartbeatMs = 1000

/**
 * Shares one event stream among the tabs of an origin. The leader holds the stream and sends the outbox; the others take
 * the events from it. Nobody trusts the leader: it says how far it is, and a tab that is behind asks the platform.
 *
 * Leadership is a lock. The browser passes it on when its tab ends. It is stolen by a visible tab from one that is hidden
 * or silent, and by a tab in which something is sent.
 */
export function coordinateTabs(
  participant: TabParticipant,
  shared: SharedModels,
  transport: TabTransport = browserTabTransport,
): void {
  if (!participant.abortSignal.aborted) new TabCoordinator(participant, shared, transport).start()
}

class TabCoordinator {
  readonly #participant: TabParticipant
  readonly #shared: SharedModels
  readonly #transport: TabTransport
  readonly #channel: ReturnType<TabTransport['openChannel']>
  readonly #tabSync: TabSync

  #isLeader = false
  /** Ends the wait for leadership, or leadership itself. */
  #lockRequest = new AbortController()
  /** What is known of another tab that leads. */
  #isLeaderSilent = false
  #isLeaderHidden = false
  #cancelSilenceTimer = () => {}
  #lastHeartbeatAt = 0
  #lastConnection: Connection | undefined

  constructor(participant: TabParticipant, shared: SharedModels, transport: TabTransport) {
    this.#participant = participant
    this.#shared = shared
    this.#transport = transport
    this.#channel = transport.openChannel(participant.channelName, message => this.#onMessage(message))
    this.#tabSync = new TabSync(shared, participant, this.#channel.post, () => {
      if (!this.#isLeader) this.#requestLeadership({ steal: true })
    })
  }

  start(): void {
    const { clock, page } = this.#shared
    const { abortSignal } = this.#participant
    // Not at once: a browser that restores ten tabs would have each of them steal from the one before.
    this.#cancelSilenceTimer = clock.setTimeout(
      () => this.#requestLeadership({ steal: true }),
      answerMs * (0.5 + clock.random() / 2),
    )
    const stopWatching = page.on('visibilitychange', () => {
      if (this.#isLeader) this.#sendHeartbeat()
      else this.#stealIfBetter()
    })
    abortSignal.addEventListener('abort', () => {
      this.#lockRequest.abort(0)
      this.#cancelSilenceTimer()
      stopWatching()
      this.#tabSync.stop()
      this.#channel.close()
    })
    this.#tabSync.readStored()
    this.#requestLeadership({ steal: false })
    this.#channel.post({ type: 'hello' })
  }

  /** Asks for the lock: now, or when its holder ends. */
  #requestLeadership({ steal }: { steal: boolean }): void {
    this.#lockRequest.abort(0)
    this.#lockRequest = new AbortController()
    const { signal } = this.#lockRequest
    const { channelName } = this.#participant
    let wasGranted = false
    this.#transport
      .requestLock(channelName, steal ? { steal } : { signal }, async () => {
        if (signal.aborted) return
        wasGranted = this.#isLeader = true
        this.#cancelSilenceTimer()
        this.#sendHeartbeat()
        this.#tabSync.readStored()
        await this.#lead(signal)
        // The stream has ended by itself: the platform has ended the session.
        if (!signal.aborted) this.#isLeader = false
      })
      .catch(() => {
        if (signal.aborted) return
        if (wasGranted) this.#onStolen()
        else this.#leadWithoutLock(signal)
      })
  }

  #onStolen(): void {
    this.#follow()
    this.#requestLeadership({ steal: false })
    this.#channel.post({ type: 'hello' })
  }

  /** A sandboxed frame has no locks: every tab leads. */
  #leadWithoutLock(signal: AbortSignal): void {
    this.#isLeader = true
    void this.#lead(signal)
  }

  #lead(signal: AbortSignal): Promise<void> {
    return this.#participant.runAsLeader(signal, event => this.#onActivity(event))
  }

  /** Another tab leads and has just given a sign of life. */
  #follow(): void {
    this.#isLeader = this.#isLeaderSilent = false
    this.#cancelSilenceTimer()
    this.#cancelSilenceTimer = this.#shared.clock.setTimeout(() => {
      this.#isLeaderSilent = true
      this.#stealIfBetter()
    }, silenceMs)
  }

  /** A visible tab leads better than one that is hidden or silent. */
  #stealIfBetter(): void {
    const isLeaderBad = this.#isLeaderSilent || this.#isLeaderHidden
    if (!this.#isLeader && isLeaderBad && !this.#transport.isHidden()) this.#requestLeadership({ steal: true })
  }

  #sendHeartbeat(): void {
    this.#lastHeartbeatAt = this.#shared.clock.now()
    this.#lastConnection = this.#shared.conversation.connection.peek()
    this.#channel.post({
      type: 'heartbeat',
      connection: this.#lastConnection,
      lastSeq: this.#lastSeq(),
      isHidden: this.#transport.isHidden(),
    })
  }

  /** The leader's stream has brought an event, or a sign of life. */
  #onActivity(event?: ConversationEvent): void {
    if (event) {
      // All tabs hear of the session's end through storage. Heard twice, it would end the next session, too.
      if (event.event !== 'session.ended') this.#channel.post({ type: 'event', event })
      return
    }
    const { clock, conversation } = this.#shared
    const hasChanged = this.#lastConnection !== conversation.connection.peek()
    if (!hasChanged && clock.now() - this.#lastHeartbeatAt < heartbeatMs) return
    this.#sendHeartbeat()
    // A tab may have written something and died before it could send it.
    void conversation.outbox.flush()
  }

  #onMessage(message: TabMessage): void {
    this.#tabSync.onMessage(message)
    if (message.type === 'hello' && this.#isLeader) this.#welcome()
    // While one tab takes over from another, both lead for a moment.
    if (this.#isLeader) return
    if (message.type === 'event') {
      this.#follow()
      this.#participant.onEvent(message.event)
    }
    if (message.type === 'heartbeat') {
      this.#follow()
      this.#isLeaderHidden = message.isHidden
      this.#participant.setConnection(message.connection)
      if (message.lastSeq > this.#lastSeq()) this.#participant.onEvent({ event: 'reset', data: {} })
      this.#stealIfBetter()
    }
  }

  /** Tells a new tab what no request would tell it. */
  #welcome(): void {
    const { reply } = this.#shared.conversation
    const streaming = reply.streaming.peek()
    const typing = reply.typing.peek()
    this.#sendHeartbeat()
    this.#tabSync.sendPending()
    if (streaming) this.#onActivity({ event: 'message.delta', data: { ...streaming, offset: 0 } })
    if (typing) this.#onActivity({ event: 'typing', data: typing })
  }

  #lastSeq(): number {
    return this.#shared.conversation.messageStore.lastSeq()
  }
}
