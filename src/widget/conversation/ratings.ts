import { type ReadonlySignal, signal } from '@preact/signals-core'
import type { MessageChange, Rating } from '../../contract/index.ts'
import type { Credentials } from '../api/apiClient.ts'
import type { SessionScope } from '../identity/sessionScope.ts'
import type { CachedSession } from '../store/guards.ts'
import type { Deps } from './deps.ts'
import { replaceEntry } from './replaceEntry.ts'
import { updateState } from './updateState.ts'

export interface RatingsDeps extends Pick<Deps, 'api' | 'cache'> {
  /** Called with the answer as the platform has stored it. */
  onRated(change: MessageChange): void
}

/**
 * The visitor's ratings of answers. A rating is shown at once, and stored and sent until the platform has it or refuses it.
 * Several tabs may send the same one. What is stored decides: each tab reads it before each attempt, so that no tab
 * begins to send an older rating than the visitor's last one in another tab.
 */
export class Ratings {
  readonly #deps: RatingsDeps
  readonly #pending = signal<ReadonlyMap<string, Rating | null>>(new Map())
  #scope: SessionScope | undefined
  /** The ids of answers whose rating is being sent. */
  #sending = new Set<string>()
  /** Whether the rating of an answer that this tab has shown last could be stored, by the id of the answer. */
  #isStored = new Map<string, Promise<boolean>>()

  /** Ratings that the platform has not stored yet, by the id of the answer. `null` takes a rating back. */
  readonly pending: ReadonlySignal<ReadonlyMap<string, Rating | null>> = this.#pending

  constructor(deps: RatingsDeps) {
    this.#deps = deps
  }

  reset(scope: SessionScope): void {
    this.#scope = scope
    this.#sending = new Set()
    this.#isStored = new Map()
    updateState(() => {
      this.#pending.value = new Map()
    })
  }

  /** Sends the ratings that a former page could not send. */
  restoreFromCache(scope: SessionScope, cached: CachedSession['ratings']): void {
    for (const { id, rating } of cached) {
      if (scope === this.#scope && !this.#pending.peek().has(id)) this.#begin(scope, id, rating, Promise.resolve(true))
    }
  }

  rate = (id: string, rating: Rating | null): void => {
    const scope = this.#scope
    if (!scope) return
    const store = this.#deps.cache.put(scope.epoch, ({ ratings }) => ({
      ratings: replaceEntry(ratings, id, [{ id, rating }]),
    }))
    this.#begin(scope, id, rating, store)
  }

  #begin(scope: SessionScope, id: string, rating: Rating | null, isStored: Promise<boolean>): void {
    this.#setPending(id, rating)
    this.#isStored.set(id, isStored)
    if (!this.#sending.has(id)) void this.#send(scope, id)
  }

  /** Sends the rating of an answer, and what the visitor changes it to meanwhile. */
  async #send(scope: SessionScope, id: string): Promise<void> {
    this.#sending.add(id)
    for (;;) {
      const rating = this.#pending.peek().get(id)
      if (rating === undefined) break
      let isLatest = true
      const credentials: Credentials = {
        get token() {
          return scope.token
        },
        abortSignal: scope.abortSignal,
        isWanted: async () => {
          await this.#followCache(scope, id)
          isLatest = this.#pending.peek().get(id) === rating
          return isLatest
        },
      }
      const change = await this.#deps.api.rateMessage(credentials, undefined, { id, rating })
      if (scope.abortSignal.aborted) return
      if (isLatest) this.#finish(scope, id, rating, change)
    }
    this.#sending.delete(id)
  }

  /** Takes over what the cache has: another tab may have sent the rating, or stored another one. */
  async #followCache(scope: SessionScope, id: string): Promise<void> {
    const isStored = this.#isStored.get(id)
    // Without the cache, for example if it is full, this tab's rating is the only one that is known.
    if (!(await isStored)) return
    await this.#deps.cache.read(scope.epoch, ({ ratings }) => {
      // What the visitor has changed in this tab meanwhile is newer.
      if (isStored !== this.#isStored.get(id)) return
      this.#setPending(id, ratings.find(entry => entry.id === id)?.rating)
    })
  }

  /** The platform has stored or refused `rating`. A newer one, of this tab or another, stays. */
  #finish(scope: SessionScope, id: string, rating: Rating | null, change: MessageChange | undefined): void {
    updateState(() => {
      if (change) this.#deps.onRated(change)
      if (this.#pending.peek().get(id) === rating) this.#setPending(id, undefined)
    })
    void this.#deps.cache.put(scope.epoch, ({ ratings }) => ({
      ratings: ratings.filter(entry => entry.id !== id || entry.rating !== rating),
    }))
  }

  #setPending(id: string, rating: Rating | null | undefined): void {
    const pending = new Map(this.#pending.peek())
    if (rating === undefined) pending.delete(id)
    else pending.set(id, rating)
    updateState(() => {
      this.#pending.value = pending
    })
  }
}
