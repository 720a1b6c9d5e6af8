import type { Clock } from '../clock.ts'
import type { Store } from '../store/store.ts'
import { every, timestamp } from './time.ts'

const day = 24 * 60 * 60 * 1000
/** Ours: a hash and its end reason stay this long, so that the widget can still say why it was logged out. */
const keptFor = 90 * day

export interface PurgeOptions {
  store: Store
  clock: Clock
  /** After how many days without a message a conversation's messages go; default: never. */
  retentionDays?: number | undefined
  onError: (error: unknown) => void
}

/** Forgets, once an hour, what ended long ago; returns its undo. */
export function startPurge({ store, clock, retentionDays, onError }: PurgeOptions): () => void {
  const ago = (ms: number): string => timestamp(clock.now() - ms)
  return every(clock, day / 24, () =>
    store
      .purge({
        now: timestamp(clock.now()),
        endedBefore: ago(keptFor),
        ...(retentionDays !== undefined && { silentSince: ago(retentionDays * day) }),
      })
      .catch(onError),
  )
}
