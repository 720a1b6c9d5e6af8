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
  lead(abortSignal: AbortSignal, onActivity?: (event?: ConversationEvent) => void): Promise<void>
  /** Takes an event from the tab that leads. */
  onEvent(event: ConversationEvent): void
  setConnection(connection: Connection): void
}

export interface EventConnectionDeps extends Pick<Deps, 'api' | 'backoff' | 'clock' | 'page'> {
  /** The epoch is appended. */
  channelPrefix: string
  /** Joins the other tabs; rejects where that part of the widget can't be loaded. */
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
  readonly connection: ReadonlySignal<Connection>

  readonly #deps: EventConnectionDeps
  readonly #state = signal<Connection>('idle')
  /** `navigator.onLine`, which is a hint: some browsers are wrong about it. */
  readonly #isHintedOnline: Signal<boolean>
  readonly #isReachable = signal(true)
  #poller: MessagePoller | undefined
  #current = new AbortController()

  constructor(deps: EventConnectionDeps) {
    this.#deps = deps
    this.#isHintedOnline = signal(deps.page.online())
    this.connection = computed(() =>
      this.#isHintedOnline.value || this.#isReachable.value ? this.#state.value : 'offline',
    )
  }

  /** Connects if there is a token, for whose session messages arrive. */
  connect(scope: SessionScope): void {
    this.disconnect()
    if (scope.abortSignal.aborted) return
    if (!scope.token) {
      this.#tryHint()
      return
    }
    this.#setState('connecting')
    const channelName = this.#deps.channelPrefix + scope.epoch
    const lead: TabParticipant['lead'] = (abortSignal, onActivity) => this.#lead(scope, abortSignal, onActivity)
    const alone = this.#renew()
    this.#deps.page
      .withLeaderLock(channelName, () => lead(alone))
      .catch(() => {
        if (alone.aborted) return
        const abortSignal = this.#renew()
        const participant: TabParticipant = {
          channelName,
          epoch: scope.epoch,
          abortSignal,
          lead,
          onEvent: event => this.#deps.onEvent(scope, event),
          setConnection: next => this.#setState(next),
        }
        return this.#deps.joinTabs(participant).catch(() => lead(abortSignal))
      })
  }

  disconnect(): void {
    this.#renew()
    this.#setState('idle')
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

  /** The visitor has said something: an answer will come soon, though perhaps no stream that brings it. */
  expectReply(): void {
    this.#poller?.pollSoon()
  }

  /** Without a token there is no stream that would test the browser's hint, so one request does. */
  #tryHint(): void {
    if (!this.#isHintedOnline.peek()) void this.#deps.api.probe({ token: null, abortSignal: this.#current.signal })
  }

  /** Ends what is open, and returns the signal for what comes next. */
  #renew(): AbortSignal {
    // With a reason of ours: an error made by the browser would keep its stack, and so this scope, in memory.
    this.#current.abort(0)
    this.#current = new AbortController()
    // It would keep the scope, too.
    this.#poller = undefined
    return this.#current.signal
  }

  #setState(next: Connection): void {
    if (next === this.#state.peek()) return
    updateState(() => {
      this.#state.value = next
    })
    if (next === 'live') this.#deps.backoff.retryNow()
  }

  async #lead(
    scope: SessionScope,
    abortSignal: AbortSignal,
    onActivity?: (event?: ConversationEvent) => void,
  ): Promise<void> {
    const { api, lastSeq, onEvent, onLead, caughtUp } = this.#deps
    // The lock may come when the session has gone on, and the history, too.
    if (abortSignal.aborted) return
    onLead(abortSignal)
    await caughtUp()
    if (abortSignal.aborted) return
    const poller = new MessagePoller(this.#deps, abortSignal, async () => {
      const hasAnswered = await this.#deps.poll(scope)
      // Meanwhile the session may have gone on, or the stream be live.
      if (abortSignal.aborted || this.#state.peek() === 'live') return
      if (hasAnswered) this.#setState('polling')
      else if (this.#state.peek() === 'polling') this.#setState('reconnecting')
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
          // Each attempt to open a stream fails; what is fetched instead comes all the same.
          else if (this.#state.peek() === 'polling') return
          this.#setState(next)
          onActivity?.()
        },
      },
    )
  }
}
