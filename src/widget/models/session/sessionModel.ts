import type { ReadonlySignal } from '@preact/signals-core'
import type { ConversationState, EndReason } from '../../../contract/index.ts'
import type { Credentials, ShouldStopRetrying } from '../../api/apiClient.ts'
import type { AuthState, CurrentContact } from '../../loader/events.ts'
import type { WidgetOptions } from '../../loader/options.ts'
import type { Stored } from '../../storage/guards.ts'
import type { IdentityStore } from '../../storage/identityStore.ts'
import type { Deps, SessionScope } from './sessionScope.ts'
import type { renewToken } from './tokenRefresh.ts'

/** `restoring`: a stored token is being checked on page load; `identifying`: a login is. */
export type SessionStatus = 'anonymous' | 'restoring' | 'identifying' | 'identified'

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

/** What the session stands on, and whom it tells. */
export interface SessionDeps extends Deps {
  /** Of the lock under which an anonymous session is made, and a token that has expired exchanged. */
  lockName: string
  identity: IdentityStore
  /** Asks the page for a token in the place of one that has expired. */
  refreshToken?: WidgetOptions['refreshToken']
  /** Fetches what few sites need. */
  renewal(): Promise<{ renewToken: typeof renewToken }>
  /** Another identity, or none, from now on: everything of the one before goes at once. */
  onBegin(scope: SessionScope): void
  /** The identity is settled: what is stored of it may be shown. `state` is `null` without a token. */
  onEnter(scope: SessionScope, state: ConversationState | null, stored: Stored): void
  /** The scope has got a token: an anonymous one its first, a contact's another. */
  onTokenChange(scope: SessionScope): void
}

/** What the rest of the core does with the session. */
export interface SessionCore extends SessionModel {
  /** `forgotten`: the token that is to be revoked, where it is no longer in storage. */
  logout(forgotten?: string): Promise<void>
  state(): AuthState
  /** Takes up what stands in storage: on page load, and when the page comes back. */
  start(): void
  /** Compares what this tab shows with what stands in storage, and follows. */
  sync(): void
  /** Ends a session that the platform has ended, or lets what it is told wait while the token is being exchanged. */
  end(acquireToken: Credentials, reason: EndReason): unknown
  /** The token to send with, made on first need. */
  acquireToken(scope: SessionScope, shouldStopRetrying: ShouldStopRetrying): Promise<string | null>
  /** The page is being put away, and may be shown again to somebody else. */
  suspend(): void
  resume(): void
}
