import type { RefObject } from 'preact'
import { useLayoutEffect } from 'preact/hooks'
import { focusOn } from '../focus.ts'

/**
 * For an element that another one replaces, as when the session changes: if it has the focus when it is removed, what the
 * selector finds afterwards gets the focus. When the panel closes, nothing is found.
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
