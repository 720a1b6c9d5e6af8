import { type ReadonlySignal, signal } from '@preact/signals-core'
import { untilAborted } from '../async/untilAborted.ts'

/** Counts the scopes of all widgets of the page, so that their keys differ. */
let scopeCount = 0

/**
 * The time in which this tab has one identity. A scope begins with a login, a logout or a change by another tab, and ends
 * with the next one. Answers that arrive after the end of their scope are dropped.
 */
export class SessionScope {
  /** A different value for each scope of the page. */
  readonly key: string = `${++scopeCount}`
  /** `''` until all tabs have agreed on the first epoch. */
  epoch: string
  /** `null` for an anonymous visitor who hasn't sent anything. */
  token: string | null
  /** Settles when the visitor's identity is known or the scope has ended. */
  settled: Promise<unknown> = Promise.resolve()
  /** Pending while an expired token is being exchanged. Requests that were refused because of that token wait for it. */
  tokenExchange: Promise<void> | undefined
  readonly #end = new AbortController()
  readonly #isReady = signal(false)
  /** Whether the visitor's identity is known, IndexedDB has accepted the epoch, and the stored data has been opened. */
  readonly isReady: ReadonlySignal<boolean> = this.#isReady

  /** Resolves when the scope ends. */
  readonly ended: Promise<void> = untilAborted(this.#end.signal)

  constructor(epoch: string, token: string | null) {
    this.epoch = epoch
    this.token = token
  }

  get abortSignal(): AbortSignal {
    return this.#end.signal
  }

  markReady(): void {
    this.#isReady.value = true
  }

  /** `reason` is a text, because an Error would retain the call stack. */
  end(reason: string): void {
    this.#end.abort(reason)
  }
}

/** Which unsent text the next scope keeps from memory, because the same person continues. */
export interface KeepOptions {
  /** Whether the next scope keeps unsent messages and the draft that were written in this page. */
  keepUnsent: boolean
  /** A login drops what was begun before the last `excludeFromLogin()` or before this page: it may be somebody else's. */
  isLogin?: boolean | undefined
}
