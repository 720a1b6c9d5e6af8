import { useLayoutEffect, useRef } from 'preact/hooks'
import type { TopLayer } from '../topLayer.ts'
import { findInTopLayer } from '../topLayerElements.ts'
import { useWidget } from '../WidgetContext.ts'

/** Keeps the panel above modal dialogs and popovers of the page from which it is opened. Few pages need the code for it. */
export function useTopLayer(root: ShadowRoot, isInline: boolean): void {
  const { openCount, close } = useWidget().panel
  const topLayer = useRef<TopLayer | undefined>(undefined)
  // Run at each request to open the chat: something new may cover it.
  useLayoutEffect(() => {
    const layer = root.querySelector<HTMLElement>('.layer')
    // In inline mode the panel is a part of the page.
    if (!layer || isInline || !findInTopLayer().length) return
    let isCurrent = true
    const enter = async () => {
      try {
        const { createTopLayer } = await import('../topLayer.ts')
        if (!isCurrent) return
        topLayer.current ??= createTopLayer(layer, close)
        topLayer.current.enter()
      } catch {
        // The chat stays covered. The next request to open it retries.
      }
    }
    void enter()
    return () => {
      isCurrent = false
    }
  }, [openCount.value])
  useLayoutEffect(() => () => topLayer.current?.leave(), [])
}
