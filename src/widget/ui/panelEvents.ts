import type { PanelModel } from '../conversation/panel.ts'
import { isOfComposition } from './Composer.tsx'
import { keepFocus } from './focus.ts'

/**
 * Events that don't reach the page, except for capturing listeners on the window or the document:
 * - `wheel`, `touchmove`: smooth-scroll libraries handle these events on the window, prevent the default, and scroll the page
 *   instead. The transcript could not be scrolled.
 * - `focusin`: a modal of the page that is not a `<dialog>` moves the focus back when an element outside of it gets it.
 */
const containedTypes = ['wheel', 'touchmove', 'focusin']

/** Handles the events of the whole panel. `container` holds the panel, or the error in its place. */
export function handlePanelEvents(
  root: ShadowRoot,
  container: HTMLElement,
  { close }: PanelModel,
  isInline: boolean,
  abortSignal: AbortSignal,
): void {
  const stop = (event: Event) => event.stopPropagation()
  // Passive, so that the browser need not wait for the listener before it scrolls.
  for (const type of containedTypes) root.addEventListener(type, stop, { passive: true, signal: abortSignal })
  // What the visitor types could trigger the page's keyboard shortcuts.
  for (const type of ['keydown', 'keypress', 'keyup']) container.addEventListener(type, stop)
  // An inline panel always stays open.
  if (!isInline) container.addEventListener('keydown', event => closeOnEscape(event, close))
  keepFocus(container, abortSignal)
}

function closeOnEscape(event: KeyboardEvent, close: () => void): void {
  if (event.key !== 'Escape' || isOfComposition(event)) return
  // Otherwise the browser would also close a popover of the page.
  event.preventDefault()
  close()
}
