import type { Clock } from '../clock.ts'
import type { Store } from '../store/store.ts'
import { every, timestamp } from './time.ts'

const day = 24 * 60 * 60 * 1000
/** The time for which an ended session is kept, so that the widget can say why the visitor was logged out. */
const keptFor = 30 * day

export interface PurgeOptions {
  store: Pick<Store, 'purge'>
  clock: Clock
  /** Days without a message after which a conversation's messages are deleted; default: never. */
  retentionDays?: number | undefined
  onError: (error: unknown) => void
}

/**
 * The first purge runs soon, for servers that never run for an hour, but not during the start and not on all nodes at
 * the same time.
 */
const firstAfter = (): number => 60_000 * (0.5 + Math.random() / 2)

/** Deletes expired data soon after the start and then hourly; returns a function that stops it. */
export function startPurge({ store, clock, retentionDays, onError }: PurgeOptions): () => void {
  let isStopped = false
  const ago = (ms: number): string => timestamp(clock.now() - ms)
  const purge = (): Promise<void> =>
    store
      .purge({
        now: timestamp(clock.now()),
        endedBefore: ago(keptFor),
        ...(retentionDays !== undefined && { lastMessageBefore: ago(retentionDays * day) }),
      })
      // The store closes under a purge that still runs. The next purge goes on from there.
      .catch(error => {
        if (!isStopped) onError(error)
      })
  const undo = [clock.setTimeout(() => void purge(), firstAfter()), every(clock, day / 24, purge)]
  return () => {
    isStopped = true
    for (const stop of undo) stop()
  }
}
