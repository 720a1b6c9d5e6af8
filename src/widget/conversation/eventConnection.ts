import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals-core'
import type { ConversationEvent } from '../api/eventStream.ts'
import { untilAborted } from '../async/timing.ts'
import type { SessionScope } from '../identity/sessionScope.ts'
import type { Deps } from './deps.ts'
import { MessagePoller } from './messagePoller.ts'
import { updateState } from './updateState.ts'

/**
 * - `idle`: there is no session to connect for.
 * - `polling`: no stream can be opened, and messages are fetched instead.
 * - `offline`: `navigator.onLine` is false, and the last request got no response.
 */
export type Connection = 'idle' | 'connecting' | 'live' | 'reconnecting' | 'polling' | 'offline'

/** One tab's connection, as the code that shares one event stream among tabs sees it. */
export interface TabParticipant {
  /** Unique for each bot and session, so all tabs on a channel belong to the same visitor. */
  readonly channelName: string
  readonly epoch: string
  readonly abortSignal: AbortSignal
  /**
   * Holds the stream and sends the outbox until `abortSignal` aborts. `onActivity` is called with each event, and without
   * one when anything else shows that the connection works.
   */
  runAsLeader(abortSignal: AbortSignal, onActivity?: (event?: ConversationEvent) => void): Promise<void>
  /** Handles an event that the leader has passed on. */
  onEvent(event: ConversationEvent): void
  setConnection(connection: Connection): void
}

export interface EventConnectionDeps extends Pick<Deps, 'api' | 'backoff' | 'clock' | 'page'> {
  /** The epoch is appended. */
  channelPrefix: string
  /** Shares one stream with the other tabs. Rejects if the chunk for that can't be loaded. */
  joinTabs(participant: TabParticipant): Promise<void>
  lastSeq(): number
  revision(): number
  /** Resolves when the newest messages are loaded. The stream continues after them. */
  caughtUp(): Promise<void> | void
  /** Fetches new messages. Resolves to whether the platform responded. */
  poll(scope: SessionScope): Promise<boolean>
  onEvent(scope: SessionScope, event: ConversationEvent): void
  /** Called when this tab becomes the leader, until `abortSignal` aborts. */
  onLead(abortSignal: AbortSignal): void
}

/** The connection that receives events: one stream for all tabs of the origin, if the browser has Web Locks. */
export class EventConnection {
  readonly #deps: EventConnectionDeps
  /** The state of the stream or poller. It ignores `navigator.onLine`. */
  readonly #transport = signal<Connection>('idle')
  /** `navigator.onLine`. It is only a hint: some browsers report `false` although the network works. */
  readonly #isHintedOnline: Signal<boolean>
  readonly #isReachable = signal(true)
  #poller: MessagePoller | undefined
  /** Ends the current connection. */
  #controller = new AbortController()
  /** Settles when this tab has released its last lock. */
  #lockReleased: Promise<unknown> = Promise.resolve()

  readonly connection: ReadonlySignal<Connection> = computed(() =>
    this.#isHintedOnline.value || this.#isReachable.value ? this.#transport.value : 'offline',
  )

  constructor(deps: EventConnectionDeps) {
    this.#deps = deps
    this.#isHintedOnline = signal(deps.page.online())
  }

  /** Connects if the scope has a token. Without one there is no conversation on the platform yet. */
  connect(scope: SessionScope): void {
    this.disconnect()
    if (scope.abortSignal.aborted) return
    if (!scope.token) {
      this.#probeIfOffline()
      return
    }
    this.#setTransport('connecting')
    void this.#leadOrJoin(scope, this.#controller.signal)
  }

  disconnect(): void {
    this.#endConnection()
    this.#setTransport('idle')
  }

  /** Takes over `navigator.onLine`. */
  setOnline(isOnline: boolean): void {
    updateState(() => {
      this.#isHintedOnline.value = isOnline
    })
  }

  setReachable(isReachable: boolean): void {
    updateState(() => {
      this.#isReachable.value = isReachable
    })
  }

  /** Polls soon, if messages are polled: the visitor has sent a message and waits for a reply. */
  expectReply(): void {
    this.#poller?.pollSoon()
  }

  /** Checks with a request whether `navigator.onLine` is right. With a token, opening the stream shows that. */
  #probeIfOffline(): void {
    if (!this.#isHintedOnline.peek()) void this.#deps.api.probe({ token: null, abortSignal: this.#controller.signal })
  }

  /** Ends the current connection. Returns the signal for the next one. */
  #endConnection(): AbortSignal {
    // Without a reason the browser creates an error, whose stack keeps the scope in memory. So does the poller.
    this.#controller.abort(0)
    this.#controller = new AbortController()
    this.#poller = undefined
    return this.#controller.signal
  }

  #setTransport(next: Connection): void {
    if (next === this.#transport.peek()) return
    updateState(() => {
      this.#transport.value = next
    })
    if (next === 'live') this.#deps.backoff.retryNow()
  }

  /** Opens the stream at once if no other tab is open. Otherwise, or when another tab opens later, shares one stream. */
  async #leadOrJoin(scope: SessionScope, abortSignal: AbortSignal): Promise<void> {
    const { channelPrefix, page, joinTabs, onEvent } = this.#deps
    const channelName = channelPrefix + scope.epoch
    const runAsLeader: TabParticipant['runAsLeader'] = (...args) => this.#lead(scope, ...args)
    // The browser releases our last lock a moment after its callback has ended. Until then it looks like another tab's.
    await this.#lockReleased
    if (abortSignal.aborted) return
    const leadership = page.withLeaderLock(channelName, () =>
      // Release the lock on abort, even if the history or a chunk is still loading.
      Promise.race([runAsLeader(abortSignal), untilAborted(abortSignal)]),
    )
    this.#lockReleased = leadership
    if ((await leadership) === 'ended' || abortSignal.aborted) return

    // Another tab is open, so `tabs/` decides from now on which tab leads. This ends our own leadership.
    const participant: TabParticipant = {
      channelName,
      epoch: scope.epoch,
      abortSignal: this.#endConnection(),
      runAsLeader,
      onEvent: event => onEvent(scope, event),
      setConnection: next => this.#setTransport(next),
    }
    try {
      await joinTabs(participant)
    } catch {
      // Open a second stream: that is better than none.
      await runAsLeader(participant.abortSignal)
    }
  }

  async #lead(
    scope: SessionScope,
    abortSignal: AbortSignal,
    onActivity?: (event?: ConversationEvent) => void,
  ): Promise<void> {
    const { api, lastSeq, revision, onEvent, onLead, caughtUp } = this.#deps
    // The lock may be granted after the session has ended.
    if (abortSignal.aborted) return
    onLead(abortSignal)
    await caughtUp()
    if (abortSignal.aborted) return
    const poller = new MessagePoller(this.#deps, abortSignal, async () => {
      const hasResponded = await this.#deps.poll(scope)
      // Meanwhile the session may have ended, or the stream may have become live.
      if (abortSignal.aborted || this.#transport.peek() === 'live') return
      if (hasResponded) this.#setTransport('polling')
      else if (this.#transport.peek() === 'polling') this.#setTransport('reconnecting')
      onActivity?.()
    })
    this.#poller = poller
    poller.start()
    await api.streamEvents(
      { token: scope.token, abortSignal },
      {
        after: lastSeq,
        revision,
        onEvent(event) {
          onEvent(scope, event)
          onActivity?.(event)
        },
        onInterrupted: () => poller.start(),
        onConnection: next => {
          if (abortSignal.aborted) return
          if (next === 'live') poller.stop()
          // There is no stream, but polling works, so the visitor need not know.
          else if (this.#transport.peek() === 'polling') return
          this.#setTransport(next)
          onActivity?.()
        },
      },
    )
  }
}
