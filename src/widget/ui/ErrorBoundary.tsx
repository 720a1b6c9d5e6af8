import type { ComponentChildren } from 'preact'
import { useErrorBoundary } from 'preact/hooks'
import { PanelError } from './PanelError.tsx'
import { useWidget } from './WidgetContext.ts'

/**
 * Shows a message with a retry button in place of children that cannot be rendered. Models know nothing of it: sending
 * and the event stream go on.
 */
export function ErrorBoundary({ children }: { children: ComponentChildren }): ComponentChildren {
  const { panel } = useWidget()
  const [error, retry] = useErrorBoundary(cause => {
    console.error('Natter could not show the chat:', cause)
    panel.reportRenderError()
  })
  return error ? <PanelError onRetry={retry} /> : children
}
