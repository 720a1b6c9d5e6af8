import type { Session } from '../../contract/index.ts'
import type { AuthReason } from '../loader/events.ts'
import type { SessionScope } from './sessionScope.ts'
import type { EpochReason, StoredIdentity } from './storedIdentity.ts'

/** The actions of `VisitorSession` that the modules for login, restore and so on call. */
export interface SessionActions {
  /** Compares this tab's state with localStorage and adopts what is stored. The scope may have ended afterwards. */
  followStorage(): void
  /** Opens the stored data of the person whom the platform has named for the scope's token, and shows it. */
  identify(scope: SessionScope, session: Session, how: IdentifyOptions): Promise<void>
  /** Begins a new scope and asks the platform whose token this is. Resolves when the platform has answered. */
  restoreSession(stored: StoredIdentity, reason: AuthReason): Promise<unknown>
  /** Stores a token of the scope's own anonymous session or contact, and goes on with it. */
  setToken(scope: SessionScope, token: string): void
  /** Ends the session for all tabs. Resolves to the token of an anonymous session that was erased from storage, or `null`. */
  endSession(reason: EpochReason, options?: EndOptions): Promise<string | null>
}

export interface IdentifyOptions {
  /** The reason in the `auth` event. */
  reason: AuthReason
  /** Whether `login()` was called in this tab. */
  isOwnLogin?: boolean
}

export interface EndOptions {
  /** Whether the next session keeps text that the anonymous visitor of this page hasn't sent. */
  keepUnsent?: boolean
}
