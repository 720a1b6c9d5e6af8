import type { Clock } from '../clock.ts'
import type { Store } from '../store/store.ts'
import { singleFlight } from './singleFlight.ts'
import { timestamp } from './time.ts'

/** How often each node records which conversations have a page open. */
export const presenceMs = 30_000

/** A visitor is away if no node has recorded a page for this long: a node may miss a round. */
const absentAfterMs = 3 * presenceMs

/** The most emails to a visitor who neither reads nor writes, and the least time between two. */
const maxEmails = 10
const emailPauseMs = 15 * 60_000
/** Messages older than this are told in no email: emails may just have been turned on. */
const maxEmailedAgeMs = 24 * 60 * 60_000

export interface UnreadOptions {
  store: Pick<Store, 'recordPresence' | 'enqueueUnreadNotices' | 'now'>
  clock: Clock
  /** How long messages are unread before somebody is told. */
  unreadAfterMs: number
  /** Whether visitors are also told by email. */
  sendsEmails: boolean
  /** The conversations with an open stream on this node. */
  listStreaming: () => string[]
  /** Called if notices could not be enqueued. The next round enqueues them. */
  onError: (error: unknown) => void
}

export type UnreadNotices = ReturnType<typeof createUnreadNotices>

/** Creates what enqueues `message.unread` and emails, also for visitors whose node was killed. */
export function createUnreadNotices(options: UnreadOptions) {
  const { store, clock, unreadAfterMs, sendsEmails, listStreaming, onError } = options
  const polling = new Set<string>()
  let roundsInARow = 0
  // The nodes compare each other's times, so these are times of the store's clock.
  const readTime = async (): Promise<number> => (await store.now?.()) ?? clock.now()

  const enqueueDue = singleFlight(async () => {
    const now = await readTime()
    const state = {
      now: timestamp(now),
      unreadBefore: timestamp(now - unreadAfterMs),
      absentBefore: timestamp(now - absentAfterMs),
      ...(sendsEmails && {
        emails: { most: maxEmails, pauseMs: emailPauseMs, messagesAfter: timestamp(now - maxEmailedAgeMs) },
      }),
    }
    // Stops as soon as a round fails: presence must be up to date.
    while (roundsInARow > 1 && (await store.enqueueUnreadNotices(state)));
  })

  return {
    /** Notes that a page has asked for messages: it polls if it gets no stream. */
    notePoll: (conversationId: string): void => void polling.add(conversationId),
    /**
     * Records who has a page open, then begins to tell organizations and visitors of unread messages of those who are away. Call it
     * every `presenceMs`. Rejects if presence could not be recorded.
     */
    async runRound(): Promise<void> {
      const present = [...new Set([...listStreaming(), ...polling])]
      polling.clear()
      try {
        await store.recordPresence(present, timestamp(await readTime()))
      } catch (error) {
        roundsInARow = 0
        throw error
      }
      roundsInARow++
      // After an outage of the store each node needs a round before the times of presence mean anything.
      if (roundsInARow > 1) enqueueDue().catch(onError)
    },
  }
}
