import type { ReadonlySignal } from '@preact/signals-core'
import type { Clock } from '../../environment/clock.ts'
import type { Strings } from '../../i18n/en.ts'
import { getFromDocument } from '../../loader/documentAccess.ts'
import type { WidgetOptions } from '../../loader/options.ts'
import { playChime } from './chime.ts'
import { type LauncherParts, showLauncherBadge } from './launcherBadge.ts'
import { createTitleBadge, type TitleBadge } from './titleBadge.ts'

/** Notifies the visitor of unread messages: at the launcher, in the page's title, and by a sound. */
export interface Notifications {
  /** Shows the number of unread messages, in every tab. */
  showUnread(): void
  /** Plays a sound for a new message after a moment, unless it has been read. Only the leading tab plays it. */
  announceMessage(): void
}

export interface NotificationsDeps {
  clock: Clock
  abortSignal: AbortSignal
  /** Missing if there is no launcher. */
  launcherParts?: LauncherParts | undefined
  /** The option, or the value of the attribute, which may be empty. */
  titleBadge?: WidgetOptions['titleBadge']
  unread: ReadonlySignal<number>
  isPanelOpen: ReadonlySignal<boolean>
  /** Also determine the digits in which numbers are written. */
  strings: ReadonlySignal<Strings>
  isLeader(): boolean
}

/** Time for another tab that shows the message to mark it as read. Messages that come meanwhile share one sound. */
const graceMs = 500

/** Notifications end when `abortSignal` is aborted. Tests replace `play`. */
export function createNotifications(
  { clock, abortSignal, launcherParts, titleBadge, unread, isPanelOpen, strings, isLeader }: NotificationsDeps,
  play: () => void = playChime,
): Notifications {
  const hasTitle = /^(true)?$/.test(`${titleBadge}`)
  let title: TitleBadge | undefined
  let cancelTimer: (() => void) | undefined
  const endBadge = launcherParts && showLauncherBadge(launcherParts, unread, isPanelOpen, strings, clock)
  abortSignal.addEventListener('abort', () => {
    endBadge?.()
    title?.end()
    cancelTimer?.()
  })
  return {
    showUnread() {
      if (!hasTitle || abortSignal.aborted) return
      title ||= createTitleBadge(clock)
      title.show(unread.peek(), strings.peek().lang)
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
