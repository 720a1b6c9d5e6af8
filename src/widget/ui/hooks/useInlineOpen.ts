import type { RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { focusOn, initialFocus } from '../focus.ts'
import { useWidget } from '../WidgetContext.ts'

/** In inline mode the panel is open from the start: when the page asks for the chat, it is brought into view, with the focus. */
export function useInlineOpen(ref: RefObject<HTMLElement | null>, isInline: boolean): void {
  const count = useWidget().panel.openCount.value
  const shownCount = useRef(count)
  useLayoutEffect(() => {
    if (!isInline || count === shownCount.current) return
    shownCount.current = count
    const panel = ref.current as HTMLElement
    panel.scrollIntoView({ block: 'nearest' })
    focusOn(panel, initialFocus)
  }, [count])
}
