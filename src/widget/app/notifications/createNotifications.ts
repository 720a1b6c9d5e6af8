import type { ReadonlySignal } from '@preact/signals-core'
import { getFromDocument } from '../../loader/documentAccess.ts'
import type { Clock } from '../environment.ts'
import { playChime } from './chime.ts'
import { createTitleBadge, type TitleBadge } from './titleBadge.ts'

/** Tells the visitor of unread messages, beside the launcher's own badge. */
export interface Notifications {
  /** Shows the number of unread messages in the page's title; in every tab. */
  updateTitle(): void
  /** Plays a sound for a message that has just come, unless it is read by then; in the leading tab alone. */
  announceMessage(): void
}

export interface NotificationsDeps {
  clock: Clock
  abortSignal: AbortSignal
  unread: ReadonlySignal<number>
  isPanelOpen: ReadonlySignal<boolean>
  isLeader(): boolean
}

/** Time for another tab that shows the message to mark it as read. Messages that come meanwhile share one sound. */
const graceMs = 500

/** Ends with `abortSignal`. Tests replace `play`. */
export function createNotifications(
  { clock, abortSignal, unread, isPanelOpen, isLeader }: NotificationsDeps,
  play: () => void = playChime,
): Notifications {
  let badge: TitleBadge | undefined
  let cancelTimer: (() => void) | undefined
  abortSignal.addEventListener('abort', () => {
    badge?.end()
    cancelTimer?.()
  })
  return {
    updateTitle() {
      if (abortSignal.aborted) return
      badge ||= createTitleBadge(clock)
      badge.show(unread.peek())
    },
    announceMessage() {
      if (abortSignal.aborted || cancelTimer) return
      cancelTimer = clock.setTimeout(() => {
        cancelTimer = undefined
        const isSeen = isPanelOpen.peek() && !getFromDocument('hidden')
        if (unread.peek() && isLeader() && !isSeen) play()
      }, graceMs)
    },
  }
}
