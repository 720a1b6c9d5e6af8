import { effect, type ReadonlySignal } from '@preact/signals-core'
import type { Clock } from '../../environment/clock.ts'
import { formatCount, type Strings } from '../../i18n/en.ts'
import { callDocument } from '../../loader/documentAccess.ts'
import type { Launcher } from '../../loader/launcher.ts'
import css from '../../styles/badge.css?inline'

/** The elements of the launcher that the badge is added to. */
export type LauncherParts = Pick<Launcher, 'root' | 'layer' | 'button'>

/**
 * Shows the number of unread messages at the launcher, and makes screen readers announce it. Returns a function that stops
 * the updates.
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
  // Outside the button, because screen readers would read its content as part of the button's name.
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
    // Screen readers announce only changes of a status, so set the text a moment after the element was added.
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
