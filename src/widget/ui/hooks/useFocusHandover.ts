import type { RefObject } from 'preact'
import { useLayoutEffect } from 'preact/hooks'
import { focusOn } from '../focus.ts'

/**
 * For what is replaced when the session changes: if it has the focus when it goes, the focus passes to what the selector
 * finds in its place. When the panel closes there is nothing to find.
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
