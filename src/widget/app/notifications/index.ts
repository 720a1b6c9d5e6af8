import type { ReadonlySignal } from '@preact/signals-core'
import type { PanelModel } from '../../models/panel.ts'
import type { Clock } from '../environment.ts'
import { playChime } from './chime.ts'
import { createTitleBadge } from './titleBadge.ts'

/** Tells of messages that nobody has seen, beside the launcher's badge. */
export interface Notifications {
  /** The number of unread messages has changed: the page's title shows it, in every tab. */
  unread(): void
  /** A message has come: of all tabs, the one that acts for them sounds, unless it has been seen by then. */
  message(): void
}

export interface NotificationsDeps {
  clock: Clock
  abortSignal: AbortSignal
  unread: ReadonlySignal<number>
  isLeader(): boolean
  panel: Pick<PanelModel, 'isOpen'>
}

/** Time for another tab, which may show the message, to say so; what comes meanwhile sounds as one. */
const graceMs = 500

/** `play` is for tests. It all ends with `over`. */
export function createNotifications(
  { clock, abortSignal, unread, isLeader, panel }: NotificationsDeps,
  play: () => void = playChime,
): Notifications {
  let badge: ReturnType<typeof createTitleBadge> | undefined
  let cancelTimer: (() => void) | undefined
  abortSignal.addEventListener('abort', () => {
    badge?.end()
    cancelTimer?.()
  })
  return {
    unread() {
      if (abortSignal.aborted) return
      badge ||= createTitleBadge()
      badge.show(unread.peek())
    },
    message() {
      if (abortSignal.aborted || cancelTimer) return
      cancelTimer = clock.setTimeout(() => {
        cancelTimer = undefined
        const looksAt = panel.isOpen.peek() && !document.hidden
        if (unread.peek() && isLeader() && !looksAt) play()
      }, graceMs)
    },
  }
}
