import { type ReadonlySignal, signal } from '@preact/signals'
import { useContext, useLayoutEffect, useMemo } from 'preact/hooks'
import { LazyPartsContext } from '../LazyPartsContext.ts'

/**
 * Returns whether the panel covers the whole screen. While it does, the rest of the page and the launcher are inert, and
 * the custom properties `--top` and `--height` keep the panel above a phone's keyboard.
 */
export function useFullScreen(
  root: ShadowRoot,
  panelStyle: CSSStyleDeclaration,
  isInline: boolean,
): ReadonlySignal<boolean> {
  const viewport = window.visualViewport as VisualViewport
  const coveredPage = useContext(LazyPartsContext)?.transcript.part.value?.coveredPage
  const isFullScreen = useMemo(() => signal(false), [])
  const update = () => {
    isFullScreen.value = !isInline && coversScreen()
    // While the visitor has zoomed in, the visual viewport shows only a part of the panel.
    if (!isFullScreen.peek() || viewport.scale > 1.01) return
    // Read everything before writing: a read after a write computes styles and layout again.
    const { offsetTop, height } = viewport
    // The page's `zoom` scales our pixels, but not those of the viewport. The host has no box, so read it from its parent.
    const zoom = root.host.parentElement?.currentCSSZoom ?? 1
    panelStyle.setProperty('--top', `${offsetTop / zoom}px`)
    panelStyle.setProperty('--height', `${height / zoom}px`)
  }
  // The first time while rendering, before the panel is in the page: later, reading would force a layout.
  useMemo(update, [])

  useLayoutEffect(() => {
    const end = new AbortController()
    for (const event of ['resize', 'scroll']) viewport.addEventListener(event, update, { signal: end.signal })
    return () => end.abort(0)
  }, [])

  useLayoutEffect(() => {
    if (!isFullScreen.value || !coveredPage) return
    coveredPage.setCovered(true)
    return () => coveredPage.setCovered(false)
  }, [isFullScreen.value, coveredPage])

  return isFullScreen
}

/** The same condition as in panel.css. */
function coversScreen(): boolean {
  return matchMedia('(max-width:479px),(max-height:419px)').matches
}
