import { type ReadonlySignal, signal } from '@preact/signals-core'
import type { MessageChange, Rating } from '../../../contract/index.ts'
import type { CachedSession } from '../../storage/guards.ts'
import type { Deps } from '../deps.ts'
import type { SessionScope } from '../session/sessionScope.ts'
import { updateState } from '../updateState.ts'
import { replaceEntry } from './replaceEntry.ts'

export interface RatingsDeps extends Pick<Deps, 'api' | 'cache'> {
  /** Called with the answer as the platform has stored it. */
  onRated(change: MessageChange): void
}

/**
 * The visitor's ratings of answers. A rating is shown at once, and stored and sent until the platform has it or refuses it.
 */
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
    updateState(() => {
      this.#pending.value = new Map()
    })
  }

  /** Sends the ratings that a former page could not send. */
  restoreFromCache(scope: SessionScope, cached: CachedSession['ratings']): void {
    for (const { id, rating } of cached) {
      if (scope === this.#scope && !this.#pending.peek().has(id)) this.rate(id, rating)
    }
  }

  rate = (id: string, rating: Rating | null): void => {
    updateState(() => {
      this.#pending.value = new Map(this.#pending.peek()).set(id, rating)
    })
    this.#store(id)
    if (this.#scope && !this.#sending.has(id)) void this.#send(this.#scope, id, rating)
  }

  async #send(scope: SessionScope, id: string, rating: Rating | null): Promise<void> {
    this.#sending.add(id)
    const change = await this.#deps.api.rateMessage(scope, undefined, { id, rating })
    if (scope.abortSignal.aborted) return
    this.#sending.delete(id)
    const latest = this.#pending.peek().get(id) ?? null
    if (latest !== rating) return this.#send(scope, id, latest)
    updateState(() => {
      if (change) this.#deps.onRated(change)
      const pending = new Map(this.#pending.peek())
      pending.delete(id)
      this.#pending.value = pending
    })
    this.#store(id)
  }

  /** Stores the rating of one answer, or that it is not pending any more. The other stored ratings may be another tab's. */
  #store(id: string): void {
    const rating = this.#pending.peek().get(id)
    const next = rating === undefined ? [] : [{ id, rating }]
    if (!this.#scope) return
    void this.#deps.cache.put(this.#scope.epoch, ({ ratings }) => ({ ratings: replaceEntry(ratings, id, next) }))
  }
}
