import type { Clock } from '../clock.ts'
import type { Store } from '../store/store.ts'
import { every } from './time.ts'

export interface ClockWatchOptions {
  store: Pick<Store, 'now'>
  clock: Clock
  /** By how much this clock is ahead of the store's, at least; negative where it is behind, and 0 when it no longer is. */
  onApart: (aheadMs: number) => void
  onError: (error: unknown) => void
}

/** Ours: a fourth of the shortest lease, so that who warns comes before what goes wrong. */
const farMs = 2_000
const lookMs = 60_000

/**
 * Tells of a clock that is far from the store's, once until it is near again: by one node's clock a lease is taken, by
 * another's it is over, and what it was taken for is done twice. Returns its undo.
 */
export function watchClock({ store, clock, onApart, onError }: ClockWatchOptions): () => void {
  let isApart = false
  async function look(): Promise<void> {
    const asked = clock.elapsed()
    const there = await store.now?.()
    if (there === undefined) return
    // It was read at some moment between question and answer: only what is certain counts.
    const most = clock.now() - there
    const least = most - (clock.elapsed() - asked)
    const ahead = least > farMs ? least : most < -farMs ? most : 0
    if (isApart !== (ahead !== 0)) onApart(Math.round(ahead))
    isApart = ahead !== 0
  }
  void look().catch(onError)
  return every(clock, lookMs, () => look().catch(onError))
}
