import type { Deps } from '../session/sessionScope.ts'

interface MessagePollerDeps extends Pick<Deps, 'clock' | 'backoff'> {
  lastSeq(): number
}

/** A stream that isn't there after so long may never come: a proxy may block it or hold it back. */
const patienceMs = 5000
/** Tries of the backoff between two polls: 1–2 s after something new, up to 8–16 s. Other tabs take 20 s of silence for death. */
const firstTry = 2
const lastTry = 5

/** Fetches new messages while no event stream brings them. */
export class MessagePoller {
  readonly #deps: MessagePollerDeps
  readonly #leadership: AbortSignal
  readonly #poll: () => Promise<void>
  #tries = firstTry
  #running: AbortController | undefined

  constructor(deps: MessagePollerDeps, leadership: AbortSignal, poll: () => Promise<void>) {
    this.#deps = deps
    this.#leadership = leadership
    this.#poll = poll
    leadership.addEventListener('abort', () => this.stop())
  }

  /** No stream is live. */
  start(): void {
    if (this.#running || this.#leadership.aborted) return
    this.#running = new AbortController()
    const { signal } = this.#running
    const cancelTimer = this.#deps.clock.setTimeout(() => void this.#run(signal), patienceMs)
    signal.addEventListener('abort', cancelTimer)
  }

  /** A stream is live. */
  stop(): void {
    this.#running?.abort(0)
    this.#running = undefined
  }

  /** A reply is expected. */
  pollSoon(): void {
    this.#tries = firstTry
    if (this.#running) this.#deps.backoff.retryNow()
  }

  async #run(abortSignal: AbortSignal): Promise<void> {
    this.#tries = firstTry
    while (!abortSignal.aborted) {
      const before = this.#deps.lastSeq()
      await this.#poll()
      this.#tries = this.#deps.lastSeq() > before ? firstTry : Math.min(this.#tries + 1, lastTry)
      await this.#deps.backoff.wait(this.#tries, abortSignal)
    }
  }
}
