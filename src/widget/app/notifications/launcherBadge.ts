import { effect, type ReadonlySignal } from '@preact/signals-core'
import type { Strings } from '../../i18n/en.ts'
import { formatCount } from '../../i18n/formatCount.ts'
import { callDocument } from '../../loader/documentAccess.ts'
import type { Launcher } from '../../loader/launcher.ts'
import css from '../../styles/badge.css?inline'
import type { Clock } from '../environment.ts'

/** What the badge is put into. */
export type LauncherParts = Pick<Launcher, 'root' | 'layer' | 'button'>

/**
 * Keeps the number of unread messages at the launcher, whose accessible name says it, too, and has screen readers announce
 * it. Returns what ends that.
 */
export function showLauncherBadge(
  { root, layer, button }: LauncherParts,
  unread: ReadonlySignal<number>,
  isPanelOpen: ReadonlySignal<boolean>,
  strings: ReadonlySignal<Strings>,
  clock: Pick<Clock, 'setTimeout'>,
): () => void {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(css)
  root.adoptedStyleSheets.push(sheet)
  const badge = button.appendChild(callDocument('createElement', 'span'))
  badge.className = 'badge'
  // Not in the button, whose content screen readers take for its name.
  const status = layer.appendChild(callDocument('createElement', 'span'))
  status.className = 'unread'
  status.setAttribute('role', 'status')
  let cancelTimer = () => {}
  const stop = effect(() => {
    const count = isPanelOpen.value ? 0 : unread.value
    badge.hidden = !count
    const digits = Math.min(count, 99).toLocaleString(strings.value.lang)
    badge.textContent = count > 99 ? `${digits}+` : digits
    status.lang = strings.value.lang
    const text = count ? formatCount(strings.value.chatUnread, count) : ''
    // What is there when the element comes is not announced.
    cancelTimer()
    cancelTimer = clock.setTimeout(() => {
      status.textContent = text
    }, 100)
  })
  return () => {
    stop()
    cancelTimer()
  }
}
