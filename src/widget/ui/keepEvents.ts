/**
 * - `wheel`, `touchmove`: a smooth-scroll library takes all that reach the window, prevents what the browser would do, and
 *   scrolls the page itself. The transcript would stand still.
 * - `focusin`: a modal of the page that is no `<dialog>` takes the focus back from whatever is outside of it.
 */
const kept = ['wheel', 'touchmove', 'focusin']

/**
 * Keeps events of the widget from the page's scripts. A listener that captures on the window or the document hears of them
 * before we do; nothing can be done about that. Returns its cleanup.
 */
export function keepEvents(root: ShadowRoot): () => void {
  // Passive: else the browser would wait for the listener before it scrolls.
  for (const type of kept) root.addEventListener(type, stop, { passive: true })
  return () => {
    for (const type of kept) root.removeEventListener(type, stop)
  }
}

const stop = (event: Event) => event.stopPropagation()
