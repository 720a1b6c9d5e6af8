import type { ComponentChildren } from 'preact'
import { useErrorBoundary } from 'preact/hooks'
import { PanelError } from './PanelError.tsx'
import { useWidget } from './WidgetContext.ts'

interface ErrorBoundaryProps {
  render(): ComponentChildren
  /** The panel is a part of the page. */
  isInline: boolean
}

/**
 * Shows an error with a retry button where what `render` returns cannot be rendered. Models know nothing of it: sending and
 * the event stream go on.
 *
 * It takes a function, not children: `props.children` would keep the first vnode, and with it the first transcript, in memory
 * after the child has re-rendered itself.
 */
export function ErrorBoundary({ render, isInline }: ErrorBoundaryProps): ComponentChildren {
  const { panel } = useWidget()
  const [error, retry] = useErrorBoundary(cause => {
    console.error('Natter could not show the chat:', cause)
    panel.reportRenderError()
  })
  return error ? <PanelError isInline={isInline} onRetry={retry} /> : render()
}
