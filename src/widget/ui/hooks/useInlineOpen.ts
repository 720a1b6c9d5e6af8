import type { RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { focusOn, initialFocus } from '../focus.ts'
import { useWidget } from '../WidgetContext.ts'

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
