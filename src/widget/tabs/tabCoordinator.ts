import type { ConversationEvent } from '../api/eventStream.ts'
import type { Connection, TabParticipant } from '../conversation/eventConnection.ts'
import { type SharedModels, TabSync } from './tabSync.ts'
import { browserTabTransport, type TabMessage, type TabTransport } from './tabTransport.ts'

/**
 * A new tab steals the lock if no leader has answered within this time, or, by chance, within as little as half of it. A
 * tab that was alone until now is a leader that can't answer, because it has not loaded this chunk.
 */
const helloTimeoutMs = 500
/**
 * A leader that has sent nothing for this long is dead, frozen, or has no stream: on a live stream the platform sends at
 * least a comment every 15 s.
 */
const leaderTimeoutMs = 20_000
/** The minimum time between two heartbeats, however many events arrive. */
const heartbeatIntervalMs = 1000

/** Makes a tab fetch the messages from the platform. */
const resetEvent: ConversationEvent = { event: 'reset', data: {} }

/**
 * Shares one event stream among the tabs of an origin. The leader holds the stream and sends the outbox; the other tabs get
 * the events from it. They do not rely on getting every event: each heartbeat contains the leader's last `seq` and revision, and
 * a tab that is behind fetches the messages from the platform.
 *
 * Leadership is a Web Lock. When its tab closes, the browser gives the lock to the next tab. A visible tab steals the lock
 * from a leader that is hidden or silent, and so does a tab in which the visitor sends a message.
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
  /** Aborting it ends the wait for the lock, or the leadership. */
  #lockRequest = new AbortController()
  /** The state of the current leader, if it is another tab. */
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
    // Don't steal at once: if a browser restores ten tabs, each would steal the lock from the one before.
    this.#cancelSilenceTimer = clock.setTimeout(
      () => this.#requestLeadership({ steal: true }),
      helloTimeoutMs * (0.5 + clock.random() / 2),
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
    this.#tabSync.readCache()
    this.#requestLeadership({ steal: false })
    this.#channel.post({ type: 'hello' })
  }

  /** Requests the lock. With `steal` it is granted at once, otherwise when its holder releases it. */
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
        this.#tabSync.readCache()
        await this.#lead(signal)
        // The stream is over although nothing was aborted: the platform has ended the session.
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

  /** In a sandboxed frame there are no locks, so every tab leads. */
  #leadWithoutLock(signal: AbortSignal): void {
    this.#isLeader = true
    // Nobody can answer the `hello`. The timer would end this leadership and open the stream a second time.
    this.#cancelSilenceTimer()
    void this.#lead(signal)
  }

  #lead(signal: AbortSignal): Promise<void> {
    return this.#participant.runAsLeader(signal, event => this.#onActivity(event))
  }

  /** Called when another tab is the leader and something has just arrived from it. */
  #follow(): void {
    this.#isLeader = this.#isLeaderSilent = false
    this.#cancelSilenceTimer()
    this.#cancelSilenceTimer = this.#shared.clock.setTimeout(() => {
      this.#isLeaderSilent = true
      this.#stealIfBetter()
    }, leaderTimeoutMs)
  }

  /** Replaces a leader that is hidden or silent, if this tab is visible. */
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
      lastSeq: this.#messageStore.lastSeq(),
      revision: this.#messageStore.revision(),
      isHidden: this.#transport.isHidden(),
    })
  }

  /** Called in the leader with each event of its stream, and without one at each other sign that the stream is alive. */
  #onActivity(event?: ConversationEvent): void {
    if (event) {
      // Other tabs notice the end of the session in storage. Getting this event as well, they would end the next session,
      // too.
      if (event.event !== 'session.ended') this.#channel.post({ type: 'event', event })
      return
    }
    const { clock, conversation } = this.#shared
    const hasChanged = this.#lastConnection !== conversation.connection.peek()
    if (!hasChanged && clock.now() - this.#lastHeartbeatAt < heartbeatIntervalMs) return
    this.#sendHeartbeat()
    // Another tab may have put a message into the outbox and died before it could send it.
    void conversation.outbox.flush()
  }

  #onMessage(message: TabMessage): void {
    this.#tabSync.onMessage(message)
    if (message.type === 'hello' && this.#isLeader) this.#welcome()
    // While the leadership passes from one tab to another, both may be leaders for a moment.
    if (this.#isLeader) return
    if (message.type === 'event') {
      this.#follow()
      this.#participant.onEvent(this.#missesChangesBefore(message.event) ? resetEvent : message.event)
    }
    if (message.type === 'heartbeat') {
      this.#follow()
      this.#isLeaderHidden = message.isHidden
      this.#participant.setConnection(message.connection)
      const isBehind =
        message.lastSeq > this.#messageStore.lastSeq() || message.revision > this.#messageStore.revision()
      if (isBehind) this.#participant.onEvent(resetEvent)
      this.#stealIfBetter()
    }
  }

  /** Whether the leader has posted earlier changes before this tab could receive them. */
  #missesChangesBefore({ event, data }: ConversationEvent): boolean {
    return event === 'message.changed' && data.revision > this.#messageStore.revision() + 1
  }

  /** Sends a new tab the state that it can't fetch from the platform. */
  #welcome(): void {
    const { reply } = this.#shared.conversation
    const streaming = reply.streaming.peek()
    const typing = reply.typing.peek()
    this.#sendHeartbeat()
    this.#tabSync.sendPending()
    if (streaming) this.#onActivity({ event: 'message.delta', data: { ...streaming, offset: 0 } })
    if (typing) this.#onActivity({ event: 'typing', data: typing })
  }

  get #messageStore() {
    return this.#shared.conversation.messageStore
  }
}
