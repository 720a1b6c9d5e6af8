import { effect, type ReadonlySignal } from '@preact/signals-core'
import type { Strings } from '../../i18n/en.ts'
import { callDocument } from '../../loader/documentAccess.ts'
import type { Launcher } from '../../loader/launcher.ts'
import css from '../../styles/badge.css?inline'

/** What the badge is put into. */
export type LauncherParts = Pick<Launcher, 'root' | 'button'>

/** Keeps the number of unread messages at the launcher, whose accessible name says it, too. Returns what ends that. */
export function showLauncherBadge(
  { root, button }: LauncherParts,
  unread: ReadonlySignal<number>,
  isPanelOpen: ReadonlySignal<boolean>,
  strings: ReadonlySignal<Strings>,
): () => void {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(css)
  root.adoptedStyleSheets.push(sheet)
  const badge = button.appendChild(callDocument('createElement', 'span'))
  badge.className = 'badge'
  return effect(() => {
    const count = isPanelOpen.value ? 0 : unread.value
    badge.hidden = !count
    const digits = Math.min(count, 99).toLocaleString(strings.value.lang)
    badge.textContent = count > 99 ? `${digits}+` : digits
  })
}
