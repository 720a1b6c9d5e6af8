import type { ReadonlySignal } from '@preact/signals-core'
import type { EndReason } from '../../contract/index.ts'
import type { AuthState, CurrentContact } from '../events.ts'
import type { Bearer, GiveUp } from '../transport/wire.ts'
import type { Scope } from './scope.ts'

/** `restoring`: a stored token is being checked on page load; `identifying`: a login is. */
export type SessionStatus = 'anonymous' | 'restoring' | 'identifying' | 'identified'

/** Who is talking: the one writer of identity. */
export interface SessionModel {
  readonly status: ReadonlySignal<SessionStatus>
  readonly contact: ReadonlySignal<CurrentContact | null>
  /** Why the last session ended without the visitor's doing, until it is dismissed or a new one begins. */
  readonly ended: ReadonlySignal<Exclude<EndReason, 'logged_out'> | null>
  /** True where localStorage can't be used: nothing survives a reload. */
  readonly storageBlocked: boolean
  login(credentials: { token: string }): Promise<{ contact: CurrentContact | null }>
  logout(): Promise<void>
  dismissEnded(): void
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
  /** Ends a session that the platform has ended. */
  end(bearer: Bearer, reason: EndReason): void
  /** The token to send with, made on first need. */
  bearer(scope: Scope, giveUp: GiveUp): Promise<string | null>
  /** The page is being put away, and may be shown again to somebody else. */
  suspend(): void
  resume(): void
}
