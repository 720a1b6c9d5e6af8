import type { ComponentChildren, JSX } from 'preact'
import { useErrorBoundary } from 'preact/hooks'
import { closePath } from '../styles/closePath.ts'
import { IconButton, LinkButton } from './elements.tsx'
import { useStrings, useWidget } from './WidgetContext.ts'

interface ErrorBoundaryProps {
  render(): ComponentChildren
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

/** Replaces the panel if it cannot be rendered. It uses as few of the panel's components as possible. */
function PanelError({ isInline, onRetry }: { isInline: boolean; onRetry: () => void }): JSX.Element {
  const { panel } = useWidget()
  const strings = useStrings()
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: both roles support `aria-label`
    <div class="panel" part="panel" role={isInline ? 'region' : 'dialog'} aria-label={strings.chat}>
      <div class="header" part="header">
        <p class="title" role="alert" lang={strings.lang} dir={strings.dir as 'ltr'}>
          {strings.renderFailed}
          <LinkButton onClick={onRetry}>{strings.retry}</LinkButton>
        </p>
        <IconButton label={strings.close} path={closePath} onClick={panel.close} />
      </div>
    </div>
  )
}
