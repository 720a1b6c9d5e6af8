import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals-core'
import type { Credentials } from '../api/apiClient.ts'
import { untilTrue } from '../async/untilTrue.ts'
import type { EpochReason, StoredIdentity } from './storedIdentity.ts'

/** Counts the scopes of all widgets of the page, so that their keys differ. */
let scopeCount = 0

/**
 * The time in which this tab has one identity. A scope begins with a login, a logout or a change by another tab, and ends
 * with the next one. Answers that arrive after the end of their scope are dropped.
 */
export class SessionScope implements StoredIdentity {
  /** A different value for each scope of the page. */
  readonly key: string = `${++scopeCount}`
  /** `''` until all tabs have agreed on the first epoch. */
  epoch: string
  /** Why the epoch has begun. */
  readonly reason: EpochReason
  /** The contact's id, `''` for an anonymous visitor, `undefined` while it isn't known. */
  owner: string | undefined
  /** Whether IndexedDB has a later epoch. The scope then waits for its end. */
  isOvertaken = false
  /** Settles when the visitor's identity is known or the scope has ended. */
  settled: Promise<unknown> = Promise.resolve()
  readonly #token: Signal<string | null>
  readonly #end = new AbortController()
  readonly #isExpired = signal(false)
  readonly #isReady = signal(false)
  /** Whether the platform has refused the token as expired. */
  readonly isExpired: ReadonlySignal<boolean> = this.#isExpired
  /** Whether the visitor's identity is known, IndexedDB has accepted the epoch, and the stored data has been opened. */
  readonly isReady: ReadonlySignal<boolean> = this.#isReady

  constructor({ epoch, reason, token }: StoredIdentity) {
    this.epoch = epoch
    this.reason = reason
    this.#token = signal(token)
  }

  /** `null` for an anonymous visitor who hasn't sent anything. */
  get token(): string | null {
    return this.#token.peek()
  }

  set token(token: string | null) {
    this.#token.value = token
    this.#isExpired.value = false
  }

  /** Resolves when the scope has another token than this one, or ends. */
  untilRenewed(token: string): Promise<void> {
    return untilTrue(
      computed(() => this.#token.value !== token),
      this.abortSignal,
    )
  }

  get abortSignal(): AbortSignal {
    return this.#end.signal
  }

  /** Credentials for a request that is dropped when it is no longer wanted. The token may be renewed between its attempts. */
  credentials(isWanted: () => boolean, abortSignal = this.abortSignal): Credentials {
    const scope = this
    return {
      get token() {
        return scope.token
      },
      abortSignal,
      isWanted,
    }
  }

  markExpired(): void {
    this.#isExpired.value = true
  }

  markReady(): void {
    this.#isReady.value = true
  }

  /** `reason` is a text, because an Error would retain the call stack. */
  end(reason: string): void {
    this.#end.abort(reason)
  }
}

/** What the next scope keeps from memory. */
export interface KeepOptions {
  /** Whether it keeps unsent messages and the draft that were written in this page, because the same person continues. */
  keepUnsent: boolean
  /** Whether it keeps what the page has said while the site was asked: it is for the contact whom the site has named. */
  keepPageMessages?: boolean
}
