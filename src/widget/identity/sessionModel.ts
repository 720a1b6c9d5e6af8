import type { ReadonlySignal } from '@preact/signals-core'
import type { ConversationState, EndReason, Session } from '../../contract/index.ts'
import type { Credentials, StopCondition } from '../api/apiClient.ts'
import type { Deps } from '../conversation/deps.ts'
import type { AuthState, CurrentContact } from '../loader/events.ts'
import type { WidgetOptions } from '../loader/options.ts'
import type { RecordsMeta } from '../store/guards.ts'
import type { OpenedRecords } from '../store/records.ts'
import type { IdentityStore } from './identityStore.ts'
import type { SessionStatus } from './reconcile.ts'
import type { SessionActions } from './sessionActions.ts'
import type { KeepOptions, SessionScope } from './sessionScope.ts'

export type { SessionStatus }

/** The visitor's identity. No other model changes it. */
export interface SessionModel {
  readonly status: ReadonlySignal<SessionStatus>
  /** The state that the page sees. It is `anonymous` for an anonymous session that is still being restored. */
  readonly authState: ReadonlySignal<AuthState>
  readonly contact: ReadonlySignal<CurrentContact | null>
  /** Why the last session ended, if the visitor didn't end it. `null` once it is dismissed or a login begins. */
  readonly endReason: ReadonlySignal<Exclude<EndReason, 'logged_out'> | null>
  /** Whether the browser has refused to store the identity, so that the session doesn't survive a reload. */
  readonly isStorageBlocked: ReadonlySignal<boolean>
  /** Differs for each session scope. As a `key` it discards what browsers keep for an element, such as undo and scroll. */
  readonly scopeKey: ReadonlySignal<string>
  login(credentials: { token: string }): Promise<{ contact: CurrentContact | null }>
  logout(): Promise<void>
  dismissEndReason(): void
}

export interface LoginOptions {
  /** The platform's answer about the token, if it was asked just before. It is then not asked again. */
  verified?: Session
}

/** The session as the rest of the core uses it. */
export interface SessionCore extends SessionModel {
  /** Whether the identity is known and IndexedDB has accepted the epoch, so that no older login can turn up any more. */
  readonly isReady: ReadonlySignal<boolean>
  login(credentials: { token: string }, options?: LoginOptions): Promise<{ contact: CurrentContact | null }>
  /** Goes on with another token of the same contact, about which the platform has given the answer `verified`. */
  continueWith(token: string, verified: Session): Promise<void>
  /** Logs out because nobody is signed in at the site. Unlike after `logout`, the site may be asked again. */
  endBySite(): void
  /** Returns the current token. */
  token(): string | null
  /**
   * Completes a logout that the loader began without the core, in an app that has not started: erases what is stored, and
   * revokes `tokens`. It does not end a session that another tab has begun since.
   */
  finishLogout(tokens: readonly (string | null)[]): Promise<void>
  /**
   * IndexedDB has the epoch `later`, and localStorage shows `epoch`. Waits until it shows `later`. If it doesn't in time, a late
   * write or a crash of the browser has restored `epoch`. The session then goes on as that of the anonymous visitor who is in
   * `later`. If a contact is, an epoch begins that is later than both.
   */
  handleOvertaken(epoch: string, later: RecordsMeta): Promise<void>
  /** Restores the stored session, on page load and when the page returns from the back/forward cache. */
  start(): void
  /** Compares this tab's state with localStorage and adopts what is stored. */
  followStorage(): void
  /**
   * Handles the end of a session at the platform. Resolves when the refused request may be retried: at once, or after the
   * token has been exchanged.
   */
  handleEnded(credentials: Credentials, reason: EndReason): Promise<void>
  /** Returns the token to send with, and creates an anonymous session if necessary. `null` if that isn't possible now. */
  acquireToken(scope: SessionScope, shouldStopRetrying: StopCondition): Promise<string | null>
  /** Tries again to restore the stored session after the platform has refused. */
  retryRestore(): void
  /** Hides everything before the page enters the back/forward cache, because somebody else may return to it. */
  suspend(): void
  resume(): void
}

/** The function in `tokenRefresh.ts`, which is loaded with the chunk `site`. */
type RefreshToken = (
  deps: SessionDeps,
  scope: SessionScope,
  contactId: string | undefined,
  actions: Pick<SessionActions, 'restoreSession' | 'endSession' | 'setToken'>,
) => Promise<void>

/** The session's dependencies and callbacks. */
export interface SessionDeps extends Deps {
  /** The name of the lock that a tab holds while it logs in or exchanges an expired token. */
  lockName: string
  identity: IdentityStore
  /** Asks the page for a token that replaces an expired one. */
  refreshToken?: WidgetOptions['refreshToken']
  /** Hears that a contact's token has expired, in place of `refreshToken`. The refused request waits for another one. */
  onTokenExpired?: ((token: string) => void) | undefined
  /** The session has begun with what is stored, which is shown as soon as the platform has said whose it is. */
  onStart?: (() => void) | undefined
  /** Called when the platform has identified the contact, before the `auth` event. */
  onIdentified?: ((how: { isOwnLogin: boolean }) => void) | undefined
  /** Fetches the code that exchanges an expired token. Few sites need it. */
  tokenRefresh(): Promise<{ refreshToken: RefreshToken }>
  /** Asks the platform whether it refuses pages of this origin. Never rejects. */
  isOriginRefused(): Promise<boolean>
  /** Called when the identity changes. Has to clear everything of the former one at once, except what `options` keeps. */
  onScopeChange(scope: SessionScope, options: KeepOptions): void
  /** Called when the identity is known and its stored data may be shown. `state` is `null` without a token. */
  onScopeReady(scope: SessionScope, state: ConversationState | null, stored: OpenedRecords): void
  /** Keeps the draft of an epoch that a login is about to end, because the same contact may continue in the next one. */
  carryDraft(): void
  /**
   * Called when the stored session can't be restored: the platform's answer is an error that retrying doesn't solve, and that
   * doesn't end the session.
   */
  onRestoreFailed(): void
  /** Called when the scope's token changes: an anonymous session was created, or a contact's token was exchanged. */
  onTokenChange(scope: SessionScope): void
}
