import type { ReadonlySignal } from '@preact/signals-core'
import type { ConversationState, EndReason, Session } from '../../../contract/index.ts'
import type { Credentials, StopCondition } from '../../api/apiClient.ts'
import type { AuthState, CurrentContact } from '../../loader/events.ts'
import type { WidgetOptions } from '../../loader/options.ts'
import type { AnonymousSessionStore } from '../../storage/anonymousSession.ts'
import type { Stored } from '../../storage/guards.ts'
import type { IdentityStore } from '../../storage/identityStore.ts'
import type { Deps } from '../deps.ts'
import type { KeepOptions, SessionScope } from './sessionScope.ts'
import type { SessionStatus } from './sessionState.ts'
import type { refreshToken } from './tokenRefresh.ts'

export type { SessionStatus }

/** Who is talking: the one writer of identity. */
export interface SessionModel {
  readonly status: ReadonlySignal<SessionStatus>
  readonly contact: ReadonlySignal<CurrentContact | null>
  /** Why the last session ended without the visitor's doing, until it is dismissed or a new one begins. */
  readonly endReason: ReadonlySignal<Exclude<EndReason, 'logged_out'> | null>
  /** True where localStorage has refused to store: nothing survives a reload. */
  readonly isStorageBlocked: ReadonlySignal<boolean>
  /** Another one for each session scope: what a browser keeps for an element (undo, scroll) must not outlive it. */
  readonly scopeKey: ReadonlySignal<string>
  login(credentials: { token: string }): Promise<{ contact: CurrentContact | null }>
  logout(): Promise<void>
  dismissEndReason(): void
}

export interface LoginOptions {
  /** What the platform has just said of the token: it is not asked again. */
  verified?: Session
  /** What an anonymous visitor has begun to write in this page, and not sent, is the contact's. */
  keepUnsent?: boolean
}

/** What the rest of the core does with the session. */
export interface SessionCore extends SessionModel {
  /** What the page is told. */
  readonly authState: ReadonlySignal<AuthState>
  /** It is certain who is talking, and the database has agreed to the epoch: no older login can come to light any more. */
  readonly isOpen: ReadonlySignal<boolean>
  login(credentials: { token: string }, options?: LoginOptions): Promise<{ contact: CurrentContact | null }>
  /** Nobody is signed in at the site any more: ends the session as `logout` does, and the site may be asked again. */
  endBySite(): void
  /** That of the visitor now. */
  token(): string | null
  /** Begins with what is stored: on page load, and when the page comes back. */
  start(): void
  /** Compares what this tab shows with what is stored, and follows. */
  reconcile(): void
  /**
   * The platform has ended a session. Resolves when its scope may ask again: at once, or after its token has been
   * refreshed.
   */
  handleEnded(credentials: Credentials, reason: EndReason): Promise<void>
  /** The token to send with, made on first need; `null` where there is none to be had now. */
  acquireToken(scope: SessionScope, shouldStopRetrying: StopCondition): Promise<string | null>
  /** Asks again whose the stored session is, after the platform has refused to say. */
  retryRestore(): void
  /** The page goes into the back/forward cache, and may be shown again to somebody else. */
  suspend(): void
  resume(): void
}

/** What the session stands on, and whom it tells. */
export interface SessionDeps extends Deps {
  /** Of the lock under which a tab logs in, or exchanges an expired token. */
  lockName: string
  identity: IdentityStore
  anonymousSessions: AnonymousSessionStore
  /** Asks the page for a token in the place of one that has expired. */
  refreshToken?: WidgetOptions['refreshToken']
  /** Hears that a contact's token has expired, in place of `refreshToken`: the scope ends when there is another one. */
  onTokenExpired?: ((token: string) => void) | undefined
  /** The session has begun with what is stored, which is shown as soon as the platform has said whose it is. */
  onStart?: (() => void) | undefined
  /** The platform has said who the contact is. Called before the page hears of it. */
  onIdentified?: ((how: { isOwnLogin: boolean }) => void) | undefined
  /** Fetches what few sites need. */
  tokenRefresh(): Promise<{ refreshToken: typeof refreshToken }>
  /** Whether the platform answers, but not to pages of this origin. Asks it; never rejects. */
  isOriginRefused(): Promise<boolean>
  /** Another identity, or none, from now on: everything of the one before goes at once, but what `options` keeps. */
  onScopeChange(scope: SessionScope, options: KeepOptions): void
  /** The identity is settled: what is stored of it may be shown. `state` is `null` without a token. */
  onScopeReady(scope: SessionScope, state: ConversationState | null, stored: Stored): void
  /** Stores what of the draft is not stored yet: the epoch is about to end, and the same person may go on in the next. */
  saveDraft(): void
  /**
   * The stored session could not be restored: the platform has refused for good to say whose it is, and hasn't ended it.
   */
  onRestoreFailed(): void
  /** The scope has got a token: an anonymous one its first, a contact's another. */
  onTokenChange(scope: SessionScope): void
}
