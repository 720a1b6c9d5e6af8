import type { ApiClient } from '../../api/apiClient.ts'
import type { Backoff } from '../../api/backoff.ts'
import type { Clock } from '../../app/clock.ts'
import type { Page } from '../../app/page.ts'
import type { Emitter } from '../../loader/events.ts'
import type { Cache } from '../../storage/conversationCache.ts'

/** One stretch of one identity. What is asked for in it is dropped, whatever comes back, once it is over. */
export interface SessionScope {
  readonly epoch: number
  /** `null` for an anonymous visitor who hasn't sent anything. */
  token: string | null
  readonly abortSignal: AbortSignal
  /** While the token, which has expired, is being exchanged: what the platform has refused waits for that. */
  renewal?: Promise<unknown> | undefined
}

/**
 * The scope that what is written in it can be kept for from its beginning on: of a token that is being restored, the
 * epoch's owner, who is not known yet, is who had it before. `enter` finds it, or erases it where it is somebody else's.
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
