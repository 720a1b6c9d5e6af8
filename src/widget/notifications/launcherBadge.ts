import { effect } from '@preact/signals-core'
import { formatCount } from '../i18n/en.ts'
import { createAnnouncer } from './announcer.ts'
import type { LauncherParts, NotificationsDeps } from './deps.ts'

/**
 * Shows the number of unread messages at the launcher, and makes screen readers announce it. Returns a function that stops
 * the updates.
 */
export function showLauncherBadge(
  { layer, button }: LauncherParts,
  { unread, isPanelOpen, strings, clock }: NotificationsDeps,
): () => void {
  const badge = button.appendChild(document.createElement('span'))
  badge.className = 'badge'
  // Outside the button, because screen readers would read its content as part of the button's name.
  const announcer = createAnnouncer(layer, clock)
  const stop = effect(() => {
    const { lang, chatUnread } = strings.value
    const count = isPanelOpen.value ? 0 : unread.value
    badge.hidden = !count
    const digits = Math.min(count, 99).toLocaleString(lang)
    badge.textContent = count > 99 ? `${digits}+` : digits
    announcer.announce(count ? formatCount(chatUnread, count) : '', lang)
  })
  return () => {
    stop()
    announcer.end()
  }
}
