import type { EndReason } from '../../contract/index.ts'
import type { AuthReason, AuthState, CurrentContact } from '../loader/events.ts'
import type { SessionScope } from './sessionScope.ts'
import { type EpochReason, isBefore, isContactToken, isContinued, type StoredIdentity } from './storedIdentity.ts'

/**
 * The state of this tab's session. Every state except `inactive` has a scope. A new scope begins whenever the identity may
 * change.
 */
export type SessionState =
  /** Before `start()` and after `destroy()`. Stored identities are ignored. */
  | { readonly kind: 'inactive' }
  /** The page is in the back/forward cache. Somebody else may return to it. */
  | { readonly kind: 'suspended'; readonly scope: SessionScope }
  /** While IndexedDB decides which tab begins the first epoch, because localStorage holds none, the scope has none. */
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

/** The action that makes a tab's state agree with the stored identity. */
export type Transition =
  | { readonly do: 'nothing' }
  /** Nothing is stored: agree with the other tabs on an epoch. `keepUnsent` keeps the anonymous visitor's unsent text. */
  | { readonly do: 'beginFirstEpoch'; readonly keepUnsent: boolean }
  /**
   * Another tab has created the anonymous session of this epoch, or has renewed the contact's token: use theirs, and keep
   * everything that is shown.
   */
  | { readonly do: 'adoptToken'; readonly token: string }
  /** Ask the platform whose token is stored. */
  | { readonly do: 'restore'; readonly stored: StoredIdentity; readonly reason: AuthReason }
  /** Another tab has begun a login: show nobody's data until it has stored a token. */
  | { readonly do: 'awaitRemoteLogin'; readonly stored: StoredIdentity; readonly reason: AuthReason }
  /** Another tab has begun an epoch without a login: become anonymous in it. */
  | {
      readonly do: 'becomeAnonymous'
      readonly stored: StoredIdentity
      readonly reason: EpochReason
      readonly keepUnsent: boolean
    }
  /** What is stored can't be followed: begin an epoch in which all tabs are anonymous. `keepUnsent`: the visitor goes on. */
  | { readonly do: 'beginAnonymousEpoch'; readonly reason: EpochReason; readonly keepUnsent: boolean }

/** Returns the transition of a tab that starts or returns from the back/forward cache. A pure function. */
export function transitionOnStart(stored: StoredIdentity): Transition {
  if (stored.token) return { do: 'restore', stored, reason: 'restored' }
  if (!stored.epoch) return { do: 'beginFirstEpoch', keepUnsent: false }
  if (stored.reason === 'login') return { do: 'awaitRemoteLogin', stored, reason: 'login' }
  // The page that was open when the session ended has shown the reason, so don't repeat it.
  return { do: 'becomeAnonymous', stored, reason: 'logout', keepUnsent: false }
}

/** Compares a tab's state with the stored identity, and returns how the tab has to change. A pure function. */
export function reconcile(current: SessionState, stored: StoredIdentity): Transition {
  if (current.kind === 'inactive' || current.kind === 'suspended') return { do: 'nothing' }
  const { epoch, token, reason } = stored
  if (epoch === current.scope.epoch) return reconcileToken(current, stored)
  // The page has emptied storage. Some sites sign visitors out with `localStorage.clear()` or `Clear-Site-Data`.
  if (!epoch) return isAnonymous(current) ? { do: 'beginFirstEpoch', keepUnsent: true } : signedOut
  // A late write by another tab has restored an epoch that has ended.
  if (isBefore(epoch, current.scope.epoch)) return replaceEpoch(current)
  // If the stored epoch has a token already, the next comparison adopts it.
  if (isVisitorContinued(current, stored)) return { do: 'becomeAnonymous', stored, reason, keepUnsent: true }
  const authReason: AuthReason = current.kind === 'identified' && reason === 'login' ? 'replaced' : authReasonOf(reason)
  if (token) return { do: 'restore', stored, reason: authReason }
  if (reason === 'login') return { do: 'awaitRemoteLogin', stored, reason: authReason }
  return { do: 'becomeAnonymous', stored, reason, keepUnsent: false }
}

/** Handles a stored identity with the tab's own epoch, in which only the token can differ. */
function reconcileToken(
  current: Exclude<SessionState, { kind: 'inactive' | 'suspended' }>,
  stored: StoredIdentity,
): Transition {
  const { token, reason } = stored
  const { token: ownToken } = current.scope
  // A login stores its token before it is finished.
  if (token === ownToken || current.kind === 'identifying') return { do: 'nothing' }
  // Begin another epoch: in this one, other tabs could still write data of the person whose token was removed.
  if (!token) return replaceEpoch(current)
  // An epoch belongs to one person.
  const isSamePerson = isContactToken(token) ? current.kind === 'identified' : current.kind === 'anonymous' && !ownToken
  if (isSamePerson) return { do: 'adoptToken', token }
  return { do: 'restore', stored, reason: authReasonOf(reason) }
}

/** Ends a contact's session that nobody has ended on purpose: the site may be asked who is signed in next. */
const signedOut: Transition = { do: 'beginAnonymousEpoch', reason: 'signed_out', keepUnsent: false }

/**
 * Answers a stored identity that was changed in an unexpected way. An anonymous visitor goes on, for the same reason as before:
 * the site must not be asked again after a logout.
 */
const replaceEpoch = (current: Exclude<SessionState, { kind: 'inactive' }>): Transition =>
  isAnonymous(current) ? { do: 'beginAnonymousEpoch', reason: current.scope.reason, keepUnsent: true } : signedOut

/** Whether this tab's scope has no contact and can't get one. */
const isAnonymous = (state: SessionState): boolean =>
  state.kind === 'anonymous' ||
  ((state.kind === 'restoring' || state.kind === 'restoreFailed') && !isContactToken(state.scope.token))

/**
 * Whether unsent text stays when a session is restored in this state. In one epoch the visitor is the same person, but an
 * anonymous visitor's text never becomes a contact's.
 */
export const keepsUnsent = (state: SessionState, { epoch, token }: Pick<StoredIdentity, 'epoch' | 'token'>): boolean =>
  state.kind !== 'inactive' && state.scope.epoch === epoch && (state.scope.token === token || !isAnonymous(state))

/** Whether this tab's anonymous visitor goes on in a later epoch. */
export function isVisitorContinued(current: SessionState, { epoch, reason, token }: StoredIdentity): boolean {
  if (current.kind === 'inactive' || !isAnonymous(current) || isContactToken(token)) return false
  // Nobody logs in or out when storage is emptied, or when two tabs begin the first epoch without knowing of each other.
  return reason === 'storage_reset' || isContinued(current.scope.epoch, epoch)
}

/** Returns the reason in the `auth` event when an epoch has begun. */
export const authReasonOf = (reason: EpochReason): AuthReason =>
  reason === 'storage_reset' || reason === 'signed_out' || reason === 'login_failed' ? 'logout' : reason

/** Whether the session was ended on purpose, so that the site must not be asked again by itself. */
export const isEndedOnPurpose = (reason: EpochReason): boolean =>
  ['logout', 'revoked', 'contact_deleted'].includes(reason)

/** Why a session has ended, if the visitor didn't end it. */
export type UnwantedEnd = Exclude<EndReason, 'logged_out'>

/** Returns the reason to show to the visitor when an epoch has begun; `null` if they ended the session themselves. */
export const endReasonOf = (reason: EpochReason): UnwantedEnd | null =>
  reason === 'revoked' || reason === 'expired' || reason === 'contact_deleted' ? reason : null
