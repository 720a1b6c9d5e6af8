/** What a page's smooth-scroll script listens to. */
const scrollEvents = ['wheel', 'touchmove']

/**
 * Keeps scrolling in the panel from the page's scripts. A smooth-scroll library takes every `wheel` and `touchmove` that
 * reaches the window, prevents what the browser would do, and scrolls the page itself: the transcript would stand still.
 * A listener that captures on the window or the document comes before ours, and nothing can be done about it.
 * Returns its cleanup.
 */
export function keepScrollEvents(root: ShadowRoot): () => void {
  // Passive: else the browser would wait for the listener before it scrolls.
  for (const type of scrollEvents) root.addEventListener(type, stop, { passive: true })
  return () => {
    for (const type of scrollEvents) root.removeEventListener(type, stop)
  }
}

const stop = (event: Event) => event.stopPropagation()
