import { useLayoutEffect, useRef } from 'preact/hooks'
import type { PanelModel } from '../conversation/panel.ts'
import { useWidget } from './WidgetContext.ts'

/** The selector of the element that gets the focus when the panel opens: the composer, or the button in its place. */
export const initialFocus = 'textarea, .sign-in, .title button'

/** Focuses the first element that matches the selector, without scrolling. */
export function focusOn(root: ParentNode, selector: string): void {
  root.querySelector<HTMLElement>(selector)?.focus({ preventScroll: true })
}

/**
 * Moves the focus to the composer when the panel opens, and back to the launcher when it closes. If the focus has moved
 * away from `opener` while the panel was loading, the visitor is busy elsewhere, and the focus stays there.
 */
export function useInitialFocus(root: ShadowRoot, { isOpen, opener, shouldTakeFocus }: PanelModel): void {
  useLayoutEffect(() => {
    // `focus()` forces a layout. In an animation frame the browser computes one anyway.
    const frame = requestAnimationFrame(() => {
      if (shouldTakeFocus.peek() && [opener.peek(), document.body].includes(document.activeElement))
        focusOn(root, initialFocus)
    })
    return () => {
      cancelAnimationFrame(frame)
      // Never take the focus from the page, nor from an error that replaces the panel. `focus()` has no effect on a launcher
      // that is inert.
      if (!isOpen.peek() && root.activeElement?.closest('.panel')) focusOn(root, '.launcher')
    }
  }, [])
}

/** In inline mode the panel is open from the start: when the page asks for the chat, it is brought into view, with the focus. */
export function useInlineOpen(root: ShadowRoot, isInline: boolean): void {
  const { openCount, shouldTakeFocus } = useWidget().panel
  const count = openCount.value
  // The page may have asked for it while it was loading.
  const shownCount = useRef(shouldTakeFocus.peek() ? 0 : count)
  useLayoutEffect(() => {
    if (!isInline || count === shownCount.current) return
    root.querySelector('.panel')?.scrollIntoView({ block: 'nearest' })
    // At first, `useInitialFocus` decides: the visitor may have begun to write elsewhere.
    if (shownCount.current) focusOn(root, initialFocus)
    shownCount.current = count
  }, [count])
}

/**
 * Keeps the focus in the panel when the element that has it is removed: the composer of a session that has ended, a quick reply
 * when another message comes, a link in a row that the visitor has scrolled away from. Otherwise Escape and Tab would no longer
 * work. `container` holds the panel, or the error in its place.
 */
export function keepFocus(container: HTMLElement, abortSignal: AbortSignal): void {
  const root = container.getRootNode() as ShadowRoot
  // If the page has moved the focus, leave it there.
  const focusUnlessTaken = (selector: string) =>
    document.activeElement === document.body && focusOn(container, selector)
  let focused: Element | null = null
  const onFocusIn = () => {
    focused = root.activeElement
  }
  // Some browsers send this event also for an element that is being removed, and it is still in the panel then. All send it
  // when the window loses the focus, which the element keeps.
  const onFocusOut = () =>
    queueMicrotask(() => {
      if (focused?.isConnected && focused !== root.activeElement) focused = null
    })
  const observer = new MutationObserver(() => {
    if (!focused || focused.isConnected) return
    const selector = successorOf(focused)
    focused = null
    focusUnlessTaken(selector)
  })
  observer.observe(container, { childList: true, subtree: true })
  abortSignal.addEventListener('abort', () => observer.disconnect())
  // These need no cleanup: they are garbage-collected with the element.
  container.addEventListener('focusin', onFocusIn)
  container.addEventListener('focusout', onFocusOut)
  // Safari takes the focus from the field when a button is clicked, and gives it to nothing.
  container.addEventListener('click', () => setTimeout(focusUnlessTaken, 0, '.log'))
}

/** The selector of what gets the focus in the place of a removed element, by what was removed with it. */
function successorOf(removed: Element): string {
  if (removed.closest('.more')) return '[aria-haspopup]'
  return removed.closest('form, .panel') ? initialFocus : '.log'
}
