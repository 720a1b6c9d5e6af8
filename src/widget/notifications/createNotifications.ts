import { effect } from '@preact/signals-core'
import css from '../styles/notifications.css?inline'
import { playChime } from './chime.ts'
import type { NotificationsDeps } from './deps.ts'
import { showLauncherBadge } from './launcherBadge.ts'
import { showMessagePreview } from './messagePreview.ts'
import { createTitleBadge } from './titleBadge.ts'

export type Notifications = ReturnType<typeof createNotifications>

/** Time for another tab that shows the message to mark it as read. Messages that come meanwhile share one sound. */
const graceMs = 500

/**
 * Notifies the visitor of unread messages: at the launcher, in a preview, in the page's title, and by a sound, until
 * `abortSignal` is aborted. Tests replace `play`.
 */
export function createNotifications(deps: NotificationsDeps, play: () => void = playChime) {
  const { clock, abortSignal, launcherParts, titleBadge, unread, isPanelOpen, strings, page } = deps
  let cancelTimer: (() => void) | undefined
  const ends = [() => cancelTimer?.()]
  if (launcherParts) {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(css)
    launcherParts.root.adoptedStyleSheets.push(sheet)
    ends.push(showLauncherBadge(launcherParts, deps))
    if (`${deps.preview}` !== 'false') ends.push(showMessagePreview(launcherParts, deps))
  }
  if (/^(true)?$/.test(`${titleBadge}`)) {
    const title = createTitleBadge(clock)
    ends.push(
      effect(() => title.show(unread.value, strings.value.lang)),
      title.end,
    )
  }
  abortSignal.addEventListener('abort', () => {
    for (const end of ends) end()
  })
  return {
    /** Plays a sound for a new message after a moment, unless it has been read. Only one tab plays it. */
    announceMessage(): void {
      cancelTimer ??= clock.setTimeout(async () => {
        cancelTimer = undefined
        const isSeen = isPanelOpen.peek() && !page.isHidden()
        // Until the visitor has interacted with the page, browsers play nothing and log a warning.
        const canPlay = navigator.userActivation?.hasBeenActive !== false
        if (unread.peek() && !isSeen && canPlay && (await deps.conversation.messageStore.claim('soundedId'))) play()
      }, graceMs)
    },
  }
}
