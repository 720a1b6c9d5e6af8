import type { Clock } from '../clock.ts'
import type { Store } from '../store/store.ts'
import { timestamp } from './time.ts'

/** How often each node records which conversations have a page open. */
export const presenceMs = 30_000

/** A contact is away if no node has recorded a page for this long: a node may miss a round. */
const absentAfterMs = 3 * presenceMs

export interface UnreadOptions {
  store: Pick<Store, 'recordPresence' | 'enqueueUnreadNotices' | 'now'>
  clock: Clock
  /** How long messages are unread before the organization is told. */
  unreadAfterMs: number
  /** The conversations with an open stream on this node. */
  listStreaming: () => string[]
}

export interface UnreadNotices {
  /** Notes that a page has asked for messages: it polls if it gets no stream. */
  notePoll(conversationId: string): void
  /** Records who has a page open. Call it every `presenceMs`. */
  recordPresence(): Promise<void>
  /** Tells organizations of contacts with unread messages who are away. It may take longer than `presenceMs`. */
  enqueueDue(): Promise<void>
}

/** Creates what sends `message.unread`, also for contacts whose node was killed. */
export function createUnreadNotices(options: UnreadOptions): UnreadNotices {
  const { store, clock, unreadAfterMs, listStreaming } = options
  const polling = new Set<string>()
  /** How often presence was recorded since it failed. */
  let recordedInARow = 0
  // The nodes compare each other's times, so these are times of the store's clock.
  const readTime = async (): Promise<number> => (await store.now?.()) ?? clock.now()

  return {
    notePoll: conversationId => void polling.add(conversationId),

    async recordPresence() {
      const present = [...new Set([...listStreaming(), ...polling])]
      polling.clear()
      try {
        await store.recordPresence(present, timestamp(await readTime()))
        recordedInARow++
      } catch (error) {
        recordedInARow = 0
        throw error
      }
    },

    async enqueueDue() {
      const now = await readTime()
      const state = {
        now: timestamp(now),
        unreadBefore: timestamp(now - unreadAfterMs),
        absentBefore: timestamp(now - absentAfterMs),
      }
      // After an outage of the store each node needs a round before the times of presence mean anything. Stops as soon as one
      // fails: presence must be up to date.
      while (recordedInARow > 1 && (await store.enqueueUnreadNotices(state)));
    },
  }
}
