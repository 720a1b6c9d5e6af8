import type { ReadonlySignal } from '@preact/signals-core'
import type { EndReason } from '../../contract/index.ts'
import type { CurrentContact } from '../events.ts'

/** `restoring`: a stored token is being checked on page load; `identifying`: a login is. */
export type SessionStatus = 'anonymous' | 'restoring' | 'identifying' | 'identified'

/** Who is talking: the one writer of identity. */
export interface SessionModel {
  readonly status: ReadonlySignal<SessionStatus>
  readonly contact: ReadonlySignal<CurrentContact | null>
  /** Why the last session ended without the visitor's doing, until it is dismissed or a new one begins. */
  readonly ended: ReadonlySignal<Exclude<EndReason, 'logged_out'> | null>
  /** True where neither localStorage nor IndexedDB can be used: nothing survives a reload. */
  readonly storageBlocked: boolean
  login(token: string): Promise<{ contact: CurrentContact | null }>
  logout(): Promise<void>
  dismissEnded(): void
}
