import type { AuthState, CurrentContact } from '../../loader/events.ts'
import { isContactToken } from '../../storage/storedIdentity.ts'
import type { SessionScope } from './sessionScope.ts'

/**
 * Where the session of this tab stands. Each state but `inactive` has a scope; a new one begins whenever the identity may
 * change.
 */
export type SessionState =
  /** Before `start()` and after the widget's end: storage is not looked at. */
  | { readonly kind: 'inactive' }
  /** The page has been put into the back/forward cache, and may be shown again to somebody else. */
  | { readonly kind: 'suspended'; readonly scope: SessionScope }
  /** localStorage holds no epoch yet, and IndexedDB decides which tab's is the first. The scope has none until then. */
  | { readonly kind: 'beginning'; readonly scope: SessionScope }
  | { readonly kind: 'anonymous'; readonly scope: SessionScope }
  /** The platform is being asked whose the stored token is. */
  | { readonly kind: 'restoring'; readonly scope: SessionScope }
  /** The platform has refused for good to say whose the token is, and hasn't ended the session: the visitor can retry. */
  | { readonly kind: 'restoreFailed'; readonly scope: SessionScope }
  /** This tab's own login is being verified; the scope gets its token when it has been. */
  | { readonly kind: 'identifying'; readonly scope: SessionScope }
  /** Another tab has begun a login, and hasn't stored a token yet. */
  | { readonly kind: 'awaitingRemoteLogin'; readonly scope: SessionScope }
  | { readonly kind: 'identified'; readonly scope: SessionScope; readonly contact: CurrentContact }

/**
 * What the view distinguishes. `restoring`: a stored token is being verified; `restoreFailed`: that can't be done now;
 * `identifying`: a login is being verified.
 */
export type SessionStatus = 'anonymous' | 'restoring' | 'restoreFailed' | 'identifying' | 'identified'

export const tokenOf = (state: SessionState): string | null => (state.kind === 'inactive' ? null : state.scope.token)

export function statusOf({ kind }: SessionState): SessionStatus {
  switch (kind) {
    case 'inactive':
    case 'beginning':
      return 'anonymous'
    case 'suspended':
      return 'restoring'
    case 'awaitingRemoteLogin':
      return 'identifying'
    default:
      return kind
  }
}

/** What the page is told: an anonymous session that is being restored is nobody's, and a contact's stays undecided. */
export function authStateOf(state: SessionState): AuthState {
  const status = statusOf(state)
  if (status !== 'restoring' && status !== 'restoreFailed') return status
  return isContactToken(tokenOf(state)) ? 'identifying' : 'anonymous'
}
