import type { ReadonlySignal } from '@preact/signals-core'
import type { ApiClient } from '../../api/apiClient.ts'
import type { Backoff } from '../../api/backoff.ts'
import type { Clock, Page } from '../../app/environment.ts'
import type { Emitter } from '../../loader/events.ts'
import type { Cache } from '../../storage/conversationCache.ts'

/** One stretch of one identity. What is asked for in it is dropped, whatever comes back, once it is over. */
export interface SessionScope {
  /** Another one for each scope of this tab. */
  readonly key: string
  /** `''` until all tabs agree on the first one. */
  readonly epoch: string
  /** `null` for an anonymous visitor who hasn't sent anything. */
  token: string | null
  readonly abortSignal: AbortSignal
  /** It is certain who is talking, and the database has agreed to the epoch: what is stored has been opened. */
  readonly isOpen: ReadonlySignal<boolean>
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

/** The world outside, as the models see it. */
export interface Deps {
  api: ApiClient
  clock: Clock
  page: Page
  backoff: Backoff
  cache: Cache
  emit: Emitter['emit']
  /** The widget's end. */
  abortSignal: AbortSignal
}
