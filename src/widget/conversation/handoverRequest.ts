import { type ReadonlySignal, signal } from '@preact/signals-core'
import type { StopCondition } from '../api/apiClient.ts'
import type { KeepOptions, SessionScope } from '../identity/sessionScope.ts'
import type { Deps } from './deps.ts'
import type { OutboxDeps } from './outbox.ts'
import { setState } from './updateState.ts'

export interface HandoverRequestDeps
  extends Pick<Deps, 'api' | 'clock'>,
    Pick<OutboxDeps, 'acquireToken' | 'canWrite' | 'noteSent'> {
  /** Called when the platform has the request. It answers with a message. */
  onRequested(): void
  /** Called when the platform refuses the request for good: the bot may not hand over any more. */
  onUnavailable(): void
}

/** For how long a request is repeated. Later, the visitor may not wait for anybody any more. */
const requestMs = 120_000

/** The visitor's request for a person of the team. */
export class HandoverRequest {
  readonly #deps: HandoverRequestDeps
  readonly #status = signal<'none' | 'sending' | 'failed'>('none')
  #scope: SessionScope | undefined
  /** When to give up. */
  #deadline = 0
  /** Ends the run of `#send()` that is under way. A request that is forgotten must not be sent later. */
  #run = new AbortController()

  /** `sending`: the platform has not answered yet. */
  readonly status: ReadonlySignal<'none' | 'sending' | 'failed'> = this.#status

  constructor(deps: HandoverRequestDeps) {
    this.#deps = deps
  }

  reset(scope: SessionScope, { keepUnsent }: KeepOptions = { keepUnsent: false }): void {
    this.#endRun()
    this.#scope = scope
    if (!keepUnsent) this.clear()
  }

  /** Forgets the request. */
  clear(): void {
    this.#endRun()
    this.#setStatus('none')
  }

  /** Sends what was asked for in a former scope, unless that is under way. */
  resume(): void {
    if (this.#status.peek() === 'sending' && this.#run.signal.aborted) void this.#send()
  }

  send = async (): Promise<void> => {
    const { canWrite, noteSent, clock } = this.#deps
    if (!canWrite.peek()) return
    noteSent()
    this.#deadline = clock.now() + requestMs
    this.#setStatus('sending')
    await this.#send()
  }

  async #send(): Promise<void> {
    const { clock, acquireToken, api, onRequested, onUnavailable } = this.#deps
    this.#endRun()
    const scope = this.#scope
    const deadline = this.#deadline
    if (!scope) return
    const run = new AbortController()
    const abortSignal = run.signal
    this.#run = run
    scope.abortSignal.addEventListener('abort', () => run.abort('Natter: the session has ended'))
    // The platform may ask to wait for longer than the visitor does.
    const cancelTimer = clock.setTimeout(() => {
      this.#endRun()
      this.#setStatus('failed')
    }, deadline - clock.now())
    abortSignal.addEventListener('abort', cancelTimer)
    let hasFailed = false
    const shouldStopRetrying: StopCondition = ({ transient, ended }) => {
      const isRefused = !transient && !ended
      if (isRefused) onUnavailable()
      hasFailed = abortSignal.aborted || isRefused || clock.now() >= deadline
      return hasFailed
    }
    const credentials = {
      get token() {
        return scope.token
      },
      abortSignal,
      // By the clock: the timers of a computer that was asleep are late, and in any order.
      isWanted() {
        hasFailed = clock.now() >= deadline
        return !hasFailed
      },
    }
    // The site may take long to say who is signed in.
    const token = await acquireToken(scope, shouldStopRetrying)
    if (!token) hasFailed = true
    else await api.requestHandover(credentials, shouldStopRetrying)
    if (abortSignal.aborted) return
    cancelTimer()
    this.#setStatus(hasFailed ? 'failed' : 'none')
    if (!hasFailed) onRequested()
  }

  #endRun(): void {
    // Without a reason the browser creates an error, whose stack keeps the scope in memory.
    this.#run.abort(0)
  }

  #setStatus(status: 'none' | 'sending' | 'failed'): void {
    setState(this.#status, status)
  }
}
