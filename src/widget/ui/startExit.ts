import { computed, effect } from '@preact/signals'

/** As long as the animation of `.leaving`. */
const exitMs = 120

/**
 * Lets a closed panel move out. Call it when Preact is about to remove the element. The element is then put back for a
 * moment: it can't be used, screen readers don't know of it, and nothing updates it. `canStay` reads signals: when it becomes
 * false, the element is removed at once.
 */
export function startExit(element: HTMLElement, canStay: () => boolean): void {
  const layer = element.closest('.layer')
  const { host } = element.getRootNode() as ShadowRoot
  // The layer is about to leave the top layer. The page's dialog or popover would then cover the panel.
  if (!layer || layer.closest('.modal, [popover]')) return
  const restoreScroll = saveScroll(element)
  const isAllowed = computed(canStay)
  // By then the element is removed.
  queueMicrotask(() => {
    const isHidden = (host as HTMLElement).hidden
    if (isHidden || !isAllowed.peek() || matchMedia('(prefers-reduced-motion: reduce)').matches) return
    element.classList.add('leaving')
    element.inert = true
    element.setAttribute('aria-hidden', 'true')
    // Before the launcher, so that the panel's shadow does not fall on it.
    layer.prepend(element)
    restoreScroll()
    const end = () => {
      stop()
      hiding.disconnect()
      clearTimeout(timer)
      element.remove()
    }
    // Not the end of the animation, which does not come while the page is hidden.
    const timer = setTimeout(end, exitMs)
    // When the page shows the widget again, the animation would start again.
    const hiding = new MutationObserver(end)
    hiding.observe(host, { attributeFilter: ['hidden'] })
    const stop = effect(() => {
      if (!isAllowed.value) end()
    })
  })
}

/** Returns a function that restores the scroll positions, which removed elements lose. */
function saveScroll(panel: Element) {
  const scrolled = [...panel.querySelectorAll('*')]
    .map(element => ({ element, top: element.scrollTop, left: element.scrollLeft }))
    .filter(({ top, left }) => top || left)
  return () => {
    for (const { element, top, left } of scrolled) element.scrollTo({ top, left, behavior: 'instant' })
  }
}
