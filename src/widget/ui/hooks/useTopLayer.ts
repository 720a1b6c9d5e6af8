import { useLayoutEffect, useMemo } from 'preact/hooks'
import { createLazyTopLayer } from '../lazyTopLayer.ts'
import { useWidget } from '../WidgetContext.ts'

/** Keeps the panel above modal dialogs and popovers of the page from which it is opened. */
export function useTopLayer(root: ShadowRoot, isInline: boolean): void {
  const { panel } = useWidget()
  const topLayer = useMemo(() => {
    const layer = root.querySelector<HTMLElement>('.layer')
    // In inline mode the panel is a part of the page.
    return layer && !isInline ? createLazyTopLayer(layer, panel.close) : undefined
  }, [])
  // Run at each request to open the chat: something new may cover it.
  useLayoutEffect(() => topLayer?.enter(), [panel.openCount.value])
  useLayoutEffect(() => () => topLayer?.leave(), [])
}
