import { effect, type ReadonlySignal } from '@preact/signals-core'
import type { Message } from '../../contract/index.ts'
import type { HistoryStatus } from '../conversation/messageStore.ts'
import type { SessionCore } from '../identity/sessionModel.ts'
import type { Emitter } from '../loader/events.ts'

interface PageNewsDeps {
  session: Pick<SessionCore, 'authState' | 'contact'>
  /** The loaded messages. */
  messages: ReadonlySignal<readonly Message[]>
  /** Whether the newest messages are loaded: not while it is `loading` or `failed`. */
  history: ReadonlySignal<HistoryStatus>
  /** Whether the contact's messages are hidden until the site has confirmed that they are signed in. */
  isViewHidden: ReadonlySignal<boolean>
  /** Whether nothing is announced either. In a tab that has been in the background for long it is. */
  isSilent: ReadonlySignal<boolean>
  /** The number of unread messages, or 0 while it must not be shown. */
  unread: ReadonlySignal<number>
  emit: Emitter['emit']
  /** Called when a message arrives, so that a sound is played. */
  onMessage(): void
  /** Aborted when the widget is destroyed. */
  abortSignal: AbortSignal
}

/** Delays the events about a contact's messages until the site has confirmed that the contact is still signed in. */
export function createPageNews(deps: PageNewsDeps) {
  const { session, messages, history, isViewHidden, isSilent, unread, emit, onMessage, abortSignal } = deps
  let held: { message: Message; contactId: string | undefined; isAnnounced: boolean }[] = []
  let emittedUnread = 0
  const contactId = () => session.contact.peek()?.id

  function release() {
    if (abortSignal.aborted) return
    // While the session is restored, it is not known whose it is.
    if (!isViewHidden.peek() && session.authState.peek() !== 'identifying') {
      const before = held
      held = []
      const isLoaded = !['loading', 'failed'].includes(history.peek())
      for (const each of before) {
        // Somebody else may be signed in by now.
        if (each.contactId !== contactId()) continue
        // The organization may have removed it meanwhile. That is known once the messages are loaded.
        const current = messages.peek().find(({ id }) => id === each.message.id)
        if (!current && !isLoaded) held.push(each)
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

  // In a microtask, because an open panel marks what it shows as read in the same task.
  const stop = effect(() => {
    session.authState.value
    messages.value
    history.value
    isViewHidden.value
    unread.value
    queueMicrotask(release)
  })
  abortSignal.addEventListener('abort', stop)
  return {
    handleMessage(message: Message) {
      const isAnnounced = !isSilent.peek()
      if (isViewHidden.peek()) held.push({ message, contactId: contactId(), isAnnounced })
      else emit('message', message)
      if (isAnnounced) onMessage()
    },
  }
}
