import { useLayoutEffect, useMemo } from 'preact/hooks'
import { createLazyTopLayer } from '../lazyTopLayer.ts'
import { useWidget } from '../WidgetContext.ts'

/** Keeps the panel over the page's modal dialogs and popovers that it is opened from. */
export function useTopLayer(root: ShadowRoot, isInline: boolean): void {
  const { panel } = useWidget()
  const topLayer = useMemo(() => {
    const layer = root.querySelector<HTMLElement>('.layer')
    // In inline mode the panel is a part of the page.
    return layer && !isInline ? createLazyTopLayer(layer, panel.close) : undefined
  }, [])
  // Each time that the chat is asked for: what covers it may have come since the last time.
  useLayoutEffect(() => topLayer?.enter(), [panel.openCount.value])
  useLayoutEffect(() => () => topLayer?.leave(), [])
}
