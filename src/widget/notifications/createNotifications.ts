import css from '../styles/notifications.css?inline'
import { playChime } from './chime.ts'
import type { NotificationsDeps } from './deps.ts'
import { showLauncherBadge } from './launcherBadge.ts'
import { showMessagePreview } from './messagePreview.ts'
import { createTitleBadge, type TitleBadge } from './titleBadge.ts'

export type Notifications = ReturnType<typeof createNotifications>

/** Time for another tab that shows the message to mark it as read. Messages that come meanwhile share one sound. */
const graceMs = 500

/**
 * Notifies the visitor of unread messages: at the launcher, in a preview, in the page's title, and by a sound, until
 * `abortSignal` is aborted. Tests replace `play`.
 */
export function createNotifications(deps: NotificationsDeps, play: () => void = playChime) {
  const { clock, abortSignal, launcherParts, titleBadge, unread, isPanelOpen, strings, page } = deps
  const hasTitle = /^(true)?$/.test(`${titleBadge}`)
  let title: TitleBadge | undefined
  let cancelTimer: (() => void) | undefined
  const ends: (() => void)[] = []
  if (launcherParts) {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(css)
    launcherParts.root.adoptedStyleSheets.push(sheet)
    ends.push(showLauncherBadge(launcherParts, deps))
    if (`${deps.preview}` !== 'false') ends.push(showMessagePreview(launcherParts, deps))
  }
  abortSignal.addEventListener('abort', () => {
    for (const end of ends) end()
    title?.end()
    cancelTimer?.()
  })
  return {
    /** Shows the number of unread messages in the title, in every tab. */
    showUnread(): void {
      if (!hasTitle || abortSignal.aborted) return
      title ||= createTitleBadge(clock)
      title.show(unread.peek(), strings.peek().lang)
    },
    /** Plays a sound for a new message after a moment, unless it has been read. Only one tab plays it. */
    announceMessage(): void {
      if (abortSignal.aborted || cancelTimer) return
      cancelTimer = clock.setTimeout(async () => {
        cancelTimer = undefined
        const isSeen = isPanelOpen.peek() && !page.isHidden()
        // Until the visitor has interacted with the page, browsers play nothing and log a warning.
        const canPlay = navigator.userActivation?.hasBeenActive !== false
        if (unread.peek() && !isSeen && canPlay && (await deps.conversation.messageStore.claim('soundedId'))) play()
      }, graceMs)
    },
  }
}
