import type { Clock } from '../clock.ts'
import type { DeliveryStore } from '../store/store.ts'
import { timestamp } from './time.ts'

/** How often each node records which conversations have an open stream. */
export const presenceMs = 30_000

export interface UnreadOptions {
  store: Pick<DeliveryStore, 'enqueueUnread'>
  clock: Clock
  /** How long messages are unread before the organization is told. */
  unreadAfterMs: number
  /** The conversations with an open stream on this node. */
  listStreaming: () => string[]
}

/**
 * Creates what tells organizations of contacts with unread messages who are away. Call it every `presenceMs`: a contact
 * whose presence no node has recorded for twice that time is away, also if their node was killed.
 */
export function createUnreadNotices({
  store,
  clock,
  unreadAfterMs,
  listStreaming,
}: UnreadOptions): () => Promise<void> {
  return async () => {
    const now = clock.now()
    const call = (streaming: string[]) =>
      store.enqueueUnread({
        streaming,
        now: timestamp(now),
        unreadBefore: timestamp(now - unreadAfterMs),
        absentBefore: timestamp(now - 2 * presenceMs),
      })
    let hasMore = await call(listStreaming())
    while (hasMore) hasMore = await call([])
  }
}
