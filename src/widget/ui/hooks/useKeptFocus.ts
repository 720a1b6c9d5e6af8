import type { RefObject } from 'preact'
import { useLayoutEffect } from 'preact/hooks'
import { keepFocusInside } from '../focus.ts'

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
    panel.addEventListener('focusin', onFocusIn)
    panel.addEventListener('focusout', onFocusOut)
    return () => {
      observer.disconnect()
      panel.removeEventListener('focusin', onFocusIn)
      panel.removeEventListener('focusout', onFocusOut)
    }
  }, [])
}
