import type { RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { PanelModel } from '../conversation/panel.ts'
import { useWidget } from './WidgetContext.ts'

/** The selector of the element that gets the focus when the panel opens: the composer, or the button in its place. */
export const initialFocus = 'textarea, .sign-in'

/** Focuses the first element that matches the selector, without scrolling. */
export function focusOn(root: ParentNode, selector: string): void {
  root.querySelector<HTMLElement>(selector)?.focus({ preventScroll: true })
}

/**
 * Keeps the focus in the panel if a click removes the clicked element, such as a quick reply or Retry. Otherwise Escape and
 * Tab would no longer work.
 */
export function keepFocusInside(panel: HTMLElement): void {
  setTimeout(() => {
    // If the page has moved the focus in a click listener, leave it there.
    if (document.activeElement === document.body) focusOn(panel, '.log')
  })
}

/**
 * Moves the focus to the composer when the panel opens, and back to the launcher when it closes. If the focus has moved
 * away from `opener` while the panel was loading, the visitor is busy elsewhere, and the focus stays there.
 */
export function useInitialFocus(root: ShadowRoot, { opener, shouldTakeFocus }: PanelModel): void {
  useLayoutEffect(() => {
    // `focus()` forces a layout. In an animation frame the browser computes one anyway.
    const frame = requestAnimationFrame(() => {
      if (shouldTakeFocus.peek() && [opener.peek(), document.body].includes(document.activeElement))
        focusOn(root, initialFocus)
    })
    return () => {
      cancelAnimationFrame(frame)
      // Never take the focus from the page. `focus()` has no effect on a launcher that is inert.
      if (root.activeElement?.closest('.panel')) focusOn(root, '.launcher')
    }
  }, [])
}

/** In inline mode the panel is open from the start: when the page asks for the chat, it is brought into view, with the focus. */
export function useInlineOpen(ref: RefObject<HTMLElement | null>, isInline: boolean): void {
  const { openCount, shouldTakeFocus } = useWidget().panel
  const count = openCount.value
  // The page may have asked for it while it was loading.
  const shownCount = useRef(shouldTakeFocus.peek() ? 0 : count)
  useLayoutEffect(() => {
    if (!isInline || count === shownCount.current) return
    const panel = ref.current as HTMLElement
    panel.scrollIntoView({ block: 'nearest' })
    // At first, `useInitialFocus` decides: the visitor may have begun to write elsewhere.
    if (shownCount.current) focusOn(panel, initialFocus)
    shownCount.current = count
  }, [count])
}

/**
 * Passes on the focus when an element is replaced, for example because the session changes. If the removed element had the
 * focus, the first element that matches the selector gets it. When the panel closes, none matches.
 */
export function useFocusHandover(ref: RefObject<HTMLElement | null>, selector: string): void {
  useLayoutEffect(() => {
    const element = ref.current
    const root = element?.getRootNode() as ShadowRoot
    return () => {
      if (element?.contains(root.activeElement)) queueMicrotask(() => focusOn(root, selector))
    }
  }, [])
}

/**
 * Keeps the focus in the panel when the element that has it is removed without a click on it: a quick reply when another
 * message comes, the button of a notice that is over, a link in a row that the visitor has scrolled away from.
 */
export function useKeptFocus(ref: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const panel = ref.current as HTMLElement
    const root = panel.getRootNode() as ShadowRoot
    let focused: Element | null = null
    const onFocusIn = () => {
      focused = root.activeElement
    }
    // Some browsers send this event also for an element that is being removed, and it is still in the panel then.
    const onFocusOut = () => {
      const left = focused
      queueMicrotask(() => {
        if (left === focused && left?.isConnected) focused = null
      })
    }
    const observer = new MutationObserver(() => {
      if (!focused || focused.isConnected) return
      focused = null
      keepFocusInside(panel)
    })
    observer.observe(panel, { childList: true, subtree: true })
    // These need no cleanup: they are garbage-collected with the element.
    panel.addEventListener('focusin', onFocusIn)
    panel.addEventListener('focusout', onFocusOut)
    return () => observer.disconnect()
  }, [])
}
