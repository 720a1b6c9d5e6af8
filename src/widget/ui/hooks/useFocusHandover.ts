import type { RefObject } from 'preact'
import { useLayoutEffect } from 'preact/hooks'
import { focusOn } from '../focus.ts'

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
