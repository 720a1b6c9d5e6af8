import type { JSX } from 'preact'
import { ErrorBoundary } from './ErrorBoundary.tsx'
import { PanelDialog, type PanelDialogProps } from './PanelDialog.tsx'
import { useWidget } from './WidgetContext.ts'

/**
 * The panel. This component must never read a signal: when a child re-renders itself, the parent still holds the child's
 * first vnode, and thereby keeps the previous visitor's messages in memory.
 */
export function Panel(props: PanelDialogProps): JSX.Element {
  return <OpenPanel {...props} />
}

/** The panel while it is open. */
function OpenPanel(props: PanelDialogProps): JSX.Element | null {
  const { panel, areStringsReady } = useWidget()
  if (!panel.isOpen.value || !areStringsReady.value) return null
  return <ErrorBoundary isInline={props.isInline} render={() => <PanelDialog {...props} />} />
}
