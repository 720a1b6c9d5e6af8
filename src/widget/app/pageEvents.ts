import { effect, type ReadonlySignal, signal } from '@preact/signals-core'
import type { Message } from '../../contract/index.ts'
import type { MessageStore } from '../conversation/messageStore.ts'
import type { SignIn } from '../identity/signIn.ts'
import type { VisitorSession } from '../identity/visitorSession.ts'
import type { AuthState, CurrentContact, Emitter, WidgetEvents } from '../loader/events.ts'

interface PageEventsDeps {
  session: Pick<VisitorSession, 'authState' | 'contact'>
  signIn: Pick<SignIn, 'isViewHidden' | 'isSilent'>
  messageStore: Pick<MessageStore, 'messages' | 'history'>
  /** The number of unread messages, or 0 while it must not be shown. */
  unread: ReadonlySignal<number>
  emit: Emitter['emit']
  /** Called when a message arrives, so that a sound is played. */
  onMessage(): void
  /** Aborted when the widget is destroyed. */
  abortSignal: AbortSignal
}

/** Holds what the page hears of a stored contact until the site has confirmed that they are still signed in. */
export function createPageEvents(deps: PageEventsDeps) {
  const { session, messageStore, unread, emit, onMessage, abortSignal } = deps
  const { isViewHidden, isSilent } = deps.signIn
  const { messages, history } = messageStore
  const heldAuth = signal<WidgetEvents['auth'] | null>(null)
  let heldMessages: { message: Message; contactId: string | undefined; isAnnounced: boolean }[] = []
  let emittedUnread = 0
  const contactId = () => session.contact.peek()?.id

  function handleAuth(auth: WidgetEvents['auth']) {
    heldAuth.value = auth.state === 'identified' && isSilent.peek() ? auth : null
    if (!heldAuth.peek()) emit('auth', auth)
  }

  function handleMessage(message: Message) {
    // In a tab that has been in the background for long, the view is hidden but news is announced.
    const isAnnounced = !isSilent.peek()
    if (isViewHidden.peek()) heldMessages.push({ message, contactId: contactId(), isAnnounced })
    else emit('message', message)
    if (isAnnounced) onMessage()
  }

  function release() {
    if (abortSignal.aborted) return
    // While the session is restored, it is not known whose it is.
    if (!isViewHidden.peek() && session.authState.peek() !== 'identifying') {
      const before = heldMessages
      heldMessages = []
      const isLoaded = !['loading', 'failed'].includes(history.peek())
      for (const each of before) {
        // Somebody else may be signed in by now.
        if (each.contactId !== contactId()) continue
        // The organization may have removed it meanwhile. That is known once the messages are loaded.
        const current = messages.peek().find(({ id }) => id === each.message.id)
        if (!current && !isLoaded) heldMessages.push(each)
        if (!current || current.removedAt) continue
        emit('message', current)
        if (!each.isAnnounced) onMessage()
      }
    }
    const count = unread.peek()
    if (count === emittedUnread) return
    emittedUnread = count
    emit('unread', { count })
  }

  const stops = [
    effect(() => {
      const auth = heldAuth.value
      if (!auth || isSilent.value) return
      heldAuth.value = null
      // Otherwise the session has ended before the site has confirmed the contact, which gets an event of its own.
      if (session.authState.peek() === 'identified') emit('auth', auth)
    }),
    // In a microtask, because an open panel marks what it shows as read in the same task.
    effect(() => {
      session.authState.value
      messages.value
      history.value
      isViewHidden.value
      unread.value
      queueMicrotask(release)
    }),
  ]
  abortSignal.addEventListener('abort', () => {
    for (const stop of stops) stop()
  })

  return {
    /** The authentication state that the page may see. */
    state: (): AuthState => (heldAuth.peek() ? 'identifying' : session.authState.peek()),
    contact: (): CurrentContact | null => (heldAuth.peek() ? null : session.contact.peek()),
    /** Emits an event of the models, at once or later. */
    emit<Name extends keyof WidgetEvents>(event: Name, detail?: WidgetEvents[Name]): void {
      if (event === 'auth') handleAuth(detail as WidgetEvents['auth'])
      else if (event === 'message') handleMessage(detail as WidgetEvents['message'])
      else emit(event, detail)
    },
  }
}
