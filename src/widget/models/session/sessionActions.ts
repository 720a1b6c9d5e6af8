import type { Session } from '../../../contract/index.ts'
import type { AuthReason } from '../../loader/events.ts'
import type { EpochReason } from '../../storage/storedIdentity.ts'
import type { SessionScope } from './sessionScope.ts'

/** What the steps of a login, a restore and so on do with the session. `VisitorSession` implements it. */
export interface SessionActions {
  /** Compares the state of this tab with localStorage, and follows that. The scope may have ended afterwards. */
  reconcile(): void
  /** The platform has said who the scope's token belongs to: what is stored of them may be shown. */
  identify(scope: SessionScope, session: Session, how: IdentifyOptions): Promise<void>
  /** Asks the platform who a stored token belongs to, in a new scope. Resolves when it has answered. */
  restoreSession(epoch: string, token: string, reason: AuthReason): Promise<unknown>
  /** The scope's anonymous session has been created, by this tab or another. */
  setAnonymousToken(scope: SessionScope, token: string): void
  /** Ends the session for all tabs. Resolves to the token of an anonymous session that has been erased from storage. */
  endSession(reason: EpochReason, options?: EndOptions): Promise<string | null>
}

export interface IdentifyOptions {
  /** Why, for the page. */
  reason: AuthReason
  /** `login()` has been called in this tab. */
  isOwnLogin?: boolean
}

export interface EndOptions {
  /** What this page's anonymous visitor has written and not sent goes on. */
  keepUnsent?: boolean
  /** An epoch that IndexedDB knows and localStorage doesn't show: it is over, too. */
  laterThan?: string
}
