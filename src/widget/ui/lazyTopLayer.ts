import type { TopLayer } from './topLayer.ts'
import { findInTopLayer } from './topLayerElements.ts'

/** Fetches what keeps the panel over the page's top layer, if that is in use when the chat is opened. On few pages it is. */
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
      // The chat stays behind what covers it. The next opening tries again.
    }
  }

  return {
    enter() {
      isOpen = true
      if (findInTopLayer().length) void enter()
    },
    leave() {
      isOpen = false
      topLayer?.leave()
    },
  }
}
