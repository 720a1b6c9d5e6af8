import type { ReadonlySignal } from '@preact/signals-core'
import type { AuthReason, AuthState, CurrentContact, Emitter } from '../../loader/events.ts'

/** Returns what emits `auth` where state or contact has changed since the last time. */
export function createAuthEmitter(
  authState: ReadonlySignal<AuthState>,
  contact: ReadonlySignal<CurrentContact | null>,
  emit: Emitter['emit'],
): (reason: AuthReason) => void {
  let lastEmitted = 'anonymous'
  return reason => {
    const change = { state: authState.peek(), contact: contact.peek(), reason }
    const auth = change.state + (change.contact?.id ?? '')
    if (auth === lastEmitted) return
    lastEmitted = auth
    emit('auth', change)
  }
}
