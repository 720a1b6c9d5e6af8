import { effect, type ReadonlySignal } from '@preact/signals-core'
import type { Clock } from '../environment/clock.ts'
import { formatCount, type Strings } from '../i18n/en.ts'
import type { Launcher } from '../loader/launcher.ts'
import { createAnnouncer } from './announcer.ts'

/** The elements of the launcher that the notifications are added to. */
export type LauncherParts = Pick<Launcher, 'root' | 'layer' | 'button'>

/**
 * Shows the number of unread messages at the launcher, and makes screen readers announce it. Returns a function that stops
 * the updates.
 */
export function showLauncherBadge(
  { layer, button }: LauncherParts,
  unread: ReadonlySignal<number>,
  isPanelOpen: ReadonlySignal<boolean>,
  strings: ReadonlySignal<Strings>,
  clock: Pick<Clock, 'setTimeout'>,
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
