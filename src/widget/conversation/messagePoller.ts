import type { Deps } from './deps.ts'
import type { MessageStore } from './messageStore.ts'

interface MessagePollerDeps extends Pick<Deps, 'clock' | 'backoff'> {
  messageStore: Pick<MessageStore, 'lastSeq'>
}

/** How long to wait for a stream before polling. A proxy may block or buffer streams. */
const pollAfterMs = 5000
/** The `tries` of the backoff between two polls: 1 to 2 s after a new message, later up to 8 to 16 s. */
const initialTries = 2
const maxTries = 5

/** Fetches new messages while there is no event stream. */
export class MessagePoller {
  readonly #deps: MessagePollerDeps
  readonly #abortSignal: AbortSignal
  readonly #poll: () => Promise<void>
  #tries = initialTries
  #running: AbortController | undefined

  constructor(deps: MessagePollerDeps, abortSignal: AbortSignal, poll: () => Promise<void>) {
    this.#deps = deps
    this.#abortSignal = abortSignal
    this.#poll = poll
    abortSignal.addEventListener('abort', () => this.stop())
  }

  /** Begins to poll, unless a stream becomes live soon. */
  start(): void {
    if (this.#running || this.#abortSignal.aborted) return
    this.#running = new AbortController()
    const { signal } = this.#running
    const cancelTimer = this.#deps.clock.setTimeout(() => void this.#run(signal), pollAfterMs)
    signal.addEventListener('abort', cancelTimer)
  }

  /** Ends polling, because a stream is live. */
  stop(): void {
    this.#running?.abort(0)
    this.#running = undefined
  }

  /** Polls in short intervals again, because a reply is expected. Ends all other waits, too: the network works. */
  pollSoon(): void {
    this.#tries = initialTries
    if (this.#running) this.#deps.backoff.retryNow()
  }

  async #run(abortSignal: AbortSignal): Promise<void> {
    const { messageStore, backoff } = this.#deps
    this.#tries = initialTries
    while (!abortSignal.aborted) {
      const before = messageStore.lastSeq()
      await this.#poll()
      this.#tries = messageStore.lastSeq() > before ? initialTries : Math.min(this.#tries + 1, maxTries)
      await backoff.wait(this.#tries, abortSignal)
    }
  }
}
