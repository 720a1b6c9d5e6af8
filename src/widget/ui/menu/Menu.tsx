import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import { useFocusHandover } from '../hooks/useFocusHandover.ts'
import { IconButton } from '../IconButton.tsx'
import { useStrings, useWidget } from '../WidgetContext.ts'
import { EndChatDialog } from './EndChatDialog.tsx'
import { useFocusFirstButton } from './useFocusFirstButton.ts'

type View = 'closed' | 'menu' | 'endChat'

const morePath = 'M5 12h1M12 12h1M19 12h1'

/** The header's menu, and the question that its last item asks. */
export function Menu(): JSX.Element {
  const view = useSignal<View>('closed')
  const container = useRef<HTMLDivElement>(null)
  useFocusHandover(container, '[aria-haspopup]')
  const show = (next: View) => {
    // First: removing an item that has the focus moves the focus out of the menu, which would close the next view, too.
    container.current?.querySelector('button')?.focus()
    view.value = next
  }
  const onFocusOut = (event: FocusEvent) => {
    if (!container.current?.contains(event.relatedTarget as Node | null)) view.value = 'closed'
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.isComposing || view.value === 'closed') return
    // Otherwise it would also close the panel, or a popover or dialog of the page.
    event.stopPropagation()
    event.preventDefault()
    show('closed')
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: events bubble up to it from the button and what it opens.
    <div class="more" ref={container} onFocusOut={onFocusOut} onKeyDown={onKeyDown}>
      <IconButton
        label={useStrings().menu}
        path={morePath}
        aria-haspopup="menu"
        aria-expanded={view.value !== 'closed'}
        onClick={() => show(view.value === 'closed' ? 'menu' : 'closed')}
      />
      {view.value === 'menu' && <MenuItems onClose={() => show('closed')} onEndChat={() => show('endChat')} />}
      {view.value === 'endChat' && <EndChatDialog onClose={() => show('closed')} />}
    </div>
  )
}

function MenuItems({ onClose, onEndChat }: { onClose: () => void; onEndChat: () => void }): JSX.Element {
  const { session, conversation, sound } = useWidget()
  const strings = useStrings()
  const hasChat =
    session.status.value !== 'anonymous' ||
    conversation.messageStore.messages.value.length > 0 ||
    conversation.outbox.pending.value.length > 0
  const toggleSound = () => {
    sound.set(!sound.isOn.value)
    onClose()
  }
  return (
    <div class="menu" role="menu" ref={useFocusFirstButton()} onKeyDown={moveFocus}>
      {/* tabIndex: Safari focuses a clicked button only with one, and losing the focus closes the menu before the click. */}
      <button
        type="button"
        class="item"
        role="menuitemcheckbox"
        aria-checked={sound.isOn.value}
        tabIndex={-1}
        onClick={toggleSound}
      >
        {strings.sound}
        <span class="switch" />
      </button>
      {hasChat && (
        <button type="button" class="item end" role="menuitem" tabIndex={-1} onClick={onEndChat}>
          {strings.endChat}
        </button>
      )}
    </div>
  )
}

/** As in any menu: arrows go round, Home and End to its ends. */
function moveFocus(event: KeyboardEvent) {
  const items = [...(event.currentTarget as Element).querySelectorAll('button')]
  const index = items.indexOf(event.target as HTMLButtonElement)
  const targets: Partial<Record<string, number>> = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: -1 }
  const next = targets[event.key]
  if (next === undefined) return
  event.preventDefault()
  items.at(next % items.length)?.focus()
}
