import type { TopLayer } from './topLayer.ts'
import { findInTopLayer } from './topLayerElements.ts'

/** Loads `topLayer.ts` if the page uses the top layer when the chat is opened. Few pages do. */
export function createLazyTopLayer(layer: HTMLElement, onClose: () => void): TopLayer {
  let topLayer: TopLayer | undefined
  let isPanelOpen = false

  async function enter() {
    try {
      const { createTopLayer } = await import('./topLayer.ts')
      if (!isPanelOpen) return
      topLayer ??= createTopLayer(layer, onClose)
      topLayer.enter()
    } catch {
      // The chat stays covered. The next request to open it retries.
    }
  }

  return {
    enter() {
      isPanelOpen = true
      if (findInTopLayer().length) void enter()
    },
    leave() {
      isPanelOpen = false
      topLayer?.leave()
    },
  }
}
