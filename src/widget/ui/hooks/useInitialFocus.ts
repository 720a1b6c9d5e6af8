import { useLayoutEffect } from 'preact/hooks'
import { getFromDocument } from '../../loader/documentAccess.ts'
import type { PanelModel } from '../../models/panel.ts'
import { focusOn, initialFocus } from '../focus.ts'

/**
 * Moves the focus to the composer when the panel opens, and back to the launcher when it closes. `opener` is what had the
 * focus when the chat was asked for: fetching the panel takes time, in which the visitor may have gone on elsewhere.
 */
export function useInitialFocus(root: ShadowRoot, { opener, shouldTakeFocus }: PanelModel): void {
  useLayoutEffect(() => {
    // In the frame, for which the browser computes the layout anyway.
    const frame = requestAnimationFrame(() => {
      if (shouldTakeFocus.peek() && [opener.peek(), getFromDocument('body')].includes(getFromDocument('activeElement')))
        focusOn(root, initialFocus)
    })
    return () => {
      cancelAnimationFrame(frame)
      // A focus that is elsewhere in the page is not ours to move; a launcher that is inert takes none.
      if (root.activeElement?.closest('.panel')) focusOn(root, '.launcher')
    }
  }, [])
}
