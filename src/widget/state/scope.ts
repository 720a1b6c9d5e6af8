import type { Clock } from '../clock.ts'
import type { Emitter } from '../events.ts'
import type { Page } from '../page.ts'
import type { Cache } from '../storage/cache.ts'
import type { Patience } from '../transport/patience.ts'
import type { Wire } from '../transport/wire.ts'

/** One stretch of one identity. What is asked for in it is dropped, whatever comes back, once it is over. */
export interface Scope {
  readonly epoch: number
  /** `null` for an anonymous visitor who hasn't sent anything. */
  token: string | null
  readonly over: AbortSignal
  /** While the token, which has expired, is being exchanged: what the platform has refused waits for that. */
  renewal?: Promise<unknown> | undefined
}

/**
 * The scope that what is written in it can be kept for from its beginning on: of a token that is being restored, the
 * epoch's owner, who is not known yet, is who had it before. `enter` finds it, or erases it where it is somebody else's.
 */
export const keeperOf = (scope: Scope): Scope | undefined => (scope.token ? scope : undefined)

/** The world outside, as the models see it. */
export interface Doors {
  wire: Wire
  clock: Clock
  page: Page
  patience: Patience
  cache: Cache
  emit: Emitter['emit']
  /** The widget's end. */
  over: AbortSignal
}
