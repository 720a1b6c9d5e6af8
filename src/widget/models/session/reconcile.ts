import type { EndReason } from '../../../contract/index.ts'
import type { AuthReason } from '../../loader/events.ts'
import { isBefore, parseEpoch } from '../../storage/epoch.ts'
import { type EpochReason, isContactToken, type StoredIdentity } from '../../storage/storedIdentity.ts'
import type { SessionState } from './sessionState.ts'

/** What a tab has to do so that it agrees with what is stored. */
export type Transition =
  | { readonly do: 'nothing' }
  /** Nothing is stored: agree with the other tabs on an epoch. What this page's anonymous visitor has not sent goes on. */
  | { readonly do: 'beginFirstEpoch'; readonly keepUnsent: boolean }
  /** Another tab has created the anonymous session of this epoch: go on in it, nothing that is shown goes. */
  | { readonly do: 'adoptAnonymousToken'; readonly token: string }
  /** The contact's token has been replaced by another: go on with it, if it is of the same contact. */
  | { readonly do: 'refreshToken' }
  /** Ask the platform whose the stored token is. */
  | { readonly do: 'restore'; readonly epoch: string; readonly token: string; readonly reason: AuthReason }
  /** Another tab has begun a login: show nobody until it has stored a token. */
  | { readonly do: 'awaitRemoteLogin'; readonly epoch: string; readonly reason: AuthReason }
  /** Another tab has ended the session. */
  | {
      readonly do: 'becomeAnonymous'
      readonly epoch: string
      readonly reason: EpochReason
      readonly keepUnsent: boolean
    }
  /** What is stored is no identity that could go on: end the session for all tabs, by an epoch of its own. */
  | { readonly do: 'endSession'; readonly reason: EpochReason; readonly keepUnsent: boolean }

/** What a tab that shows nobody yet does with what is stored. Pure, as `reconcile`. */
export function transitionOnStart({ epoch, reason, token }: StoredIdentity): Transition {
  if (token) return { do: 'restore', epoch, token, reason: 'restored' }
  if (!epoch) return { do: 'beginFirstEpoch', keepUnsent: false }
  if (reason === 'login') return { do: 'awaitRemoteLogin', epoch, reason: 'login' }
  // Why the session has ended was said on the page that saw it.
  return { do: 'becomeAnonymous', epoch, reason: 'logout', keepUnsent: false }
}

/** Compares what a tab shows with what is stored, which is right. Pure: it decides, and the session model acts. */
export function reconcile(current: SessionState, stored: StoredIdentity): Transition {
  if (current.kind === 'inactive' || current.kind === 'suspended') return { do: 'nothing' }
  const { epoch, token, reason } = stored
  if (epoch === current.scope.epoch) return reconcileToken(current, stored)
  // The page has removed what is stored, as sites do that sign out by `localStorage.clear()`.
  if (!epoch) return isAnonymous(current) ? { do: 'beginFirstEpoch', keepUnsent: true } : endLoggedOut
  // A write that came late has put an epoch back that is over.
  if (isBefore(epoch, current.scope.epoch)) return isInvoluntary(reason) ? endUnknown(current) : endLoggedOut
  // Its token, where it has one already, is adopted after that.
  if (isSuccession(current, stored)) return { do: 'becomeAnonymous', epoch, reason, keepUnsent: true }
  const authReason: AuthReason = current.kind === 'identified' && reason === 'login' ? 'replaced' : authReasonOf(reason)
  if (token) return { do: 'restore', epoch, token, reason: authReason }
  if (reason === 'login') return { do: 'awaitRemoteLogin', epoch, reason: authReason }
  return { do: 'becomeAnonymous', epoch, reason, keepUnsent: false }
}

/** Within one epoch only the token can differ. */
function reconcileToken(
  current: Exclude<SessionState, { kind: 'inactive' | 'suspended' }>,
  { epoch, token, reason }: StoredIdentity,
): Transition {
  const { token: ownToken } = current.scope
  // A login stores its token before it is finished.
  if (token === ownToken || current.kind === 'identifying') return { do: 'nothing' }
  // In an epoch that goes on, other tabs could still write for the person whose token is gone.
  if (!token) return endUnknown(current)
  if (current.kind === 'identified') return { do: 'refreshToken' }
  if (current.kind === 'anonymous' && !ownToken && !isContactToken(token)) return { do: 'adoptAnonymousToken', token }
  return { do: 'restore', epoch, token, reason: authReasonOf(reason) }
}

const endLoggedOut: Transition = { do: 'endSession', reason: 'logout', keepUnsent: false }

/** What is stored is not what this tab has stored, and no logout. */
const endUnknown = (current: SessionState): Transition =>
  isAnonymous(current) ? { do: 'endSession', reason: 'storage_empty', keepUnsent: true } : endLoggedOut

/** Whether nobody has been identified in this tab's scope, nor can be. */
const isAnonymous = (state: SessionState): boolean =>
  state.kind === 'beginning' ||
  state.kind === 'anonymous' ||
  ((state.kind === 'restoring' || state.kind === 'restoreFailed') && !isContactToken(state.scope.token))

/** Whether nobody has meant to end the session. */
const isInvoluntary = (reason: EpochReason): boolean => reason === 'expired' || reason === 'storage_empty'

/** Whether the stored epoch goes on where this tab's anonymous one ends: nobody has been identified in between. */
function isSuccession(current: SessionState, { epoch, reason, token }: StoredIdentity): boolean {
  if (current.kind === 'inactive' || !isAnonymous(current) || !isInvoluntary(reason) || isContactToken(token))
    return false
  const [own, next] = [parseEpoch(current.scope.epoch), parseEpoch(epoch)]
  // Several tabs that see a session end at the same moment each begin the next epoch. Behind more than that, somebody may have
  // logged in and out. Another series says nothing about that: it begins where storage was emptied.
  return own.series === next.series ? next.counter - own.counter <= 1 : reason === 'storage_empty'
}

/** What the page is told of an epoch's beginning. */
export const authReasonOf = (reason: EpochReason): AuthReason =>
  reason === 'storage_empty' || reason === 'signed_out' ? 'logout' : reason

/** What the visitor is told of an epoch's beginning: why a session has ended without their doing. */
export const endReasonOf = (reason: EpochReason): Exclude<EndReason, 'logged_out'> | null =>
  reason === 'revoked' || reason === 'expired' || reason === 'contact_deleted' ? reason : null
