import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import { isOfComposition } from './Composer.tsx'
import { Conversation, HiddenConversation } from './Conversation.tsx'
import { keepFocusInside, useFocusHandover, useInitialFocus, useInlineOpen, useKeptFocus } from './focus.ts'
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
  const dialog = useRef<HTMLDivElement>(null)
  useTopLayer(root, isInline)
  // For the case that `PanelError` replaces this component.
  useFocusHandover(dialog, '.panel [role=alert] button')
  useInitialFocus(root, panel)
  useInlineOpen(dialog, isInline)
  useKeptFocus(dialog)
  const Notices = useLazyPart('transcript', true)?.Notices
  const onKey = usePanelKeyHandler(isInline)
  return (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: both roles support `aria-label`, and the dialog `aria-modal`
    // biome-ignore lint/a11y/noStaticElementInteractions: it has a role
    <div
      class="panel"
      part="panel"
      ref={dialog}
      role={isInline ? 'region' : 'dialog'}
      aria-modal={isInline ? undefined : isFullScreen.value}
      aria-label={conversation.botProfile.profile.value?.name ?? strings.chat}
      onClick={event => keepFocusInside(event.currentTarget)}
      onWheel={isInline ? undefined : keepPageStill}
      onKeyDown={onKey}
      onKeyPress={onKey}
      onKeyUp={onKey}
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

/**
 * Returns the listener for all keyboard events of the panel. Escape closes it. The events don't reach the page, because
 * what the visitor types could trigger the page's keyboard shortcuts.
 */
export function usePanelKeyHandler(isInline: boolean): (event: KeyboardEvent) => void {
  const { panel } = useWidget()
  return event => {
    event.stopPropagation()
    if (event.type !== 'keydown' || event.key !== 'Escape') return
    // An inline panel always stays open.
    if (isOfComposition(event) || isInline) return
    // Otherwise the browser would also close a popover of the page.
    event.preventDefault()
    panel.close()
  }
}

/** Keeps the wheel from scrolling the page behind the panel, where nothing of the panel can be scrolled. */
function keepPageStill(event: WheelEvent): void {
  const panel = event.currentTarget
  for (let element = event.target as Element | null; element && element !== panel; element = element.parentElement)
    if (element.scrollHeight > element.clientHeight && /auto|scroll/.test(getComputedStyle(element).overflowY)) return
  if (!event.deltaX && !event.ctrlKey) event.preventDefault()
}
