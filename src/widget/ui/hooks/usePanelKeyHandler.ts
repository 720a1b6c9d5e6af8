import { useWidget } from '../WidgetContext.ts'

/**
 * Returns the listener for all keyboard events of the panel. Escape closes it. The events don't reach the page, because
 * what the visitor types could trigger the page's keyboard shortcuts.
 */
export function usePanelKeyHandler(isInline: boolean): (event: KeyboardEvent) => void {
  const { panel } = useWidget()
  return event => {
    event.stopPropagation()
    if (event.type !== 'keydown' || event.key !== 'Escape') return
    // During composition, Escape closes the list of the IME. An inline panel always stays open.
    if (event.isComposing || isInline) return
    // Otherwise the browser would also close a popover of the page.
    event.preventDefault()
    panel.close()
  }
}
