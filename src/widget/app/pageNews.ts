import { effect, type ReadonlySignal } from '@preact/signals-core'
import type { Message } from '../../contract/index.ts'
import type { Emitter } from '../loader/events.ts'
import type { SessionCore } from '../models/session/sessionModel.ts'

interface PageNewsDeps {
  session: Pick<SessionCore, 'contact'>
  /** The site has still to say whether the contact is signed in. */
  isSilent: ReadonlySignal<boolean>
  emit: Emitter['emit']
  /** The widget's end. */
  abortSignal: AbortSignal
}

/** Tells the page of a contact's messages and their number only when the site has said that the contact is still signed in. */
export function createPageNews({ session, isSilent, emit, abortSignal }: PageNewsDeps) {
  let held: { message: Message; contactId: string | undefined }[] = []
  let unread = 0
  let announcedUnread = 0
  const contactId = () => session.contact.peek()?.id

  function announce() {
    if (abortSignal.aborted) return
    const count = isSilent.peek() ? 0 : unread
    if (!isSilent.peek()) {
      const before = held
      held = []
      // Somebody else may be signed in by now.
      for (const each of before) if (each.contactId === contactId()) emit('message', each.message)
    }
    if (count === announcedUnread) return
    announcedUnread = count
    emit('unread', { count })
  }

  // In a microtask, because an open panel marks what it shows as read in the same task.
  const stop = effect(() => {
    isSilent.value
    queueMicrotask(announce)
  })
  abortSignal.addEventListener('abort', stop)
  return {
    handleMessage(message: Message) {
      if (isSilent.peek()) held.push({ message, contactId: contactId() })
      else emit('message', message)
    },
    handleUnread({ count }: { count: number }) {
      unread = count
      announce()
    },
  }
}
