import type { ComponentChildren } from 'preact'
import { useErrorBoundary } from 'preact/hooks'
import { PanelError } from './PanelError.tsx'
import { useWidget } from './WidgetContext.ts'

interface ErrorBoundaryProps {
  render(): ComponentChildren
  /** Whether the panel is a part of the page. */
  isInline: boolean
}

/**
 * Shows an error with a retry button if rendering fails. The models are not affected: sending and the event stream
 * continue.
 *
 * It takes a function instead of children: `props.children` would keep the first vnode in memory, and with it the first
 * transcript, after the child has re-rendered itself.
 */
export function ErrorBoundary({ render, isInline }: ErrorBoundaryProps): ComponentChildren {
  const { panel } = useWidget()
  const [error, retry] = useErrorBoundary(cause => {
    console.error('Natter could not show the chat:', cause)
    panel.reportRenderError()
  })
  return error ? <PanelError isInline={isInline} onRetry={retry} /> : render()
}
