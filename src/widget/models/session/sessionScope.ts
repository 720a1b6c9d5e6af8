import { type ReadonlySignal, signal } from '@preact/signals-core'
import { untilAborted } from '../../async/untilAborted.ts'

/** Of all widgets of the page, so that no two scopes have the same key. */
let scopeCount = 0

/**
 * One stretch of one identity in this tab: it begins with a login, a logout or what another tab has stored, and ends with the
 * next one. The answer to a request that was sent in it is dropped once it has ended.
 */
export class SessionScope {
  /** Another one for each scope of this page. */
  readonly key: string = `${++scopeCount}`
  /** `''` until all tabs agree on the first one. */
  epoch: string
  /** `null` for an anonymous visitor who hasn't sent anything. */
  token: string | null
  /** Settles when it is known who is talking, or the scope has ended. */
  ready: Promise<unknown> = Promise.resolve()
  /** While the token, which has expired, is being exchanged: requests that the platform has refused wait for it. */
  tokenExchange: Promise<void> | undefined
  readonly #end = new AbortController()
  readonly #isOpen = signal(false)
  /** It is certain who is talking, and the database has agreed to the epoch: what is stored has been opened. */
  readonly isOpen: ReadonlySignal<boolean> = this.#isOpen

  /** Resolves when the scope ends. */
  readonly ended: Promise<void> = untilAborted(this.#end.signal)

  constructor(epoch: string, token: string | null) {
    this.epoch = epoch
    this.token = token
  }

  get abortSignal(): AbortSignal {
    return this.#end.signal
  }

  open(): void {
    this.#isOpen.value = true
  }

  /** `reason` is a text, because an Error would retain the call stack. */
  end(reason: string): void {
    this.#end.abort(reason)
  }
}

/** What goes on in the next scope, from memory, because it is the same person's. */
export interface KeepOptions {
  /** What this page's visitor has written and not sent. */
  keepUnsent: boolean
  /** But no draft that is older than this page: the next scope is a contact's, and that draft may be a former visitor's. */
  isLogin?: boolean | undefined
}

/**
 * Where to save what is written before `onScopeReady`. With a token, at once: the epoch already has an owner, and opening the
 * cache erases the record if the owner turns out to be somebody else. Without one, nowhere yet: it stays in memory.
 */
export const cacheScopeOf = (scope: SessionScope): SessionScope | undefined => (scope.token ? scope : undefined)
