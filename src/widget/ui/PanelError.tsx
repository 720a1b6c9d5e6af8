import type { JSX } from 'preact'
import { closePath } from './Icon.tsx'
import { IconButton } from './IconButton.tsx'
import { LinkButton } from './LinkButton.tsx'
import { useStrings, useWidget } from './WidgetContext.ts'

/** What stands in the panel's place when it cannot be rendered. It uses as little of the panel as it can. */
export function PanelError({ onRetry }: { onRetry: () => void }): JSX.Element {
  const { panel } = useWidget()
  const strings = useStrings()
  return (
    <div class="panel" part="panel" role="dialog" aria-label={strings.chat}>
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
