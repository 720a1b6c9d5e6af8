import type { JSX } from 'preact'
import { ErrorBoundary } from './ErrorBoundary.tsx'
import type { LazyDates } from './lazyDates.ts'
import { PanelDialog } from './PanelDialog.tsx'
import { useWidget } from './WidgetContext.ts'

export interface PanelProps {
  root: ShadowRoot
  /** The panel is a part of the page, and not a dialog beside it. */
  isInline: boolean
  /** The declarations of the style rule `.panel`. */
  panelStyle: CSSStyleDeclaration
  lazyDates: LazyDates
}

/**
 * The panel. It reads no signal: what holds a component as its child keeps the component's first rendering, with what was
 * said in it, as soon as that has updated itself.
 */
export function Panel(props: PanelProps): JSX.Element {
  return <OpenPanel {...props} />
}

/** The panel while it is open. */
function OpenPanel(props: PanelProps): JSX.Element | null {
  const { panel, areStringsReady } = useWidget()
  if (!panel.isOpen.value || !areStringsReady.value) return null
  return <ErrorBoundary render={() => <PanelDialog {...props} />} />
}
