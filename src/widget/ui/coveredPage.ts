import { getFromDocument } from '../loader/documentAccess.ts'

/** The page behind a panel that covers the whole screen. */
export interface CoveredPage {
  /** While it is covered, everything of it is inert, and so is the launcher. */
  setCovered(isCovered: boolean): void
}

/** The value of our `inert` attributes, which tells them from those of the page. */
const marker = 'natter'

/** What the page itself has made inert stays so. */
export function createCoveredPage(root: ShadowRoot, abortSignal: AbortSignal): CoveredPage {
  let isCovered = false
  /** The body whose children are `others`, beside the launcher. */
  let body: HTMLElement | undefined
  let others: HTMLElement[] = []

  function setInert(inert: boolean) {
    for (const element of others) {
      if (inert && !element.inert) element.setAttribute('inert', marker)
      // A page that has made it inert meanwhile has set the attribute anew, without our marker.
      if (!inert && isMarked(element)) element.inert = false
    }
  }

  function update() {
    const current = getFromDocument('body')
    if (current !== body) {
      setInert(false)
      body = current
      // A page may keep a copy of a body with our marks, and show it when the chat is closed: Turbo does, for Back and Forward.
      others = [...current.children, ...root.querySelectorAll('.launcher')].filter(
        (element): element is HTMLElement =>
          !element.contains(root.host) && (!(element as HTMLElement).inert || isMarked(element)),
      )
      observer.observe(current, { childList: true })
    }
    // If the page removes the chat, nothing covers it, and it must not stay inert.
    setInert(isCovered && root.host.isConnected)
  }

  const observer = new MutationObserver(() => {
    // Between the old body and the new one there is none.
    if (getFromDocument('body')) update()
  })
  abortSignal.addEventListener('abort', () => observer.disconnect())

  return {
    setCovered(next) {
      isCovered = next
      // What has come into the page while it was not covered is made inert, too.
      if (next) body = undefined
      update()
      if (next) observer.observe(getFromDocument('documentElement'), { childList: true })
    },
  }
}

const isMarked = (element: Element) => element.getAttribute('inert') === marker
