import { type Signal, signal } from '@preact/signals-core'
import type { SessionScope } from './sessionScope.ts'

/** The scope that lasts, with what it has under way. */
export interface ActiveScope extends SessionScope {
  epoch: string
  readonly end: AbortController
  /** Settles when it is known who is talking, or the scope is over. */
  ready: Promise<unknown>
  /** What is stored of the scope's identity has been opened. */
  readonly isOpen: Signal<boolean>
  /** While the token, which has expired, is being exchanged: what the platform has refused waits for that. */
  refreshed?: Promise<void> | undefined
}

/** Of all widgets of the page, so that no two scopes have the same key. */
let scopeCount = 0

export function createScope(epoch: string, token: string | null): ActiveScope {
  const end = new AbortController()
  return {
    key: `${++scopeCount}`,
    epoch,
    token,
    abortSignal: end.signal,
    end,
    ready: Promise.resolve(),
    isOpen: signal(false),
  }
}
