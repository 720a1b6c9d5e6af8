import { type ReadonlySignal, signal } from '@preact/signals'
import { useLayoutEffect, useMemo } from 'preact/hooks'
import type { CoveredPage } from '../coveredPage.ts'
import { listen } from '../listen.ts'

/**
 * Whether the panel covers the whole screen; while it does, the rest of the page and the launcher are inert. Also keeps the
 * custom properties that then lay the panel out above a phone's keyboard.
 */
export function useFullScreen(
  root: ShadowRoot,
  panelStyle: CSSStyleDeclaration,
  coveredPage: CoveredPage,
  isInline: boolean,
): ReadonlySignal<boolean> {
  const viewport = window.visualViewport as VisualViewport
  const isFullScreen = useMemo(() => signal(false), [])
  const update = () => {
    isFullScreen.value = !isInline && coversScreen()
    // While the visitor has zoomed in, the visual viewport shows only a part of the panel.
    if (!isFullScreen.peek() || viewport.scale > 1.01) return
    // Read everything before anything is written: each read after a write would compute styles and layout again.
    const { offsetTop, height } = viewport
    // The page's own `zoom` enlarges our pixels, but not those of the viewport. The host has no box, so its parent is asked.
    const zoom = root.host.parentElement?.currentCSSZoom ?? 1
    panelStyle.setProperty('--top', `${offsetTop / zoom}px`)
    panelStyle.setProperty('--height', `${height / zoom}px`)
  }
  // First while rendering, before the panel is in the page: measuring would make the browser lay it out at once.
  useMemo(update, [])

  useLayoutEffect(() => {
    const stops = [listen(viewport, 'resize', update), listen(viewport, 'scroll', update)]
    return () => {
      for (const stop of stops) stop()
    }
  }, [])

  useLayoutEffect(() => {
    if (!isFullScreen.value) return
    coveredPage.setCovered(true)
    return () => coveredPage.setCovered(false)
  }, [isFullScreen.value])

  return isFullScreen
}

/** The same condition as in panel.css. */
function coversScreen(): boolean {
  return matchMedia('(max-width:479px),(max-height:419px)').matches
}
