import type { Clock } from '../clock.ts'
import type { Store } from '../store/store.ts'
import { every, timestamp } from './time.ts'

const day = 24 * 60 * 60 * 1000
/** Ours: a hash and its end reason stay this long, so that the widget can still say why it was logged out. */
const keptFor = 90 * day

/** Forgets, once an hour, what ended long ago; returns its undo. */
export function startPurge(store: Store, clock: Clock, onError: (error: unknown) => void): () => void {
  return every(clock, day / 24, () => store.purge(timestamp(clock.now() - keptFor)).catch(onError))
}
