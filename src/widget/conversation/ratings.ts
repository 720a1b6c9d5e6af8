import { type ReadonlySignal, signal } from '@preact/signals-core'
import type { MessageChange, Rating } from '../../contract/index.ts'
import type { SessionScope } from '../identity/sessionScope.ts'
import { setState, updateState } from '../updateState.ts'
import type { ConversationDeps } from './deps.ts'

interface RatingsDeps extends ConversationDeps {
  /** Called with the answer as the platform has stored it. */
  onRated(change: MessageChange): void
}

/** The visitor's ratings of answers. A rating is shown at once, and sent until the platform has it or refuses it. */
export class Ratings {
  readonly #deps: RatingsDeps
  readonly #pending = signal<ReadonlyMap<string, Rating | null>>(new Map())
  #scope: SessionScope | undefined
  /** The ids of answers whose rating is being sent. */
  #sending = new Set<string>()

  /** Ratings that the platform has not stored yet, by the id of the answer. `null` takes a rating back. */
  readonly pending: ReadonlySignal<ReadonlyMap<string, Rating | null>> = this.#pending

  constructor(deps: RatingsDeps) {
    this.#deps = deps
  }

  reset(scope: SessionScope): void {
    this.#scope = scope
    this.#sending = new Set()
    setState(this.#pending, new Map())
  }

  rate = (id: string, rating: Rating | null): void => {
    if (!this.#scope) return
    this.#setPending(id, rating)
    if (!this.#sending.has(id)) void this.#send(this.#scope, id)
  }

  /** Sends the rating of an answer, and what the visitor changes it to meanwhile. */
  async #send(scope: SessionScope, id: string): Promise<void> {
    this.#sending.add(id)
    for (;;) {
      const rating = this.#pending.peek().get(id)
      if (rating === undefined) break
      const isLatest = () => this.#pending.peek().get(id) === rating
      const change = await this.#deps.api.rateMessage(scope.credentials(isLatest), undefined, { id, rating })
      if (scope.abortSignal.aborted) return
      updateState(() => {
        if (change) this.#deps.onRated(change)
        if (isLatest()) this.#setPending(id, undefined)
      })
    }
    this.#sending.delete(id)
  }

  #setPending(id: string, rating: Rating | null | undefined): void {
    const pending = new Map(this.#pending.peek())
    if (rating === undefined) pending.delete(id)
    else pending.set(id, rating)
    setState(this.#pending, pending)
  }
}
