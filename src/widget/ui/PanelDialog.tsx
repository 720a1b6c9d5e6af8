import type { JSX } from 'preact'
import { Conversation } from './Conversation.tsx'
import { keepFocusInside } from './focus.ts'
import { Header } from './Header.tsx'
import { HiddenConversation } from './HiddenConversation.tsx'
import { useAccent } from './hooks/useAccent.ts'
import { useFullScreen } from './hooks/useFullScreen.ts'
import { useInitialFocus } from './hooks/useInitialFocus.ts'
import { useTopLayer } from './hooks/useTopLayer.ts'
import { Notices } from './Notices.tsx'
import type { PanelProps } from './Panel.tsx'
import { useStrings, useWidget } from './WidgetContext.ts'

/** The open panel: a dialog beside the page, or over the whole of it on a small screen. */
export function PanelDialog({ root, isInline, panelStyle }: PanelProps): JSX.Element {
  const { session, signIn, conversation, panel } = useWidget()
  const strings = useStrings()
  const isFullScreen = useFullScreen(root, panelStyle, isInline)
  useAccent(root, panelStyle)
  useTopLayer(root, isInline)
  useInitialFocus(root, panel)

  const onKeyDown = (event: KeyboardEvent) => {
    stopPropagation(event)
    // An IME closes its own list with Escape. As a part of the page the panel stays open: a visitor would miss it there.
    if (event.key !== 'Escape' || event.isComposing || isInline) return
    // The browser would close a popover of the page as well.
    event.preventDefault()
    panel.close()
  }
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: both roles support `aria-label`, and the dialog `aria-modal`
    // biome-ignore lint/a11y/noStaticElementInteractions: it has a role
    <div
      class="panel"
      part="panel"
      role={isInline ? 'region' : 'dialog'}
      aria-modal={isInline ? undefined : isFullScreen.value}
      aria-label={conversation.botProfile.profile.value?.name ?? strings.chat}
      onClick={event => keepFocusInside(event.currentTarget)}
      onKeyDown={onKeyDown}
      onKeyPress={stopPropagation}
      onKeyUp={stopPropagation}
    >
      {/* The panel itself keeps to the corner that the page's own direction gives it. */}
      <div class="speech" lang={strings.lang} dir={strings.dir as 'ltr'}>
        <Header />
        <Notices />
        {signIn.isViewHidden.value ? (
          <HiddenConversation key="hidden" />
        ) : (
          <Conversation key={session.scopeKey.value} />
        )}
      </div>
    </div>
  )
}

/** What is typed here is no shortcut of the page, which would take the text field for any element. */
function stopPropagation(event: Event) {
  event.stopPropagation()
}
