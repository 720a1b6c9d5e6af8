import type { JSX } from 'preact'
import type { CoveredPage } from './coveredPage.ts'
import { ErrorBoundary } from './ErrorBoundary.tsx'
import { PanelDialog } from './PanelDialog.tsx'
import { useWidget } from './WidgetContext.ts'

export interface PanelProps {
  root: ShadowRoot
  /** The panel is a part of the page, and not a dialog beside it. */
  isInline: boolean
  /** The declarations of the style rule `.panel`. */
  panelStyle: CSSStyleDeclaration
  coveredPage: CoveredPage
}

/**
 * The panel. It reads no signal and renders no children of its own: when a child re-renders by itself, its parent still holds
 * the child's first vnode, and with it the previous visitor's messages in memory.
 */
export function Panel(props: PanelProps): JSX.Element {
  return <OpenPanel {...props} />
}

/** The panel while it is open. */
function OpenPanel(props: PanelProps): JSX.Element | null {
  const { panel, areStringsReady } = useWidget()
  if (!panel.isOpen.value || !areStringsReady.value) return null
  return <ErrorBoundary isInline={props.isInline} render={() => <PanelDialog {...props} />} />
}
