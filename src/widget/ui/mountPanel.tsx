import { render } from 'preact'
import type { WidgetModels } from '../app/createApp.ts'
import css from '../styles/panel.css?inline'
import { adoptStyles } from './adoptStyles.ts'
import { containEvents } from './containEvents.ts'
import { LazyPartsContext } from './LazyPartsContext.ts'
import { createLazyParts } from './lazyParts.ts'
import { Panel } from './Panel.tsx'
import { WidgetContext } from './WidgetContext.ts'

/** Mounts the panel in the widget's shadow root. It is visible while `panel.isOpen`. Returns a cleanup function. */
export function mountPanel(root: ShadowRoot, models: WidgetModels, isInline = false): () => void {
  const end = new AbortController()
  // A strict Content Security Policy forbids `style` attributes. Computed styles are set in the first CSS rule, which is the panel's.
  const { style } = adoptStyles(root, css, end.signal).cssRules[0] as CSSStyleRule
  const lazyParts = createLazyParts(root, style, models, end.signal)
  // Start loading the transcript before the panel opens.
  void lazyParts.transcript.load()
  const stopContaining = containEvents(root)
  const layer = root.querySelector('.layer') as HTMLElement
  const container = layer.appendChild(document.createElement('div'))
  container.className = 'mount'
  render(
    <WidgetContext.Provider value={models}>
      <LazyPartsContext.Provider value={lazyParts}>
        <Panel root={root} isInline={isInline} panelStyle={style} />
      </LazyPartsContext.Provider>
    </WidgetContext.Provider>,
    container,
  )
  return () => {
    render(null, container)
    end.abort(0)
    container.remove()
    stopContaining()
  }
}
