import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Message } from '../../contract/index.ts'
import { ContactDataDialog } from './ContactDataDialog.tsx'
import { canLeaveEmail } from './EmailForm.tsx'
import { IconButton } from './elements.tsx'
import { useLazyPart } from './LazyPartsContext.ts'
import { Sheet } from './Sheet.tsx'
import { saveConversation } from './saveConversation.ts'
import { useStrings, useWidget } from './WidgetContext.ts'

type View = 'closed' | 'menu' | 'contactData' | 'endChat'

const morePath = 'M5 12h1M12 12h1M19 12h1'

/** The header's menu, and the dialogs that its last items open. */
export function Menu(): JSX.Element {
  const view = useSignal<View>('closed')
  const container = useRef<HTMLDivElement>(null)
  /** The index of the button that gets the focus when the menu or the dialog opens. -1 is the last one. */
  const firstFocused = useRef(0)
  const label = useStrings().menu
  const show = (next: View, itemIndex = 0) => {
    firstFocused.current = itemIndex
    // Move the focus first: removing the focused item would move the focus out of the menu, which closes the next view,
    // too.
    container.current?.querySelector('button')?.focus()
    view.value = next
  }
  useLayoutEffect(() => {
    const buttons = container.current?.querySelectorAll<HTMLElement>('.menu button, .sheet button') ?? []
    Array.from(buttons).at(firstFocused.current)?.focus()
  }, [view.value])
  const onFocusOut = (event: FocusEvent) => {
    if (!container.current?.contains(event.relatedTarget as Node | null)) view.value = 'closed'
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const { key } = event
    if (view.value === 'closed') {
      if (key !== 'ArrowDown' && key !== 'ArrowUp') return
      show('menu', key === 'ArrowUp' ? -1 : 0)
    } else {
      if (key !== 'Escape') return
      // Otherwise Escape would also close the panel.
      event.stopPropagation()
      show('closed')
    }
    // Otherwise the key would scroll the page, or close a popover or dialog of the page.
    event.preventDefault()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: events bubble up to it from the button and what it opens.
    <div
      class="more"
      ref={container}
      // Otherwise a press would move the focus out of the menu, which closes it before the click: Safari doesn't focus
      // buttons, and no browser focuses the text of the dialog.
      onMouseDown={event => event.preventDefault()}
      onFocusOut={onFocusOut}
      onKeyDown={onKeyDown}
    >
      <IconButton
        label={label}
        path={morePath}
        aria-haspopup="menu"
        aria-expanded={view.value === 'menu'}
        // Ignore the second click of a double click, which would close the menu again.
        onClick={({ detail }) => detail < 2 && show(view.value === 'closed' ? 'menu' : 'closed')}
      />
      {view.value === 'menu' && <MenuItems onClose={() => show('closed')} onOpen={show} />}
      {view.value === 'contactData' && <ContactDataDialog onClose={() => show('closed')} />}
      {view.value === 'endChat' && <EndChatDialog onClose={() => show('closed')} />}
    </div>
  )
}

interface MenuItemsProps {
  onClose(): void
  /** Opens a dialog. */
  onOpen(view: View): void
}

function MenuItems({ onClose, onOpen }: MenuItemsProps): JSX.Element {
  const models = useWidget()
  const { session, signIn, conversation, sound } = models
  const saving = useSignal<'idle' | 'loading' | 'failed'>('idle')
  const strings = useStrings()
  // A contact signs out at the site. Ending the chat here would leave the site signed in.
  const canEndChat =
    session.authState.value === 'anonymous' &&
    (session.status.value !== 'anonymous' ||
      conversation.messageStore.messages.value.length > 0 ||
      conversation.outbox.pending.value.length > 0)
  const canRead = !signIn.isViewHidden.value
  const canSave = canRead && conversation.messageStore.messages.value.length > 0
  const profile = conversation.botProfile.profile.value
  const canErase = canRead && profile?.eraseByVisitor && session.contact.value
  const canAskForPerson =
    profile?.handover &&
    !signIn.isRequired.value &&
    signIn.canWrite.value &&
    conversation.handoverRequest.status.value !== 'sending' &&
    !isTeamOnIt(conversation.messageStore.messages.value, profile.agentPauseSeconds * 1000)
  const askForPerson = () => {
    void conversation.handoverRequest.send()
    onClose()
  }
  const emailRequest = useLazyPart('more')?.emailRequest
  const askForEmail = () => {
    onClose()
    if (emailRequest) emailRequest.value = session.scopeKey.peek()
  }
  const toggleSound = () => {
    sound.set(!sound.isOn.value)
    onClose()
  }
  const save = async () => {
    if (saving.peek() === 'loading') return
    saving.value = 'loading'
    if (await saveConversation(models)) onClose()
    else saving.value = 'failed'
  }
  return (
    <div class="menu" role="menu" aria-label={strings.menu} onKeyDown={moveFocus}>
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
      {canAskForPerson && (
        <button type="button" class="item" role="menuitem" tabIndex={-1} onClick={askForPerson}>
          {strings.talkToPerson}
        </button>
      )}
      {canSave && (
        <button type="button" class="item" role="menuitem" tabIndex={-1} onClick={save}>
          {saving.value === 'loading'
            ? strings.loadingOlder
            : saving.value === 'failed'
              ? `${strings.historyFailed} ${strings.retry}`
              : strings.saveConversation}
        </button>
      )}
      {canErase && (
        <button type="button" class="item" role="menuitem" tabIndex={-1} onClick={() => onOpen('contactData')}>
          {strings.yourData}
        </button>
      )}
      {canLeaveEmail(models) && (
        <button type="button" class="item" role="menuitem" tabIndex={-1} onClick={askForEmail}>
          {strings.leaveEmail}
        </button>
      )}
      {canEndChat && (
        <button type="button" class="item end" role="menuitem" tabIndex={-1} onClick={() => onOpen('endChat')}>
          {strings.endChat}
        </button>
      )}
    </div>
  )
}

/**
 * Whether an agent has the conversation, or has been asked for and the bot has not answered since: then the visitor may ask again.
 * The bot answers again `agentPauseMs` after an agent's last message, without an event that says so.
 */
function isTeamOnIt(messages: readonly Message[], agentPauseMs: number): boolean {
  const last = messages.findLast(({ author }) => author !== 'visitor')
  if (last?.author === 'agent') return Date.now() - Date.parse(last.createdAt) < agentPauseMs
  return last?.event === 'handover_requested'
}

/** Implements the keyboard pattern of menus: arrow keys wrap around, Home and End move to the ends. */
function moveFocus(event: KeyboardEvent) {
  const items = [...(event.currentTarget as Element).querySelectorAll('button')]
  const index = items.indexOf(event.target as HTMLButtonElement)
  const targets: Partial<Record<string, number>> = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: -1 }
  const next = targets[event.key]
  if (next === undefined) return
  event.preventDefault()
  items.at(next % items.length)?.focus()
}

/** Asks the visitor to confirm that the chat should end. */
function EndChatDialog({ onClose }: { onClose: () => void }): JSX.Element {
  const { session } = useWidget()
  const strings = useStrings()
  const endChat = () => {
    onClose()
    void session.logout()
  }
  return (
    <Sheet title={strings.endChatAsk} action={{ label: strings.endChat, run: endChat }} onClose={onClose}>
      <p>{strings.endChatHint}</p>
    </Sheet>
  )
}
