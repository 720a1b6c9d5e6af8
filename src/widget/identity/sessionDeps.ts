import type { ReadonlySignal } from '@preact/signals-core'
import type { ConversationState, Session } from '../../contract/index.ts'
import type { Deps } from '../conversation/deps.ts'
import type { AuthReason } from '../loader/events.ts'
import type { WidgetOptions } from '../loader/options.ts'
import type { OpenedRecords } from '../store/records.ts'
import type { IdentityStore } from './identityStore.ts'
import type { SessionState, UnwantedEnd } from './reconcile.ts'
import type { KeepOptions, SessionScope } from './sessionScope.ts'
import type { EpochReason, StoredIdentity } from './storedIdentity.ts'

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
  tokenExchange(): Promise<{ exchangeToken: ExchangeToken }>
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

/** The function in `tokenExchange.ts`. */
type ExchangeToken = (
  deps: SessionDeps,
  scope: SessionScope,
  contactId: string | undefined,
  actions: Pick<SessionActions, 'restoreSession' | 'beginAnonymousEpoch' | 'setToken'>,
) => Promise<void>

/** What the modules for login, tokens and so on use of `VisitorSession`. */
export interface SessionActions {
  readonly state: SessionState
  readonly scope: SessionScope
  /** Why the last session ended, if the visitor didn't end it. `null` once it is dismissed or a login begins. */
  readonly endReason: ReadonlySignal<UnwantedEnd | null>
  /** Compares this tab's state with localStorage and adopts what is stored. The scope may have ended afterwards. */
  followStorage(): void
  /** Opens the stored data of the person whom the platform has named for the scope's token, and shows it. */
  identify(scope: SessionScope, session: Session, how: IdentifyOptions): Promise<void>
  /** Begins a new scope and asks the platform whose token this is. Resolves when the platform has answered. */
  restoreSession(stored: StoredIdentity, reason: AuthReason): Promise<unknown>
  /** Stores a token of the scope's own anonymous session or contact, and goes on with it. */
  setToken(scope: SessionScope, token: string): void
  /**
   * Begins an epoch in which all tabs are anonymous. Resolves to the token of an anonymous session that was erased from storage,
   * or `null`.
   */
  beginAnonymousEpoch(reason: EpochReason, options?: AnonymousEpochOptions): Promise<string | null>
}

export interface IdentifyOptions {
  /** The reason in the `auth` event. */
  reason: AuthReason
  /** Whether `login()` was called in this tab. */
  isOwnLogin?: boolean
}

export interface AnonymousEpochOptions {
  /** Whether an anonymous visitor goes on, with what they have written in this page and not sent. */
  keepUnsent?: boolean
  /** An epoch in IndexedDB that the next one must be later than. */
  after?: string
}
