import type { JSX } from 'preact'
import { closePath } from '../styles/closePath.ts'
import { usePanelKeyHandler } from './hooks/usePanelKeyHandler.ts'
import { IconButton } from './IconButton.tsx'
import { LinkButton } from './LinkButton.tsx'
import { useStrings, useWidget } from './WidgetContext.ts'

/** Replaces the panel if it cannot be rendered. It uses as few of the panel's components as possible. */
export function PanelError({ isInline, onRetry }: { isInline: boolean; onRetry: () => void }): JSX.Element {
  const { panel } = useWidget()
  const strings = useStrings()
  const onKey = usePanelKeyHandler(isInline)
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: both roles support `aria-label`
    // biome-ignore lint/a11y/noStaticElementInteractions: it has a role
    <div
      class="panel"
      part="panel"
      role={isInline ? 'region' : 'dialog'}
      aria-label={strings.chat}
      onKeyDown={onKey}
      onKeyPress={onKey}
      onKeyUp={onKey}
    >
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
