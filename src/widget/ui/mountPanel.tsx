import './standardBind.ts'
import { render } from 'preact'
import type { WidgetModels } from '../app/createApp.ts'
import { callDocument } from '../loader/documentAccess.ts'
import css from '../styles/panel.css?inline'
import { adoptStyles } from './adoptStyles.ts'
import { createCoveredPage } from './coveredPage.ts'
import { keepEvents } from './keepEvents.ts'
import { LazyPartsContext } from './LazyPartsContext.ts'
import { createLazyParts } from './lazyParts.ts'
import { Panel } from './Panel.tsx'
import { WidgetContext } from './WidgetContext.ts'

/** Renders the panel into the widget's shadow root, where it shows whenever it is open. Returns its cleanup. */
export function mountPanel(root: ShadowRoot, models: WidgetModels, isInline = false): () => void {
  // Preact calls these methods of the document, and an element of the page with such a name covers them.
  for (const name of ['createElementNS', 'createTextNode'] as const) {
    if (typeof document[name] !== 'function') throw new Error(`An element of the page is named ${name}`)
  }
  const end = new AbortController()
  // A strict page forbids `style` attributes, so what is computed goes into the panel's own rule, the first one.
  const { style } = adoptStyles(root, css, end.signal).cssRules[0] as CSSStyleRule
  const coveredPage = createCoveredPage(root, end.signal)
  const lazyParts = createLazyParts(root, models.strings, end.signal)
  // Now, and not only when the panel opens.
  void lazyParts.transcript.load()
  const releaseEvents = keepEvents(root)
  const layer = root.querySelector('.layer') as HTMLElement
  const container = layer.appendChild(callDocument('createElement', 'div'))
  render(
    <WidgetContext.Provider value={models}>
      <LazyPartsContext.Provider value={lazyParts}>
        <Panel root={root} isInline={isInline} panelStyle={style} coveredPage={coveredPage} />
      </LazyPartsContext.Provider>
    </WidgetContext.Provider>,
    container,
  )
  return () => {
    render(null, container)
    end.abort(0)
    container.remove()
    releaseEvents()
  }
}
