import type { JSX } from 'preact'
import type { CoveredPage } from './coveredPage.ts'
import { ErrorBoundary } from './ErrorBoundary.tsx'
import { PanelDialog } from './PanelDialog.tsx'
import { useWidget } from './WidgetContext.ts'

export interface PanelProps {
  root: ShadowRoot
  /** Whether the panel is a part of the page instead of a dialog. */
  isInline: boolean
  /** The declarations of the CSS rule `.panel`. */
  panelStyle: CSSStyleDeclaration
  coveredPage: CoveredPage
}

/**
 * The panel. This component must never read a signal: when a child re-renders itself, the parent still holds the child's
 * first vnode, and thereby keeps the previous visitor's messages in memory.
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
