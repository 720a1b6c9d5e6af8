import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals-core'
import type { ConversationEvent, StreamListener } from '../api/eventStream.ts'
import type * as stream from '../app/stream.ts'
import { withRetries } from '../async/withRetries.ts'
import type { SessionScope } from '../identity/sessionScope.ts'
import { setState } from '../updateState.ts'
import type { ConversationDeps } from './deps.ts'
import { MessagePoller } from './messagePoller.ts'
import type { MessageStore } from './messageStore.ts'

/**
 * - `idle`: there is no session to connect for.
 * - `withoutStream`: the tab waits for a slot, or no stream can be opened. Messages are polled, or come from other tabs.
 * - `offline`: `navigator.onLine` is false, and the last request got no response.
 */
export type Connection = 'idle' | 'connecting' | 'live' | 'reconnecting' | 'withoutStream' | 'offline'

export interface EventConnectionDeps extends ConversationDeps {
  /** Fetches the code of sessions with a token. */
  stream(): Promise<typeof stream>
  messageStore: Pick<MessageStore, 'lastSeq' | 'revision' | 'poll'>
  /** Resolves when the newest messages are loaded. The stream continues after them. */
  caughtUp(): Promise<void> | void
  /** Called with each event of this tab's stream. */
  onEvent(scope: SessionScope, event: ConversationEvent): void
}

/** The connection that receives events: a stream, or polling without one. */
export class EventConnection {
  readonly #deps: EventConnectionDeps
  /** The state of the connection. It ignores `navigator.onLine`. */
  readonly #transport = signal<Connection>('idle')
  /** `navigator.onLine`. It is only a hint: some browsers report `false` although the network works. */
  readonly #isHintedOnline: Signal<boolean>
  readonly #isReachable = signal(true)
  #poller: MessagePoller | undefined
  /** Ends the current connection. */
  #controller = new AbortController()

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
      // Opening a stream would show whether `navigator.onLine` is right. Without one, a request does.
      if (!this.#isHintedOnline.peek()) void this.#deps.api.probe({ token: null, abortSignal: this.#controller.signal })
      return
    }
    this.#setTransport('connecting')
    void this.#connect(scope, this.#controller.signal)
  }

  disconnect(): void {
    // Without a reason the browser creates an error, whose stack keeps the scope in memory. So does the poller.
    this.#controller.abort(0)
    this.#controller = new AbortController()
    this.#poller = undefined
    this.#setTransport('idle')
  }

  /** Whether this tab's own stream delivers events. */
  isLive(): boolean {
    return this.#transport.peek() === 'live'
  }

  /** Takes over `navigator.onLine`. */
  setOnline(isOnline: boolean): void {
    setState(this.#isHintedOnline, isOnline)
  }

  setReachable(isReachable: boolean): void {
    setState(this.#isReachable, isReachable)
  }

  /** Polls soon, if messages are polled: the visitor has sent a message and waits for a reply. */
  expectReply(): void {
    this.#poller?.pollSoon()
  }

  #setTransport(next: Connection): void {
    if (next === this.#transport.peek()) return
    setState(this.#transport, next)
    if (next === 'live') this.#deps.backoff.retryNow()
  }

  async #connect(scope: SessionScope, abortSignal: AbortSignal): Promise<void> {
    const { backoff, caughtUp, sharedPrefix, messageStore, page, stream } = this.#deps
    await caughtUp()
    if (abortSignal.aborted) return
    // Without the code for slots the tab waits for none, and doesn't hear the others.
    let isWaitingForSlot = false
    const poller = new MessagePoller(this.#deps, abortSignal, async () => {
      // A hidden tab makes do with what the other tabs pass on.
      if (isWaitingForSlot && page.isHidden()) return
      const hasResponded = await messageStore.poll(scope)
      // Meanwhile the session may have ended, or the stream may have become live.
      if (abortSignal.aborted || this.isLive()) return
      if (hasResponded) this.#setTransport('withoutStream')
      else if (hasResponded === false && this.#transport.peek() === 'withoutStream') this.#setTransport('reconnecting')
    })
    this.#poller = poller
    poller.start()
    this.#setTransport('withoutStream')
    const chunk = await withRetries(stream, { backoff, abortSignal })
    if (!chunk || abortSignal.aborted) return
    isWaitingForSlot = true
    chunk.holdStreamSlot(this.#deps, sharedPrefix + scope.epoch, abortSignal, async signal => {
      isWaitingForSlot = false
      this.#setTransport('connecting')
      signal.addEventListener('abort', () => {
        if (abortSignal.aborted) return
        isWaitingForSlot = true
        this.#setTransport('withoutStream')
        poller.start()
      })
      const credentials = { token: scope.token, abortSignal: signal }
      await chunk.streamEvents(this.#deps, credentials, this.#createListener(scope, signal, poller))
    })
  }

  #createListener(scope: SessionScope, abortSignal: AbortSignal, poller: MessagePoller): StreamListener {
    const { messageStore, onEvent } = this.#deps
    return {
      after: () => messageStore.lastSeq(),
      revision: () => messageStore.revision(),
      onEvent: event => onEvent(scope, event),
      onInterrupted: () => poller.start(),
      onConnection: next => {
        if (abortSignal.aborted) return
        if (next === 'live') poller.stop()
        // There is no stream, but polling works, so the visitor need not know.
        else if (this.#transport.peek() === 'withoutStream') return
        this.#setTransport(next)
      },
    }
  }
}
