import { getFromDocument } from '../loader/documentAccess.ts'
import type { TopLayer } from './topLayer.ts'

/** What browsers draw over everything else. */
const selectors = [':modal', ':popover-open', ':fullscreen:not(:root)']

/** Fetches what keeps the panel over the page's top layer when it is opened and there is something: few pages have that. */
export function createLazyTopLayer(layer: HTMLElement, onClose: () => void): TopLayer {
  let topLayer: TopLayer | undefined
  let isOpen = false

  async function enter() {
    try {
      const { createTopLayer } = await import('./topLayer.ts')
      if (!isOpen) return
      topLayer ??= createTopLayer(layer, onClose)
      topLayer.enter()
    } catch {
      // The chat stays behind what covers it. Opened again, it tries again.
    }
  }

  return {
    enter() {
      isOpen = true
      if (isTopLayerInUse()) void enter()
    },
    leave() {
      isOpen = false
      topLayer?.leave()
    },
  }
}

/** In the document, and in the shadow roots around what has the focus. */
function isTopLayerInUse(): boolean {
  const roots: ParentNode[] = [getFromDocument('documentElement')]
  for (let root = getFromDocument('activeElement')?.shadowRoot; root; root = root.activeElement?.shadowRoot)
    roots.push(root)
  // A browser that doesn't know a selector throws, and has nothing of the kind.
  const known = selectors.filter(selector => CSS.supports(`selector(${selector})`))
  return roots.some(root => known.some(selector => root.querySelector(selector)))
}
