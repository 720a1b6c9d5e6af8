import { effect, type ReadonlySignal, signal } from '@preact/signals-core'
import type { SessionCore } from '../identity/sessionModel.ts'
import type { AuthState, CurrentContact, Emitter, WidgetEvents } from '../loader/events.ts'

/** The authentication state that the page may see. */
export interface PageAuth {
  state(): AuthState
  contact(): CurrentContact | null
}

interface PageAuthDeps {
  session: Pick<SessionCore, 'authState' | 'contact'>
  /** Whether the site has still to confirm that the contact is signed in. False if only the view is hidden. */
  isUnconfirmed: ReadonlySignal<boolean>
  emit: Emitter['emit']
  /** Aborted when the widget is destroyed. */
  abortSignal: AbortSignal
}

/** Delays the `auth` event for a stored contact until the site has confirmed that they are still signed in. */
export function createPageAuth({ session, isUnconfirmed, emit, abortSignal }: PageAuthDeps) {
  const held = signal<WidgetEvents['auth'] | null>(null)
  const stop = effect(() => {
    const auth = held.value
    if (!auth || isUnconfirmed.value) return
    held.value = null
    // Otherwise the session has ended before the site has confirmed the contact, which gets an event of its own.
    if (session.authState.peek() === 'identified') emit('auth', auth)
  })
  abortSignal.addEventListener('abort', stop)
  return {
    state: () => (held.peek() ? 'identifying' : session.authState.peek()),
    contact: () => (held.peek() ? null : session.contact.peek()),
    handleAuth(auth) {
      held.value = auth.state === 'identified' && isUnconfirmed.peek() ? auth : null
      if (!held.peek()) emit('auth', auth)
    },
  } satisfies PageAuth & { handleAuth(auth: WidgetEvents['auth']): void }
}
