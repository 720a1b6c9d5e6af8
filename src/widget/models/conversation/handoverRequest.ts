import { type ReadonlySignal, signal } from '@preact/signals-core'
import type { Deps } from '../deps.ts'
import type { SessionScope } from '../session/sessionScope.ts'
import { updateState } from '../updateState.ts'
import type { OutboxDeps } from './outboxDeps.ts'

export interface HandoverRequestDeps extends Pick<Deps, 'api' | 'clock'>, Pick<OutboxDeps, 'acquireToken'> {
  /** Called when the platform has the request. It answers with a message. */
  onRequested(): void
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

  /** `sending`: the platform has not answered yet. */
  readonly status: ReadonlySignal<'none' | 'sending' | 'failed'> = this.#status

  constructor(deps: HandoverRequestDeps) {
    this.#deps = deps
  }

  reset(scope: SessionScope, isKept = false): void {
    this.#scope = scope
    if (!isKept) this.clear()
  }

  /** Forgets the request. */
  clear(): void {
    this.#setStatus('none')
  }

  /** Sends what was asked for before it was known who is signed in. */
  resume(): void {
    if (this.#status.peek() === 'sending') void this.#send()
  }

  send = (): Promise<void> => {
    this.#deadline = this.#deps.clock.now() + requestMs
    this.#setStatus('sending')
    return this.#send()
  }

  async #send(): Promise<void> {
    const { clock, acquireToken, api, onRequested } = this.#deps
    const scope = this.#scope
    if (!scope) return
    let hasGivenUp = false
    const isTooLate = () => {
      hasGivenUp = clock.now() >= this.#deadline
      return hasGivenUp
    }
    // The site may take long to say who is signed in.
    const hasToken = !isTooLate() && (await acquireToken(scope, isTooLate)) && !isTooLate()
    if (hasToken) await api.requestHandover(scope, isTooLate)
    if (scope.abortSignal.aborted || this.#status.peek() !== 'sending') return
    const isRequested = hasToken && !hasGivenUp
    this.#setStatus(isRequested ? 'none' : 'failed')
    if (isRequested) onRequested()
  }

  #setStatus(status: 'none' | 'sending' | 'failed'): void {
    updateState(() => {
      this.#status.value = status
    })
  }
}
