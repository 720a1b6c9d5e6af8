import { topLayerSelector } from './topLayerSelector.ts'

/** The page behind a panel that covers the whole screen. */
export interface CoveredPage {
  /** While the page is covered, all of it is inert, and so is the launcher. */
  setCovered(isCovered: boolean): void
}

/** The value of our `inert` attributes, to distinguish them from the page's. */
const marker = 'natter'

/** Elements that the page has made inert stay inert. */
export function createCoveredPage(root: ShadowRoot, abortSignal: AbortSignal): CoveredPage {
  let isCovered = false
  /** The body that is observed. */
  let body: HTMLElement | undefined

  function setInert(inert: boolean) {
    if (!body) return
    for (const element of [...body.children, ...root.querySelectorAll('.launcher')]) {
      if (!inert || element.contains(root.host)) release(element)
      else if (!(element as HTMLElement).inert && !isAbovePanel(element)) element.setAttribute('inert', marker)
    }
  }

  function update() {
    const current = document.body
    if (current !== body) {
      setInert(false)
      body = current
      observer.observe(current, { childList: true })
    }
    // The body may contain our markers: Turbo keeps copies of bodies for Back and Forward. If the page removes the chat,
    // nothing covers the page any more, so it must not stay inert.
    setInert(isCovered && root.host.isConnected)
  }

  const observer = new MutationObserver(records => {
    // The page may add a removed element again later, in another place.
    for (const { removedNodes } of records) {
      for (const node of removedNodes) if (node instanceof Element) release(node)
    }
    // After the old body is removed and before the new one is added, there is none.
    if (document.body) update()
  })
  abortSignal.addEventListener('abort', () => observer.disconnect())

  return {
    setCovered(next) {
      isCovered = next
      update()
      if (next) observer.observe(document.documentElement, { childList: true })
    },
  }
}

/** Modal dialogs and popovers, also those that aren't open yet: the page may open them above the panel. */
const isAbovePanel = (element: Element) => element.matches(`dialog:not([open]),[popover],${topLayerSelector}`)

/** If the page has made the element inert meanwhile, the attribute has another value. */
function release(element: Element) {
  if (element.getAttribute('inert') === marker) element.removeAttribute('inert')
}
