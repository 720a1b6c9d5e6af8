import type { Clock } from '../clock.ts'
import type { Store } from '../store/store.ts'
import { every, timestamp } from './time.ts'

const day = 24 * 60 * 60 * 1000
/** Ours: a hash and its end reason stay this long, so that the widget can still say why it was logged out. */
const keptFor = 90 * day

export interface PurgeOptions {
  store: Pick<Store, 'purge'>
  clock: Clock
  /** After how many days without a message a conversation's messages go; default: never. */
  retentionDays?: number | undefined
  onError: (error: unknown) => void
}

/** Ours: soon, for a server that never runs an hour, but not while it starts, nor with all that start together. */
const firstAfter = (): number => 60_000 * (0.5 + Math.random() / 2)

/** Forgets, soon after the start and once an hour, what ended long ago; returns its undo. */
export function startPurge({ store, clock, retentionDays, onError }: PurgeOptions): () => void {
  const ago = (ms: number): string => timestamp(clock.now() - ms)
  const purge = (): Promise<void> =>
    store
      .purge({
        now: timestamp(clock.now()),
        endedBefore: ago(keptFor),
        ...(retentionDays !== undefined && { silentSince: ago(retentionDays * day) }),
      })
      .catch(onError)
  const undo = [clock.setTimeout(() => void purge(), firstAfter()), every(clock, day / 24, purge)]
  return () => {
    for (const stop of undo) stop()
  }
}
