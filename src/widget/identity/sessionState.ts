import type { AuthState, CurrentContact } from '../loader/events.ts'
import type { SessionScope } from './sessionScope.ts'
import { isContactToken } from './storedIdentity.ts'

/**
 * The state of this tab's session. Every state except `inactive` has a scope. A new scope begins whenever the identity may
 * change.
 */
export type SessionState =
  /** Before `start()` and after `destroy()`. Stored identities are ignored. */
  | { readonly kind: 'inactive' }
  /** The page is in the back/forward cache. Somebody else may return to it. */
  | { readonly kind: 'suspended'; readonly scope: SessionScope }
  /** localStorage holds no epoch, and IndexedDB decides which tab begins the first one. Until then the scope has none. */
  | { readonly kind: 'beginning'; readonly scope: SessionScope }
  | { readonly kind: 'anonymous'; readonly scope: SessionScope }
  /** The platform is being asked whose the stored token is. */
  | { readonly kind: 'restoring'; readonly scope: SessionScope }
  /** The platform has refused to verify the token without ending the session. The visitor can retry. */
  | { readonly kind: 'restoreFailed'; readonly scope: SessionScope }
  /** This tab's own login is being verified. The scope gets its token afterwards. */
  | { readonly kind: 'identifying'; readonly scope: SessionScope }
  /** Another tab has begun a login and hasn't stored a token yet. */
  | { readonly kind: 'awaitingRemoteLogin'; readonly scope: SessionScope }
  | { readonly kind: 'identified'; readonly scope: SessionScope; readonly contact: CurrentContact }

/**
 * The states that the view distinguishes. `restoring`: a stored token is being verified. `restoreFailed`: it could not be
 * verified. `identifying`: a login is being verified, in this tab or another one.
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

/** Returns the state that the page sees. A session that is being restored is `anonymous` if its token is a visitor's. */
export function authStateOf(state: SessionState): AuthState {
  const status = statusOf(state)
  if (status !== 'restoring' && status !== 'restoreFailed') return status
  return isContactToken(tokenOf(state)) ? 'identifying' : 'anonymous'
}
