import type { ReadonlySignal } from '@preact/signals-core'
import type { Strings } from '../../i18n/en.ts'
import { getFromDocument } from '../../loader/documentAccess.ts'
import type { WidgetOptions } from '../../loader/options.ts'
import type { Clock } from '../environment.ts'
import { playChime } from './chime.ts'
import { type LauncherParts, showLauncherBadge } from './launcherBadge.ts'
import { createTitleBadge, type TitleBadge } from './titleBadge.ts'

/** Tells the visitor of unread messages: at the launcher, in the page's title, and by a sound. */
export interface Notifications {
  /** Shows the number of unread messages, in every tab. */
  showUnread(): void
  /** Plays a sound for a message that has just come, unless it is read by then; in the leading tab alone. */
  announceMessage(): void
}

export interface NotificationsDeps {
  clock: Clock
  abortSignal: AbortSignal
  /** None where there is only an app. */
  launcherParts?: LauncherParts | undefined
  /** As an attribute it may have no value at all. */
  titleBadge?: WidgetOptions['titleBadge']
  unread: ReadonlySignal<number>
  isPanelOpen: ReadonlySignal<boolean>
  /** Numbers have the digits of their language. */
  strings: ReadonlySignal<Strings>
  isLeader(): boolean
}

/** Time for another tab that shows the message to mark it as read. Messages that come meanwhile share one sound. */
const graceMs = 500

/** Ends with `abortSignal`. Tests replace `play`. */
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
