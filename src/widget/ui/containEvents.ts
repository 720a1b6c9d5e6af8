/**
 * - `wheel`, `touchmove`: smooth-scroll libraries handle these events on the window, prevent the default, and scroll the page
 *   instead. The transcript could not be scrolled.
 * - `focusin`: a modal of the page that is not a `<dialog>` moves the focus back when an element outside of it gets it.
 */
const containedTypes = ['wheel', 'touchmove', 'focusin']

/**
 * Stops some events of the widget from reaching the page's listeners. It can't stop them from reaching capturing listeners
 * on the window or the document. Returns a cleanup function.
 */
export function containEvents(root: ShadowRoot): () => void {
  // Passive, so that the browser need not wait for the listener before it scrolls.
  for (const type of containedTypes) root.addEventListener(type, stop, { passive: true })
  return () => {
    for (const type of containedTypes) root.removeEventListener(type, stop)
  }
}

const stop = (event: Event) => event.stopPropagation()
