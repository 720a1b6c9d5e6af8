import { useLayoutEffect } from 'preact/hooks'
import type { PanelModel } from '../../conversation/panel.ts'
import { focusOn, initialFocus } from '../focus.ts'

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
