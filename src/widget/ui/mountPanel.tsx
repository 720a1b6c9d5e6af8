import { type JSX, render } from 'preact'
import type { WidgetModels } from '../app/createApp.ts'
import css from '../styles/panel.css?inline'
import { adoptStyles } from './adoptStyles.ts'
import { LazyPartsContext } from './LazyPartsContext.ts'
import { createLazyParts } from './lazyParts.ts'
import { PanelDialog, type PanelDialogProps } from './PanelDialog.tsx'
import { ErrorBoundary } from './PanelError.tsx'
import { handlePanelEvents } from './panelEvents.ts'
import { useWidget, WidgetContext } from './WidgetContext.ts'

/** Mounts the panel in the widget's shadow root. It is visible while `panel.isOpen`. Returns a cleanup function. */
export function mountPanel(root: ShadowRoot, models: WidgetModels, isInline = false): () => void {
  const end = new AbortController()
  // A strict Content Security Policy forbids `style` attributes. Computed styles are set in the first CSS rule, which is the panel's.
  const { style } = adoptStyles(root, css, end.signal).cssRules[0] as CSSStyleRule
  const lazyParts = createLazyParts(root, style, models, end.signal)
  // Start loading the transcript before the panel opens.
  lazyParts.transcript.load()
  const layer = root.querySelector('.layer') as HTMLElement
  const container = layer.appendChild(document.createElement('div'))
  container.className = 'mount'
  handlePanelEvents(root, container, models.panel, isInline, end.signal)
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
  }
}

/**
 * The panel. This component must never read a signal: when a child re-renders itself, the parent still holds the child's
 * first vnode, and thereby keeps the previous visitor's messages in memory.
 */
function Panel(props: PanelDialogProps): JSX.Element {
  return <OpenPanel {...props} />
}

function OpenPanel(props: PanelDialogProps): JSX.Element | null {
  const { panel, areStringsReady } = useWidget()
  if (!panel.isOpen.value || !areStringsReady.value) return null
  return <ErrorBoundary isInline={props.isInline} render={() => <PanelDialog {...props} />} />
}
