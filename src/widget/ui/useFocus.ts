import type { RefObject } from 'preact'
import { useLayoutEffect } from 'preact/hooks'

/**
 * Moves the focus to the composer on opening and back to the launcher on closing. Gives a handler for clicks: when
 * what was clicked is gone (a quick reply, Retry, End chat), the focus stays in the panel, where Escape and Tab work.
 */
export function useFocus(root: ShadowRoot, dialog: RefObject<HTMLElement | null>): () => void {
  useLayoutEffect(() => {
    const panel = dialog.current
    panel?.querySelector('textarea')?.focus({ preventScroll: true })
    return () => {
      // In the visitor's hands elsewhere, the focus is not ours to move.
      if (!panel?.contains(root.activeElement)) return
      const launcher = root.querySelector<HTMLElement>('[part~=launcher]')
      // After the other hooks' undoing: an inert launcher takes no focus.
      queueMicrotask(() => launcher?.focus({ preventScroll: true }))
    }
  }, [])
  return () =>
    setTimeout(() => {
      const panel = dialog.current
      if (panel && !root.activeElement) panel.querySelector<HTMLElement>('[role=log]')?.focus({ preventScroll: true })
    })
}
