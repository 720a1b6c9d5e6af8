import type { EndReason } from '../../contract/index.ts'
import type { AuthReason } from '../loader/events.ts'
import { isBefore, parseEpoch } from './epoch.ts'
import type { SessionState } from './sessionState.ts'
import { type EpochReason, isContactToken, type StoredIdentity } from './storedIdentity.ts'

/** The action that makes a tab's state agree with the stored identity. */
export type Transition =
  | { readonly do: 'nothing' }
  /** Nothing is stored: agree with the other tabs on an epoch. `keepUnsent` keeps the anonymous visitor's unsent text. */
  | { readonly do: 'beginFirstEpoch'; readonly keepUnsent: boolean }
  /** Another tab has created the anonymous session of this epoch: use its token, and keep everything that is shown. */
  | { readonly do: 'adoptAnonymousToken'; readonly token: string }
  /** Another tab has replaced the contact's token: use it if it belongs to the same contact. */
  | { readonly do: 'refreshToken' }
  /** Ask the platform whose token is stored. */
  | { readonly do: 'restore'; readonly epoch: string; readonly token: string; readonly reason: AuthReason }
  /** Another tab has begun a login: show nobody's data until it has stored a token. */
  | { readonly do: 'awaitRemoteLogin'; readonly epoch: string; readonly reason: AuthReason }
  /** Another tab has ended the session: become anonymous in its epoch. */
  | {
      readonly do: 'becomeAnonymous'
      readonly epoch: string
      readonly reason: EpochReason
      readonly keepUnsent: boolean
    }
  /** The stored identity can't be continued: begin another epoch, which ends the session for all tabs. */
  | { readonly do: 'endSession'; readonly reason: EpochReason; readonly keepUnsent: boolean }

/** Returns the transition of a tab that starts or returns from the back/forward cache. A pure function. */
export function transitionOnStart({ epoch, reason, token }: StoredIdentity): Transition {
  if (token) return { do: 'restore', epoch, token, reason: 'restored' }
  if (!epoch) return { do: 'beginFirstEpoch', keepUnsent: false }
  if (reason === 'login') return { do: 'awaitRemoteLogin', epoch, reason: 'login' }
  // The page that was open when the session ended has shown the reason, so don't repeat it.
  return { do: 'becomeAnonymous', epoch, reason: 'logout', keepUnsent: false }
}

/** Compares a tab's state with the stored identity, and returns how the tab has to change. A pure function. */
export function reconcile(current: SessionState, stored: StoredIdentity): Transition {
  if (current.kind === 'inactive' || current.kind === 'suspended') return { do: 'nothing' }
  const { epoch, token, reason } = stored
  if (epoch === current.scope.epoch) return reconcileToken(current, stored)
  // The page has emptied storage. Some sites sign visitors out with `localStorage.clear()` or `Clear-Site-Data`.
  if (!epoch) return isAnonymous(current) ? { do: 'beginFirstEpoch', keepUnsent: true } : endSignedOut
  // A late write by another tab has restored an epoch that has ended.
  if (isBefore(epoch, current.scope.epoch)) return isInvoluntary(reason) ? endUnknown(current) : endLoggedOut
  // If the stored epoch has a token already, the next comparison adopts it.
  if (isSuccession(current, stored)) return { do: 'becomeAnonymous', epoch, reason, keepUnsent: true }
  const authReason: AuthReason = current.kind === 'identified' && reason === 'login' ? 'replaced' : authReasonOf(reason)
  if (token) return { do: 'restore', epoch, token, reason: authReason }
  if (reason === 'login') return { do: 'awaitRemoteLogin', epoch, reason: authReason }
  return { do: 'becomeAnonymous', epoch, reason, keepUnsent: false }
}

/** Handles a stored identity with the tab's own epoch, in which only the token can differ. */
function reconcileToken(
  current: Exclude<SessionState, { kind: 'inactive' | 'suspended' }>,
  { epoch, token, reason }: StoredIdentity,
): Transition {
  const { token: ownToken } = current.scope
  // A login stores its token before it is finished.
  if (token === ownToken || current.kind === 'identifying') return { do: 'nothing' }
  // Begin another epoch: in this one, other tabs could still write data of the person whose token was removed.
  if (!token) return endUnknown(current)
  if (current.kind === 'identified') return { do: 'refreshToken' }
  if (current.kind === 'anonymous' && !ownToken && !isContactToken(token)) return { do: 'adoptAnonymousToken', token }
  return { do: 'restore', epoch, token, reason: authReasonOf(reason) }
}

const endLoggedOut: Transition = { do: 'endSession', reason: 'logout', keepUnsent: false }
/** Ends a contact's session that nobody has ended on purpose: the site may be asked who is signed in next. */
const endSignedOut: Transition = { do: 'endSession', reason: 'signed_out', keepUnsent: false }

/** Ends a session whose stored identity was changed in an unexpected way, and not by a logout. */
const endUnknown = (current: SessionState): Transition =>
  isAnonymous(current) ? { do: 'endSession', reason: 'storage_reset', keepUnsent: true } : endSignedOut

/** Whether this tab's scope has no contact and can't get one. */
const isAnonymous = (state: SessionState): boolean =>
  state.kind === 'beginning' ||
  state.kind === 'anonymous' ||
  ((state.kind === 'restoring' || state.kind === 'restoreFailed') && !isContactToken(state.scope.token))

/**
 * Whether unsent text goes on when a session is restored in this state. In one epoch the visitor is the same person, but an
 * anonymous visitor's text never becomes a contact's.
 */
export const isSameVisitor = (
  state: SessionState,
  { epoch, token }: Pick<StoredIdentity, 'epoch' | 'token'>,
): boolean =>
  state.kind !== 'inactive' && state.scope.epoch === epoch && (state.scope.token === token || !isAnonymous(state))

/** Whether the session ended without anybody's intention. */
const isInvoluntary = (reason: EpochReason): boolean => reason === 'expired' || reason === 'storage_reset'

/** Whether the stored epoch continues this tab's, so that its visitor is still the same and anonymous. */
function isSuccession(current: SessionState, { epoch, reason, token }: StoredIdentity): boolean {
  if (current.kind === 'inactive' || !isAnonymous(current)) return false
  if (!isInvoluntary(reason) || isContactToken(token)) return false
  const [own, next] = [parseEpoch(current.scope.epoch), parseEpoch(epoch)]
  // If several tabs see a session end at the same moment, each of them begins the next epoch, with the same counter. If the
  // counter has grown by more than one, somebody may have logged in and out. Counters of different series can't be compared:
  // a new series begins when storage was emptied.
  return own.series === next.series ? next.counter - own.counter <= 1 : reason === 'storage_reset'
}

/** Returns the reason in the `auth` event when an epoch has begun. */
export const authReasonOf = (reason: EpochReason): AuthReason =>
  reason === 'storage_reset' || reason === 'signed_out' || reason === 'login_failed' ? 'logout' : reason

/** Returns the reason to show to the visitor when an epoch has begun; `null` if they ended the session themselves. */
export const endReasonOf = (reason: EpochReason): Exclude<EndReason, 'logged_out'> | null =>
  reason === 'revoked' || reason === 'expired' || reason === 'contact_deleted' ? reason : null
