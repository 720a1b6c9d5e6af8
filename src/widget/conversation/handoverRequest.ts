import { type ReadonlySignal, signal } from '@preact/signals-core'
import type { StopCondition } from '../api/apiClient.ts'
import type { SessionScope } from '../identity/sessionScope.ts'
import { setState } from '../updateState.ts'
import type { ConversationDeps } from './deps.ts'

interface HandoverRequestDeps extends ConversationDeps {
  /** Called when the platform has the request. It answers with a message. */
  onRequested(): void
  /** Called when the platform refuses the request for good: the bot may not hand over any more. */
  onUnavailable(): void
}

/** For how long a request is repeated. Later, the visitor may not wait for anybody any more. */
const requestMs = 120_000

/** The visitor's request for a person of the team. It ends with the scope. */
export class HandoverRequest {
  readonly #deps: HandoverRequestDeps
  readonly #status = signal<'none' | 'sending' | 'failed'>('none')
  #scope: SessionScope | undefined
  /** Ends the request that is under way. One that is forgotten must not be sent later. */
  #run = new AbortController()

  /** `sending`: the platform has not answered yet. */
  readonly status: ReadonlySignal<'none' | 'sending' | 'failed'> = this.#status

  constructor(deps: HandoverRequestDeps) {
    this.#deps = deps
  }

  reset(scope: SessionScope): void {
    this.clear()
    this.#scope = scope
  }

  /** Forgets the request. */
  clear(): void {
    this.#end('none')
  }

  send = async (): Promise<void> => {
    const { clock, acquireToken, api, canWrite, noteSent, onRequested, onUnavailable } = this.#deps
    const scope = this.#scope
    if (!scope || !canWrite.peek()) return
    noteSent()
    this.#end('sending')
    const run = new AbortController()
    const { signal: abortSignal } = run
    this.#run = run
    scope.abortSignal.addEventListener('abort', () => run.abort(0))
    const deadline = clock.now() + requestMs
    // The platform may ask to wait for longer than the visitor does.
    const cancelTimer = clock.setTimeout(() => this.#end('failed'), requestMs)
    abortSignal.addEventListener('abort', cancelTimer)
    let hasFailed = false
    const shouldStopRetrying: StopCondition = ({ transient, ended }) => {
      const isRefused = !transient && !ended
      if (isRefused) onUnavailable()
      hasFailed = isRefused || abortSignal.aborted
      return hasFailed
    }
    const credentials = scope.credentials(() => {
      // By the clock: the timers of a computer that was asleep are late, and in any order.
      hasFailed = clock.now() >= deadline
      return !hasFailed
    }, abortSignal)
    // The site may take long to say who is signed in.
    if (await acquireToken(scope, shouldStopRetrying)) await api.requestHandover(credentials, shouldStopRetrying)
    else hasFailed = true
    if (abortSignal.aborted) return
    this.#end(hasFailed ? 'failed' : 'none')
    if (!hasFailed) onRequested()
  }

  #end(status: 'none' | 'sending' | 'failed'): void {
    // Without a reason the browser creates an error, whose stack keeps the scope in memory.
    this.#run.abort(0)
    setState(this.#status, status)
  }
}
