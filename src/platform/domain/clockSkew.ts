import type { Clock } from '../clock.ts'
import type { Store } from '../store/store.ts'
import { every } from './time.ts'

export interface ClockSkewOptions {
  store: Pick<Store, 'now'>
  clock: Clock
  /**
   * Called with the smallest difference that is certain, in milliseconds: positive if this clock is ahead, negative if it is
   * behind, 0 once they agree again.
   */
  onSkew: (aheadMs: number) => void
  onError: (error: unknown) => void
}

/** A quarter of the shortest lease, so that the warning comes before anything goes wrong. */
const maxSkewMs = 2_000
const checkEveryMs = 60_000

/**
 * Watches for a clock that differs from the store's, and reports each change once. With different clocks one node may
 * consider another's lease expired and do its work twice. Returns a function that stops it.
 */
export function watchClockSkew({ store, clock, onSkew, onError }: ClockSkewOptions): () => void {
  let isSkewed = false
  async function check(): Promise<void> {
    const askedAt = clock.elapsed()
    const storeNow = await store.now?.()
    if (storeNow === undefined) return
    // The store has read its clock at some moment between request and response, so only a part of the difference is
    // certain.
    const most = clock.now() - storeNow
    const least = most - (clock.elapsed() - askedAt)
    const ahead = least > maxSkewMs ? least : most < -maxSkewMs ? most : 0
    if (isSkewed !== (ahead !== 0)) onSkew(Math.round(ahead))
    isSkewed = ahead !== 0
  }
  void check().catch(onError)
  return every(clock, checkEveryMs, () => check().catch(onError))
}
