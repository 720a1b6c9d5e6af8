/**
 * Remembers the first click on the site's own launcher until the chunk that handles such clicks is loaded, or the widget is
 * destroyed. Returns a function that stops listening and returns the click.
 */
export function queueClicks(selector: unknown, widgetEnd: AbortSignal): () => Event | undefined {
  let queued: Event | undefined
  function queueClick(event: Event) {
    try {
      if (!(event.target as Element).closest(`${selector}`)) return
      event.preventDefault()
      queued ||= event
    } catch {
      // The selector is invalid, which is reported later, or the target is no element.
    }
  }
  if (selector && !widgetEnd.aborted) {
    document.addEventListener('click', queueClick, { capture: true, signal: widgetEnd })
  }
  return () => {
    document.removeEventListener('click', queueClick, true)
    return queued
  }
}
