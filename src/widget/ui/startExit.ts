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
  const log = element.querySelector('.log')
  const top = log?.scrollTop ?? 0
  const isAllowed = computed(canStay)
  // By then the element is removed.
  queueMicrotask(() => {
    if (!layer || !isAllowed.peek() || matchMedia('(prefers-reduced-motion: reduce)').matches) return
    element.classList.add('leaving')
    element.inert = true
    element.setAttribute('aria-hidden', 'true')
    layer.append(element)
    if (log) log.scrollTop = top
    const end = () => {
      stop()
      clearTimeout(timer)
      element.remove()
    }
    // Not the end of the animation, which does not come while the page is hidden.
    const timer = setTimeout(end, exitMs)
    const stop = effect(() => {
      if (!isAllowed.value) end()
    })
  })
}
