import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals-core'
import type { ConversationEvent } from '../../api/eventStream.ts'
import type { Deps, SessionScope } from '../session/sessionScope.ts'
import { updateState } from '../updateState.ts'
import { MessagePoller } from './messagePoller.ts'

/**
 * `idle` before anything is needed; `polling` while messages are fetched, as no stream can be opened; `offline` when the
 * browser says so and the platform can't be reached.
 */
export type Connection = 'idle' | 'connecting' | 'live' | 'reconnecting' | 'polling' | 'offline'

/** A tab that shares one event stream with others, for as long as it is connected. */
export interface TabParticipant {
  /** One bot and one session: whoever uses the same channel is the same visitor. */
  readonly channelName: string
  readonly epoch: string
  readonly abortSignal: AbortSignal
  /**
   * Holds the stream and sends the outbox until `abortSignal`. `onActivity` is called with each event, and without one at
   * each sign of life.
   */
  runAsLeader(abortSignal: AbortSignal, onActivity?: (event?: ConversationEvent) => void): Promise<void>
  /** Takes an event from the tab that leads. */
  onEvent(event: ConversationEvent): void
  setConnection(connection: Connection): void
}

export interface EventConnectionDeps extends Pick<Deps, 'api' | 'backoff' | 'clock' | 'page'> {
  /** The epoch is appended. */
  channelPrefix: string
  /** Shares one stream with the other tabs. Rejects where that part of the widget can't be loaded. */
  joinTabs(participant: TabParticipant): Promise<void>
  lastSeq(): number
  /** Resolves when the history is loaded; the stream starts after it. */
  caughtUp(): Promise<void> | void
  /** Whether the platform has answered. */
  poll(scope: SessionScope): Promise<boolean>
  onEvent(scope: SessionScope, event: ConversationEvent): void
  /** This tab sends the outbox from now on, until `abortSignal`. */
  onLead(abortSignal: AbortSignal): void
}

/** The event stream: one for all tabs of the origin, where the browser lets them coordinate. */
export class EventConnection {
  readonly #deps: EventConnectionDeps
  /** How stream and poller stand, whether or not the platform can be reached. */
  readonly #transport = signal<Connection>('idle')
  /** `navigator.onLine`, which is a hint: some browsers are wrong about it. */
  readonly #isHintedOnline: Signal<boolean>
  readonly #isReachable = signal(true)
  #poller: MessagePoller | undefined
  /** Ends what is open. */
  #end = new AbortController()
  /** Settles when this tab has let go of the lock that it took last. */
  #lockReleased: Promise<unknown> = Promise.resolve()

  readonly connection: ReadonlySignal<Connection> = computed(() =>
    this.#isHintedOnline.value || this.#isReachable.value ? this.#transport.value : 'offline',
  )

  constructor(deps: EventConnectionDeps) {
    this.#deps = deps
    this.#isHintedOnline = signal(deps.page.online())
  }

  /** Connects if there is a token, for whose session messages arrive. */
  connect(scope: SessionScope): void {
    this.disconnect()
    if (scope.abortSignal.aborted) return
    if (!scope.token) {
      this.#tryHint()
      return
    }
    this.#setTransport('connecting')
    void this.#leadOrJoin(scope, this.#end.signal)
  }

  disconnect(): void {
    this.#renew()
    this.#setTransport('idle')
  }

  /** The browser's hint has changed: what is open may be dead, and what failed may work. */
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

  /** The visitor has said something. If messages are polled, the answer should not wait for the next poll. */
  expectReply(): void {
    this.#poller?.pollSoon()
  }

  /** Without a token there is no stream that would test the browser's hint, so one request does. */
  #tryHint(): void {
    if (!this.#isHintedOnline.peek()) void this.#deps.api.probe({ token: null, abortSignal: this.#end.signal })
  }

  /** Ends what is open, and returns the signal for what comes next. */
  #renew(): AbortSignal {
    // With a reason of ours: an error made by the browser would keep its stack, and so this scope, in memory.
    this.#end.abort(0)
    this.#end = new AbortController()
    // It would keep the scope, too.
    this.#poller = undefined
    return this.#end.signal
  }

  #setTransport(next: Connection): void {
    if (next === this.#transport.peek()) return
    updateState(() => {
      this.#transport.value = next
    })
    if (next === 'live') this.#deps.backoff.retryNow()
  }

  /** Opens the stream at once in a tab that is alone. Shares one with the other tabs, if there are any or when one comes. */
  async #leadOrJoin(scope: SessionScope, abortSignal: AbortSignal): Promise<void> {
    const { channelPrefix, page, joinTabs, onEvent } = this.#deps
    const channelName = channelPrefix + scope.epoch
    const runAsLeader: TabParticipant['runAsLeader'] = (...args) => this.#lead(scope, ...args)
    // The browser releases our last lock only a moment after its work has ended. Until then it looks like another tab's.
    await this.#lockReleased
    if (abortSignal.aborted) return
    const leadership = page.withLeaderLock(channelName, () =>
      // Release the lock as soon as we are aborted, even if the history or a chunk is still being fetched.
      Promise.race([runAsLeader(abortSignal), aborted(abortSignal)]),
    )
    this.#lockReleased = leadership
    if ((await leadership) === 'ended' || abortSignal.aborted) return

    // From now on `tabs/` decides who leads. If this tab has led, that ends here.
    const participant: TabParticipant = {
      channelName,
      epoch: scope.epoch,
      abortSignal: this.#renew(),
      runAsLeader,
      onEvent: event => onEvent(scope, event),
      setConnection: next => this.#setTransport(next),
    }
    try {
      await joinTabs(participant)
    } catch {
      // Two streams are better than none.
      await runAsLeader(participant.abortSignal)
    }
  }

  async #lead(
    scope: SessionScope,
    abortSignal: AbortSignal,
    onActivity?: (event?: ConversationEvent) => void,
  ): Promise<void> {
    const { api, lastSeq, onEvent, onLead, caughtUp } = this.#deps
    // The lock may be granted after the session has ended.
    if (abortSignal.aborted) return
    onLead(abortSignal)
    await caughtUp()
    if (abortSignal.aborted) return
    const poller = new MessagePoller(this.#deps, abortSignal, async () => {
      const hasAnswered = await this.#deps.poll(scope)
      // Meanwhile the session may have gone on, or the stream be live.
      if (abortSignal.aborted || this.#transport.peek() === 'live') return
      if (hasAnswered) this.#setTransport('polling')
      else if (this.#transport.peek() === 'polling') this.#setTransport('reconnecting')
      onActivity?.()
    })
    this.#poller = poller
    poller.start()
    await api.streamEvents(
      { token: scope.token, abortSignal },
      {
        after: lastSeq,
        onEvent(event) {
          onEvent(scope, event)
          onActivity?.(event)
        },
        onInterrupted: () => poller.start(),
        onConnection: next => {
          if (abortSignal.aborted) return
          if (next === 'live') poller.stop()
          // No stream, but polling works: that is not shown as a problem.
          else if (this.#transport.peek() === 'polling') return
          this.#setTransport(next)
          onActivity?.()
        },
      },
    )
  }
}

const aborted = (abortSignal: AbortSignal) =>
  new Promise<void>(resolve => abortSignal.addEventListener('abort', () => resolve()))
