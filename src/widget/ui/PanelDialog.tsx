import type { JSX } from 'preact'
import { Conversation, HiddenConversation } from './Conversation.tsx'
import { useInitialFocus, useInlineOpen } from './focus.ts'
import { Header } from './Header.tsx'
import { useFullScreen } from './hooks/useFullScreen.ts'
import { useTopLayer } from './hooks/useTopLayer.ts'
import { useLazyPart } from './LazyPartsContext.ts'
import { useStrings, useWidget } from './WidgetContext.ts'

export interface PanelDialogProps {
  root: ShadowRoot
  /** Whether the panel is a part of the page instead of a dialog. */
  isInline: boolean
  /** The declarations of the CSS rule `.panel`. */
  panelStyle: CSSStyleDeclaration
}

/** The open panel: a dialog next to the page's content, or over the whole page on a small screen. */
export function PanelDialog({ root, isInline, panelStyle }: PanelDialogProps): JSX.Element {
  const { session, signIn, conversation, panel } = useWidget()
  const strings = useStrings()
  const isFullScreen = useFullScreen(root, panelStyle, isInline)
  useTopLayer(root, isInline)
  useInitialFocus(root, panel)
  useInlineOpen(root, isInline)
  const Notices = useLazyPart('transcript')?.Notices
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: both roles support `aria-label`, and the dialog `aria-modal`
    <div
      class="panel"
      part="panel"
      role={isInline ? 'region' : 'dialog'}
      aria-modal={isInline ? undefined : isFullScreen.value}
      aria-label={conversation.botProfile.profile.value?.name ?? strings.chat}
      // Behind an inline panel the page scrolls. Chromium ignores the listener on the panel's container, which has no box.
      onWheel={isInline ? undefined : keepPageStill}
    >
      {/* `dir` is not set on the panel, because the page's direction decides in which corner the panel is. */}
      <div class="speech" lang={strings.lang} dir={strings.dir as 'ltr'}>
        <Header />
        {Notices && <Notices />}
        {signIn.isViewHidden.value ? (
          <HiddenConversation key="hidden" />
        ) : (
          <Conversation key={session.scopeKey.value} />
        )}
      </div>
    </div>
  )
}

/** Keeps the wheel from scrolling the page behind the panel, where nothing of the panel can be scrolled. */
function keepPageStill(event: WheelEvent): void {
  const panel = event.currentTarget
  for (let element = event.target as Element | null; element && element !== panel; element = element.parentElement)
    if (element.scrollHeight > element.clientHeight && /auto|scroll/.test(getComputedStyle(element).overflowY)) return
  if (!event.deltaX && !event.ctrlKey) event.preventDefault()
}
