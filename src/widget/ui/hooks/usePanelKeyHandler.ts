import { useWidget } from '../WidgetContext.ts'

/**
 * Returns the listener for all keyboard events of the panel. Escape closes it. What is typed in it is kept from the page, which
 * would take it for its shortcuts.
 */
export function usePanelKeyHandler(isInline: boolean): (event: KeyboardEvent) => void {
  const { panel } = useWidget()
  return event => {
    event.stopPropagation()
    if (event.type !== 'keydown' || event.key !== 'Escape') return
    // An IME closes its own list with Escape. As a part of the page the panel stays open: a visitor would miss it there.
    if (event.isComposing || isInline) return
    // The browser would close a popover of the page as well.
    event.preventDefault()
    panel.close()
  }
}
