import type { Clock } from '../clock.ts'
import type { Store } from '../store/store.ts'
import { every } from './time.ts'

export interface ClockSkewOptions {
  store: Pick<Store, 'now'>
  clock: Clock
  /** By how much this clock is ahead of the store's, at least; negative where it is behind, and 0 when it no longer is. */
  onSkew: (aheadMs: number) => void
  onError: (error: unknown) => void
}

/** Ours: a fourth of the shortest lease, so that who warns comes before what goes wrong. */
const maxSkewMs = 2_000
const checkEveryMs = 60_000

/**
 * Tells of a clock that is far from the store's, once until it is near again: by one node's clock a lease is taken, by
 * another's it is over, and what it was taken for is done twice. Returns its undo.
 */
export function watchClockSkew({ store, clock, onSkew, onError }: ClockSkewOptions): () => void {
  let isSkewed = false
  async function check(): Promise<void> {
    const askedAt = clock.elapsed()
    const storeNow = await store.now?.()
    if (storeNow === undefined) return
    // It was read at some moment between question and answer: only what is certain counts.
    const most = clock.now() - storeNow
    const least = most - (clock.elapsed() - askedAt)
    const ahead = least > maxSkewMs ? least : most < -maxSkewMs ? most : 0
    if (isSkewed !== (ahead !== 0)) onSkew(Math.round(ahead))
    isSkewed = ahead !== 0
  }
  void check().catch(onError)
  return every(clock, checkEveryMs, () => check().catch(onError))
}
