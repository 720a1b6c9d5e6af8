import { getFromDocument } from '../loader/documentAccess.ts'

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
  /** The body that `others` was read from. */
  let body: HTMLElement | undefined
  let others: HTMLElement[] = []

  function setInert(inert: boolean) {
    for (const element of others) {
      if (inert && !element.inert) element.setAttribute('inert', marker)
      // If the page has made the element inert meanwhile, the attribute has another value.
      if (!inert && isMarked(element)) element.inert = false
    }
  }

  function update() {
    const current = getFromDocument('body')
    if (current !== body) {
      setInert(false)
      body = current
      // The new body may contain our markers: Turbo keeps copies of bodies for Back and Forward.
      others = [...current.children, ...root.querySelectorAll('.launcher')].filter(
        (element): element is HTMLElement =>
          !element.contains(root.host) && (!(element as HTMLElement).inert || isMarked(element)),
      )
      observer.observe(current, { childList: true })
    }
    // If the page removes the chat, nothing covers the page any more, so it must not stay inert.
    setInert(isCovered && root.host.isConnected)
  }

  const observer = new MutationObserver(() => {
    // After the old body is removed and before the new one is added, there is none.
    if (getFromDocument('body')) update()
  })
  abortSignal.addEventListener('abort', () => observer.disconnect())

  return {
    setCovered(next) {
      isCovered = next
      // Read the children again: elements may have been added while the page was not covered.
      if (next) body = undefined
      update()
      if (next) observer.observe(getFromDocument('documentElement'), { childList: true })
    },
  }
}

const isMarked = (element: Element) => element.getAttribute('inert') === marker
