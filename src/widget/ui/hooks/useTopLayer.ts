import { useLayoutEffect, useMemo } from 'preact/hooks'
import { useLazyPart } from '../LazyPartsContext.ts'
import { useWidget } from '../WidgetContext.ts'

/** Keeps the panel above modal dialogs and popovers of the page from which it is opened. */
export function useTopLayer(root: ShadowRoot, isInline: boolean): void {
  const { openCount, close } = useWidget().panel
  // In inline mode the panel is a part of the page.
  const createTopLayer = useLazyPart('more', !isInline)?.createTopLayer
  const topLayer = useMemo(() => createTopLayer?.(root.querySelector('.layer') as HTMLElement, close), [createTopLayer])
  // Run at each request to open the chat: something new may cover it.
  useLayoutEffect(() => topLayer?.enter(), [topLayer, openCount.value])
  useLayoutEffect(() => () => topLayer?.leave(), [topLayer])
}
