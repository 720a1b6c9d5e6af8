import { type ReadonlySignal, signal } from '@preact/signals-core'
import type { Models } from '../app/createApp.ts'
import { watchAccent } from './accent.ts'
import { Composer } from './Composer.tsx'
import { focusOn, keepFocus } from './focus.ts'
import { Header } from './Header.tsx'
import { keepDrawn } from './keepDrawn.ts'
import type { MenuState } from './Menu.tsx'
import { Notices } from './Notices.tsx'
import { createTranscript } from './Transcript.tsx'
import type { DrawText } from './texts.ts'
import { watchUnread } from './unread.ts'
import { throttleToFrame } from './useFrameThrottle.ts'
import { watchScreen } from './useFullScreen.ts'
import { watchScrollAnchor } from './useScrollAnchor.ts'

/** The open panel: a dialog beside the page, or over the whole of it on a small screen. The undo closes it. */
export function openPanel(
  root: ShadowRoot,
  sheet: CSSStyleSheet,
  models: Models,
  texts: ReadonlySignal<DrawText>,
  isInline: boolean,
): () => void {
  const { conversation, panel } = models
  const { style } = sheet.cssRules[0] as CSSStyleRule
  const menu = signal<MenuState>('')
  const fullScreen = signal(false)
  const atEnd = signal(true)
  // Where the divider stands: behind what the visitor had read on opening.
  const readUntil = signal(conversation.readState.unread.peek() ? conversation.readState.readSeq.peek() : undefined)
  const [reply, stopReply] = throttleToFrame(conversation.reply.streaming)
  const [transcript, messageWindow] = createTranscript(models, atEnd, readUntil, reply, texts)
  // Not the document's own property, in whose place an element of the page with that name would be.
  const { createElement } = Object.getPrototypeOf(document) as Document
  const box = root.appendChild(createElement.call(document, 'div'))

  // What is typed here is no shortcut of the page, which would take the text field for any element.
  const keep = (event: Event) => event.stopPropagation()
  const onKeyDown = (event: KeyboardEvent) => {
    keep(event)
    // An IME closes its own list with Escape.
    if (event.key !== 'Escape' || event.isComposing) return
    if (!menu.value) {
      // As a part of the page it stays open: a visitor would miss it there.
      if (!isInline) panel.close()
      return
    }
    // The first Escape closes the menu, the next one the panel.
    focusOn(root, '[aria-haspopup]')
    menu.value = ''
  }
  const tree = () => (
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: both roles support `aria-label`, and the dialog `aria-modal`
    // biome-ignore lint/a11y/noStaticElementInteractions: it has a role
    <div
      class="panel"
      part="panel"
      role={isInline ? 'region' : 'dialog'}
      aria-modal={isInline ? undefined : fullScreen.value}
      aria-label={conversation.botProfile.profile.value?.name ?? models.strings.chat}
      onClick={() => keepFocus(root)}
      onKeyDown={onKeyDown}
      onKeyPress={keep}
      onKeyUp={keep}
    >
      {/* The panel itself keeps to the corner that the page's own direction gives it. */}
      <div class="speech" lang={models.strings.lang} dir={models.strings.dir as 'ltr'}>
        {Header(models, menu)}
        {Notices(models)}
        {transcript()}
        {Composer(models)}
      </div>
    </div>
  )

  const undos = [
    // What asks for styles and measures goes before what changes them: the browser works them out once, for the frame.
    ...watchScreen(root, style, fullScreen, isInline),
    watchAccent(root.host, style, conversation),
    () => {
      // In the visitor's hands elsewhere, the focus is not ours to move; an inert launcher would take none.
      if (box.contains(root.activeElement)) focusOn(root, '.launcher')
    },
    stopReply,
    keepDrawn(tree, box),
    ...watchUnread(conversation, atEnd, readUntil),
    ...watchScrollAnchor(box.querySelector('.log') as HTMLElement, atEnd, messageWindow, conversation.messageStore),
  ]
  const { activeElement } = document
  // With the frame, for which the browser lays it out anyway; unless the visitor or the page has moved it meanwhile.
  requestAnimationFrame(() => {
    if (panel.shouldTakeFocus.peek() && [activeElement, document.body].includes(document.activeElement))
      focusOn(root, 'textarea')
  })
  return () => {
    for (const undo of undos) undo()
  }
}
